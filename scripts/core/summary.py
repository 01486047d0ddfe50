"""`build.py` notes each step in a Summary, with what was done and since when; at the end it is printed
as a table.
"""

import time
from dataclasses import dataclass, field


@dataclass
class Summary:
    """What was run, reused and rewritten, with times, for the table at the end."""

    rows: list[tuple[str, str, float]] = field(default_factory=list)

    def time(self, step: str, did: str, since: float) -> None:
        """Add a row for a step that began at `since` (time.monotonic)."""
        self.rows.append((step, did, time.monotonic() - since))

    def show(self) -> None:
        """Print the table."""
        from rich.console import Console
        from rich.table import Table

        table = Table("step", "what was done", "seconds")
        for step, did, seconds in self.rows:
            table.add_row(step, did, f"{seconds:.2f}")
        Console().print(table)
