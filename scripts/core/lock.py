"""One build at a time: `scripts/build.py` holds the lock of its repository while it writes."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file, which its process loses when it ends, however it ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another build is at work here: waiting for it to end", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
