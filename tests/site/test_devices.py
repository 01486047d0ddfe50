"""Tables of measurements by device: what a second device's records, or one's own, make of them."""

import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from xml.etree import ElementTree

import markdown
import pytest

from scripts import exhibits
from scripts.handbook import ledger
from scripts.proof.numbers import check_definitions, check_references, unused_definitions
from scripts.proof.parse import parse_page
from scripts.records.record import Record, read_all
from scripts.site.device_tabs import by_device
from tests.rendered import values_of

ROOT = Path(__file__).parents[2]
MINE = "epyc-2-cores"
NEW = {MINE: ("h100-80gb-hbm3", "NVIDIA H100 80GB HBM3"), "rtx-3060": ("abacus", "An abacus")}
FOLDERS = ("h100-80gb-hbm3", "abacus-transcribed")
NAMES = sorted(
    path.stem
    for path in (ROOT / "docs/data/tables").glob("*.json")
    if b'"devices"' in path.read_bytes()
)


@pytest.fixture(scope="module")
def published() -> dict[str, Record]:
    return read_all(ROOT)


@pytest.fixture(scope="module")
def with_another(published: dict[str, Record]) -> dict[str, Record]:
    """As if somebody had published an H100's records of every experiment, and more transcribed."""
    others = {}
    for record in published.values():
        slug, name = NEW.get(record.device["slug"], NEW[MINE])
        found = replace(record, device={**record.device, "slug": slug, "name": name})
        others[found.key] = found
    return dict(sorted((published | others).items()))


def rendered(records: dict[str, Record]) -> dict[str, bytes]:
    return exhibits.tables(values_of(records), lambda origin: {})


@pytest.fixture(scope="module")
def tables(with_another: dict[str, Record]) -> dict[str, bytes]:
    return rendered(with_another)


def folder_with(path: Path, records: dict[str, Record], made: dict[str, bytes]) -> Path:
    for name, data in made.items():
        (path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (path / "docs" / name).write_bytes(data)
    for key, record in records.items():
        file = path / f"docs/data/records/{key}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(record)))
    return path


def shown(source: str, name: str, root: Path) -> ElementTree.Element:
    extensions = ["tables", "scripts.site.provenance"]
    html = markdown.markdown(source, extensions=extensions)
    body = ElementTree.fromstring(f"<body>{html}</body>")
    for table in body.findall("table"):
        by_device(table, body, name, root)
    return body


def text(element: ElementTree.Element | None) -> str:
    assert element is not None
    return "".join(element.itertext())


@pytest.mark.parametrize("name", NAMES)
def test_a_second_device_gives_every_measured_table_a_tab(name, tables, with_another, tmp_path):
    root = folder_with(tmp_path, with_another, tables)
    source = tables[f"tables/{name}.md"].decode()
    body = shown(source, name, root)
    (tabs,) = body.findall("div[@class='tabbed-set']")
    labels = [text(label) for label in tabs.findall("label")]
    new = next(folder for folder in FOLDERS if folder in labels)
    choices = tabs.findall("label/input[@type='radio']")
    assert [choice.get("checked") for choice in choices] == ["checked"] + [None] * (len(labels) - 1)
    assert len({choice.get("name") for choice in choices}) == 1
    panels = tabs.findall("div[@class='tabbed-block']")
    assert len(panels) == len(labels)
    rows = source.partition("\n\n")[0].splitlines()[2:]
    for label, panel in zip(labels, panels, strict=True):
        own = [row for row in rows if row.startswith(f"| `{label}` |")]
        assert len(panel.findall("table/tbody/tr")) == len(own) > 0
        assert panel.find("table/thead/tr/th").text != "device"
    notes = [text(each) for each in panels[labels.index(new)].findall("p[@class='measured']")]
    assert notes
    said = (
        r"NVIDIA H100 80GB HBM3.*: measured 20\d\d-\d\d-\d\d, again with python |An abacus: trans"
    )
    assert all(re.match(said, each) for each in notes)
    every = [link for panel in panels for link in panel.iter("a")]
    assert len(every) == len(re.findall(r"\]\[t-", source.partition("\n\n")[0]))


@pytest.mark.parametrize("name", NAMES)
def test_the_check_and_the_ledger_hold_with_a_second_device(name, tables, with_another):
    source = tables[f"tables/{name}.md"].decode()
    page = parse_page(f"docs/tables/{name}.md", source)
    assert page.faults == []
    checked, faults = check_definitions(page, values_of(with_another))
    assert faults == []
    assert check_references(page, checked) == ([], [])
    assert unused_definitions(page, set()) == []
    found = ledger.entries([(page, checked)])
    assert any(f"{folder}/" in entry.expression for entry in found for folder in FOLDERS)
    assert len(ledger.ledger_table(found, {}).splitlines()) == len(found) + 2


def test_one_device_gives_no_tabs_but_says_which_it_was(published, tmp_path):
    root = folder_with(tmp_path, published, made := rendered(published))
    body = shown(made["tables/decoding.md"].decode(), "decoding", root)
    assert [child.tag for child in body] == ["table", "p"]
    assert text(body[0].find("thead/tr/th")) == "model, parameters"
    assert text(body[1]).startswith("AMD EPYC, 2 cores: measured 20")
    assert text(body[1].find("code")).startswith("python scripts/build.py --only decoding ")
    body = shown(made["tables/quantization.md"].decode(), "quantization", root)
    assert text(body[1]).startswith("NVIDIA GeForce RTX 3060: transcribed from the lesson")


@pytest.fixture
def own(published, tmp_path):
    """A site's sources where decoding was measured on the reader's machine, too."""
    record = published[f"{MINE}/decoding"]
    made = rendered(published)
    made |= exhibits.local_tables(values_of({record.key: record}), lambda origin: {})
    return folder_with(tmp_path, published | {"local/decoding": record}, made)


def decoding(root: Path) -> ElementTree.Element:
    return shown((root / "docs/tables/decoding.md").read_text("utf-8"), "decoding", root)


def test_the_readers_own_machine_gets_a_tab_without_proofs(own):
    body = decoding(own)
    labels = [text(label) for label in body.iter("label")]
    assert labels == [MINE, "This machine"]
    first, second = body.findall(".//div[@class='tabbed-block']")
    assert [text(cell) for cell in first.iter("td")] == [text(cell) for cell in second.iter("td")]
    assert second.find(".//a") is None
    assert "measured 20" in text(second.find("p"))


def test_a_local_table_with_other_columns_is_not_shown(own):
    file = own / "docs/tables/local/decoding.json"
    file.write_text(json.dumps(json.loads(file.read_bytes()) | {"columns": ["device", "x"]}))
    assert list(decoding(own).iter("label")) == []


@pytest.mark.parametrize("name", ["models", "hardware"])
def test_other_tables_stay_as_they_are(name, published, tmp_path):
    root = folder_with(tmp_path, {}, made := rendered(published))
    source = made[f"tables/{name}.md"].decode()
    (table,) = shown(source, name, root).findall("table")
    rows = source.partition("\n\n")[0].splitlines()[2:]
    assert len(table.findall("tbody/tr")) == len(rows)
    assert text(table.find("thead/tr/th")) == source.split("|")[1].strip()
