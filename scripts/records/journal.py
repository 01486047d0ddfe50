"""`experiments.measurement` opens one Journal for a run and hands it to `measure`, which takes samples
through it: a key, a function that takes one, a count. Back come all samples, in order.

Every finished sample is on disk before the next one is taken, so a run that was killed goes on.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from scripts.core.faults import BadInput
from scripts.records.samples import FEWEST_SAMPLES

if TYPE_CHECKING:
    from rich.progress import Progress

PARTIAL = Path(".cache") / "partial"
SECONDS_BETWEEN_LINES = 20.0


class Journal:
    """Takes samples for an experiment and journals each, so that a killed run resumes.

    Use as a context manager, which ends the progress display. `finish` drops the journal once the
    record is written; a run that ends before that finds its samples again when it is repeated.
    """

    def __init__(self, *, experiment: str, device: str, fingerprint: str, root: Path) -> None:
        self.journal = root / PARTIAL / f"{experiment}-{device}-{fingerprint[:16]}.jsonl"
        self._title = f"{experiment} on {device}"
        self._taken = _resume(self.journal)
        self._display: Progress | Lines | None = None
        self._total = 0.0

    def progress(self, *, total: float) -> None:
        """Show how far the run is. `total`: the sum of the weights of all samples to be taken."""
        self._total = total

    def samples(
        self,
        key: str,
        take: Callable[[], Any],
        *,
        count: int = FEWEST_SAMPLES,
        weight: float = 1,
    ) -> list[Any]:
        """Call `take` until there are `count` values under `key`; all of them, in order.

        Values are anything that JSON holds. `weight` is what one sample adds to the progress.
        """
        values = self._taken.setdefault(key, [])
        self._advance(key, weight * min(len(values), count))
        while len(values) < count:
            value = take()
            self._append(key, value)
            values.append(value)
            self._advance(key, weight)
        return values[:count]

    def once(self, key: str, take: Callable[[], Any], *, weight: float = 0) -> Any:
        """The value of `take`, called only if no earlier part of this run has called it."""
        return self.samples(key, take, count=1, weight=weight)[0]

    def finish(self) -> None:
        """Drop the journal: its samples are in the record now."""
        self.journal.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._display is not None:
            self._display.stop()
            self._display = None

    def _append(self, key: str, value: Any) -> None:
        line = json.dumps({"key": key, "value": value}, allow_nan=False) + "\n"
        try:
            self.journal.parent.mkdir(parents=True, exist_ok=True)
            with self.journal.open("ab") as file:
                file.write(line.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BadInput(
                self.journal,
                0,
                f"cannot be written: {error.strerror}",
                "free disk space or check permissions, then run the same command again; "
                "finished samples are kept",
            ) from error

    def _advance(self, label: str, weight: float) -> None:
        if self._display is None:
            self._display = _display(self._title, total=self._total)
        if isinstance(self._display, Lines):
            self._display.update(weight, label)
            return
        for task in self._display.task_ids:
            self._display.update(task, advance=weight, label=label)


def _resume(journal: Path) -> dict[str, list[Any]]:
    """The values of an interrupted run by key. A line that was not finished is cut off."""
    taken: dict[str, list[Any]] = {}
    if not journal.exists():
        return taken
    whole = 0
    data = journal.read_bytes()
    for line in data.splitlines(keepends=True):
        try:
            entry = json.loads(line)
            if not line.endswith(b"\n"):
                break
            taken.setdefault(entry["key"], []).append(entry["value"])
        except (ValueError, TypeError, KeyError):
            break
        whole += len(line)
    if whole < len(data):
        os.truncate(journal, whole)
    return taken


class Lines:
    """How far a run is where there is no terminal for a bar: now and then a line."""

    def __init__(self, title: str, *, total: float) -> None:
        self._title, self._total, self._done = title, total, 0.0
        self._said = time.monotonic()

    def update(self, weight: float, label: str) -> None:
        """So much more is done, of what the label says."""
        self._done += weight
        if time.monotonic() - self._said >= SECONDS_BETWEEN_LINES:
            self._said = time.monotonic()
            part = f"{min(1.0, self._done / self._total):.0%} of " if self._total else ""
            print(f"    {part}{self._title}: {label}", file=sys.stderr, flush=True)

    def stop(self) -> None:
        """Nothing is left standing that would have to be removed."""


def _display(title: str, *, total: float) -> "Progress | Lines":
    """A progress bar with the time left, on a terminal; lines anywhere else."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        return Lines(title, total=total)
    display = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[label]}"),
        console=console,
        transient=True,
    )
    display.add_task(title, total=total or None, label="")
    display.start()
    return display
