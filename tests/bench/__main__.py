"""`make bench`: what each thing takes, beside its yardstick. Wants the machine for itself.

    python -m tests.bench [NAME ...]

A name is that of a part (PARTS); without one, all run. Each gives rows: what was measured, what it takes,
what it stands beside, their ratio where there is one, and the aim.
"""

import argparse
from collections.abc import Callable, Iterable

from rich.console import Console
from rich.table import Table

from tests.bench import numeric, pages, row

PARTS: dict[str, Callable[[], Iterable[row.Row]]] = {
    "copying": numeric.copying,
    "rounding": numeric.rounding,
    "sweep": numeric.sweep,
    "planning": pages.planning,
    "choices": pages.choices,
    "pages": pages.marks,
}


def main() -> None:
    """Run the parts and print their rows as they come."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="NAME", help=", ".join(PARTS))
    asked = parser.parse_args().parts
    if unknown := set(asked) - set(PARTS):
        parser.error(
            f"no part is called {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}"
        )
    console = Console(width=None if Console().is_terminal else 130)
    for name in asked or PARTS:
        table = Table("what", "takes", "beside", "ratio", "aim", title=name, title_justify="left")
        for found in PARTS[name]():
            table.add_row(*found.cells())
        console.print(table)


if __name__ == "__main__":
    main()
