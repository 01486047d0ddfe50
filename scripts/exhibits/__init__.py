"""All tables and figures that pages show: those of experiments' rooms, and the modules of this one.

A module shows the tables that its `TABLES` names and the figures that `@figure` makes.
`scripts/exhibits/exhibit_files.py` has all of them rendered where they are stale, the build calls
`local_tables` for what only this machine's site shows.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType

from scripts import experiments
from scripts.core.faults import BadInput
from scripts.figures.drawing import Exhibit
from scripts.records.record import Record
from scripts.tables.data import Teller
from scripts.tables.table import Table, Values

Files = dict[str, bytes]  # by path under docs/
Make = Callable[[Values], Table | Sequence[Table]]
LACKS = "restore the record, or measure again and publish it"


def tables(values: Values, told: Teller) -> Files:
    """Every table with rows: as Markdown with its definitions, as CSV and as JSON.

    `told` tells an origin whole. Raises BadInput for a table that shows what has no value.
    """
    made: Files = {}
    for name, make in _tables():
        found = _made(name, make, values)
        parts = [
            table.markdown(f"t-{name}" if number == 1 else f"t-{name}-{number}")
            for number, table in enumerate(found, 1)
        ]
        parts += [note for table in found for note in table.notes]
        if parts:
            made[f"tables/{name}.md"] = "\n".join(parts).encode()
        for number, table in enumerate(found, 1):
            one, data = name if number == 1 else f"{name}-{number}", table.data()
            made[f"data/tables/{one}.csv"] = data.csv()
            made[f"data/tables/{one}.json"] = data.json(one, told)
    return made


def local_tables(values: Values, told: Teller) -> Files:
    """This machine's rows of each table of measurements, as JSON, for the tabs beside published ones.

    A table is left out where these records, of another preset or version, lack what it shows.
    """
    made: Files = {}
    for name, make in _tables():
        try:
            found = _made(name, make, values)
        except BadInput:
            continue
        for data in (table.data() for table in found):
            if data.devices:
                made[f"tables/local/{name}.json"] = data.json(name, told)
    return made


def _made(name: str, make: Make, values: Values) -> list[Table]:
    path = f"docs/tables/{name}.md"
    try:
        found = make(values)
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(path, 0, str(error), getattr(error, "remedy", LACKS)) from None
    except KeyError as error:
        raise BadInput(path, 0, f"a record that it shows lacks {error}", LACKS) from None
    return [table for table in ([found] if isinstance(found, Table) else found) if table.rows]


def drawn(module: ModuleType, records: Sequence[Record]) -> Files:
    """The files of each figure of a module. `records`: those of its experiment."""
    exhibits = [each for each in vars(module).values() if isinstance(each, Exhibit)]
    found = (figure for each in exhibits for figure in each.figures(records))
    return {path: data for figure in found for path, data in figure.files().items()}


def _tables() -> Iterator[tuple[str, Make]]:
    for _, module in modules("tables"):
        yield from module.TABLES.items()


def modules(kind: str) -> Iterator[tuple[str, ModuleType]]:
    """(experiment or "", module) for all modules that show "tables" or "figures"."""
    for name in experiments.names():
        if module := experiments.part(name, kind):
            yield name, module
    for each in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{each.name}")
        has_figures = any(isinstance(value, Exhibit) for value in vars(module).values())
        if has_figures if kind == "figures" else hasattr(module, "TABLES"):
            yield "", module
