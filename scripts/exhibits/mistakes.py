"""Twenty ways to get it wrong: the tempting answer, the right one, and the one in units of the other."""

import tomllib
from pathlib import Path
from typing import Any

from scripts.core.files import read_text
from scripts.tables.table import Column, Table, Values

ROOT = Path(__file__).parents[2]
FILE = "docs/data/mistakes.toml"


def read_mistakes() -> list[dict[str, Any]]:
    """What is asked, two expressions over snippets/, how they are shown, and who reported it."""
    found: list[dict[str, Any]] = tomllib.loads(read_text(ROOT / FILE, name=FILE))["mistake"]
    return found


def mistakes(values: Values) -> Table:
    """A row for each mistake."""
    ratio = Column("tempting / right", calc="({tempting}) / ({right})", decimals=2)
    heads = ("what is asked", "tempting", "right", ratio, "reported of")
    table = Table(*heads, values=values)
    for each in read_mistakes():
        look = {"suffix": each["unit"], "decimals": each["decimals"]}
        answers = (table.number(calc=each[which], **look) for which in ("tempting", "right"))
        reports = [f"[`{'/'.join(u.split('/')[3:5])}`](<{u}>)" for u in each.get("reports", ())]
        pair = {which: each[which] for which in ("tempting", "right")}
        table.row(each["asked"], *answers, ", ".join(reports), **pair)
    return table


TABLES = {"mistakes": mistakes}
