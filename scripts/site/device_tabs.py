"""A table of measurements, one device at a time: a tab for each, or a line that says which it was.

Such a table's first column is "device", and its data say which experiments each device's rows show. Where
several devices were measured, or the reader's own machine beside the published one, each gets a tab: a
radio button, which works without JavaScript and by keyboard.
"""

import copy
import json
from collections.abc import Iterator
from itertools import compress
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

ROOT = Path(__file__).resolve().parents[2]
RECORDS = Path("docs/data/records")
DATA = Path("docs/data/tables")
OWN_TABLES = Path("docs/tables/local")
OWN = "This machine"


def by_device(table: Element, parent: Element, name: str, root: Path = ROOT) -> None:
    """Put what is shown for each device in the place of a table; others stay as they are.

    `name` is that of the table's data under docs/data/tables/. `root`: the repository.
    """
    data = _read(root / DATA / f"{name}.json")
    devices: dict[str, list[str]] = data.get("devices", {})  # datasheets are read side by side
    groups: dict[str, list[Element]] = {slug: [] for slug in devices}
    for row in table.findall("./tbody/tr") if devices else ():
        groups["".join(row[0].itertext()).strip()].append(row)
    heads = table.findall("./thead/tr/th")[1:]
    panels = [
        (slug, _panel(heads, rows, _notes(root / RECORDS / slug, devices[slug])))
        for slug, rows in groups.items()
    ]
    own = _read(root / OWN_TABLES / f"{name}.json")
    if devices and own.get("columns") == data["columns"]:
        (experiments,) = own["devices"].values()
        notes = _notes(root / RECORDS / "local", experiments)
        panels.append((OWN, _panel(heads, _plain_rows(own["rows"]), notes)))
    if not panels:
        return
    shown = panels[0][1] if len(panels) == 1 else [_tabs(panels, name)]
    shown[-1].tail = table.tail
    at = list(parent).index(table)
    parent[at : at + 1] = shown


def _panel(heads: list[Element], rows: list[Element], notes: list[str]) -> list[Element]:
    """A device's rows as a table without the column of devices, and below it how they came about.

    A column in which it has nothing, such as that of a card's allocator on a CPU, is left out.
    """
    filled = [
        any("".join(row[at].itertext()).strip() for row in rows) for at in range(1, len(heads) + 1)
    ]
    table = Element("table")
    head = SubElement(SubElement(table, "thead"), "tr")
    head.extend(copy.deepcopy(each) for each in compress(heads, filled))
    body = SubElement(table, "tbody")
    for row in rows:
        SubElement(body, "tr").extend(compress(row[1:], filled))
    return [table, *(_below(note) for note in notes)]


def _below(note: str) -> Element:
    line = Element("p", {"class": "measured"})
    line.text, *command = note.split("`")
    if command:
        SubElement(line, "code").text = command[0]
    return line


def _tabs(panels: list[tuple[str, list[Element]]], name: str) -> Element:
    """A label with a radio button before each panel; the stylesheet puts the labels in one row."""
    tabs = Element("div", {"class": "tabbed-set"})
    for number, (label, panel) in enumerate(panels):
        choice = {"name": f"__tabbed_{name}", "type": "radio"}
        named = SubElement(tabs, "label")
        button = SubElement(named, "input", choice | ({} if number else {"checked": "checked"}))
        button.tail = label
        SubElement(tabs, "div", {"class": "tabbed-block"}).extend(panel)
    return tabs


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def _plain_rows(rows: list[list[dict[str, Any]]]) -> list[Element]:
    """This machine's rows, without proofs: the ledger holds published records alone."""
    made = []
    for cells in rows:
        row = Element("tr")
        for cell in cells:
            SubElement(row, "td").text = cell["written"]
        made.append(row)
    return made


def _notes(folder: Path, experiments: list[str]) -> list[str]:
    return [note for name in experiments for note in _note(folder / f"{name}.json")]


def _note(path: Path) -> Iterator[str]:
    """Which device it was, when, and the command that measures again."""
    record = _read(path)
    if not record:
        return
    device, origin = record["device"]["name"], record["provenance"]
    if origin["kind"] == "transcribed":
        yield f"{device}: transcribed from {origin['source']}, read {origin['read']}"
    else:
        cores = f", {record['device']['cores']} cores" if record["device"].get("cores") else ""
        yield f"{device}{cores}: measured {record['when'][:10]}, again with `{origin['command']}`"
