"""Every room reports what is wrong as a Fault: file, line, what is wrong, what to do about it.

Raised alone it travels in BadInput, the one exception for bad input.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["broken", "stale"]  # what needs a person, and what the build rewrites


@dataclass(frozen=True)
class Fault:
    """One thing that is not as it should be. `line` is 1-based; 0 means the whole file."""

    path: str
    line: int
    message: str
    remedy: str
    diff: str = ""
    kind: Kind = "broken"

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        text = f"{place}: {self.message}\n    remedy: {self.remedy}"
        return f"{text}\n{self.diff.rstrip()}" if self.diff else text


def stale(path: str, message: str, line: int = 0, *, diff: str = "", alone: bool = True) -> Fault:
    """A fault that the build mends, for this file `alone` or only together with others."""
    remedy = "run: python scripts/build.py" + (f" --only {path}" if alone else "")
    return Fault(path, line, message, remedy, diff, "stale")


class BadInput(Exception):
    """Input that cannot be used. Carries the fault, so that the caller can collect or print it."""

    def __init__(self, path: str | Path, line: int, message: str, remedy: str) -> None:
        self.fault = Fault(str(path), line, message, remedy)
        super().__init__(str(self.fault))
