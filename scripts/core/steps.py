"""What a long program is doing, line by line: `scripts/build.py` prints it, on a terminal or into a log."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Step:
    """What is being done, and, by the time that it ends, what was done."""

    name: str
    did: str = ""


@contextmanager
def step(name: str) -> Iterator[Step]:
    """Say that a step begins; and how it went, and how long it took, once it ends."""
    began = time.monotonic()
    print(f"{name} …", flush=True)
    current = Step(name)
    yield current
    print(f"    {current.did or 'done'} ({time.monotonic() - began:.1f} s)", flush=True)
