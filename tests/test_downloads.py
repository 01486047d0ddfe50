"""What the site offers beside its pages: every table's data, and a note for every number."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from scripts import downloads
from scripts.proof.labs import parse_source
from scripts.proof.parse import parse_page
from scripts.proof.sync import page_paths
from scripts.site.provenance import anchor
from scripts.table_data import named_tables

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def made() -> dict[str, bytes]:
    return downloads.files(ROOT)


def test_every_table_has_its_data_in_both_forms(made: dict[str, bytes]) -> None:
    for path in sorted((ROOT / "docs/tables").glob("*.md")):
        source = path.read_text(encoding="utf-8")
        heads = len(re.findall(r"^\|[-: |]+\|$", source, re.MULTILINE))
        for number in range(1, heads + 1):
            name = path.stem if number == 1 else f"{path.stem}-{number}"
            table = list(csv.reader(io.StringIO(made[f"data/tables/{name}.csv"].decode())))
            whole = json.loads(made[f"data/tables/{name}.json"])
            assert len(table) - 1 == len(whole["rows"]) > 0
            assert {len(row) for row in whole["rows"]} == {len(whole["columns"])}


def test_a_table_that_stands_in_a_page_has_its_data_too(made: dict[str, bytes]) -> None:
    names = {
        name
        for path in page_paths(ROOT)
        for name in named_tables(
            parse_source(path, (ROOT / path).read_text(encoding="utf-8")), Path(path).stem
        )
    }
    assert "index/predicted-then-measured" in names
    for name in names:
        rows = json.loads(made[f"data/tables/{name}.json"])["rows"]
        table = list(csv.reader(io.StringIO(made[f"data/tables/{name}.csv"].decode())))
        assert len(table) - 1 == len(rows) > 0
        assert any("origin" in cell for row in rows for cell in row)


def test_every_proven_cell_carries_its_origin(made: dict[str, bytes]) -> None:
    page = parse_page("t", (ROOT / "docs/tables/bandwidth.md").read_text(encoding="utf-8"))
    rows = json.loads(made["data/tables/bandwidth.json"])["rows"]
    proven = [cell for row in rows for cell in row if "origin" in cell]
    assert [cell["written"] for cell in proven] == [each.text for each in page.references]
    assert {cell["origin"]["kind"] for cell in proven} == {"computed", "recorded", "cited"}
    assert next(c for c in proven if c["written"] == "333 GB/s")["value"] == 333e9


def test_every_number_of_every_page_has_a_note(made: dict[str, bytes]) -> None:
    for path in page_paths(ROOT):
        pages = [parse_source(path, (ROOT / path).read_text(encoding="utf-8"))]
        for _, name in pages[0].embeds:
            if (ROOT / name).is_file():
                pages.append(parse_page(name, (ROOT / name).read_text(encoding="utf-8")))
        used = [page.definitions[each.label] for page in pages for each in page.references]
        if used:
            name = Path(path).relative_to("docs").with_suffix("").as_posix()
            notes = json.loads(made[f"data/notes/{name}.json"])
            assert all(notes[anchor(each.kind, each.expression)] for each in used)
