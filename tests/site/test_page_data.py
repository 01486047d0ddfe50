"""What pages offer beside what is rendered: their own tables' data, and a note for every number."""

import csv
import io
import json
from pathlib import Path

import pytest

from scripts.handbook.lab_source import parse_source
from scripts.handbook.ledger import anchor
from scripts.handbook.this_book import page_paths
from scripts.site import page_data
from scripts.site.page_tables import named_tables

ROOT = Path(__file__).parents[2]


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made() -> dict[str, bytes]:
    return page_data.files(ROOT)


def test_a_table_that_stands_in_a_page_has_its_data(made: dict[str, bytes]) -> None:
    names = {
        name
        for path in page_paths(ROOT)
        for name in named_tables(parse_source(path, read(path)), Path(path).stem)
    }
    assert "index/predicted-beside-measured" in names
    for name in {*names, "ledger"}:
        rows = json.loads(made[f"data/tables/{name}.json"])["rows"]
        table = list(csv.reader(io.StringIO(made[f"data/tables/{name}.csv"].decode())))
        assert len(table) - 1 == len(rows) > 0
        assert name == "ledger" or any("origin" in cell for row in rows for cell in row)


def test_every_number_of_every_page_has_a_note(made: dict[str, bytes]) -> None:
    for path in page_paths(ROOT):
        pages = [parse_source(path, read(path))]
        embeds = [name for _, name in pages[0].embeds if (ROOT / name).is_file()]
        pages += [parse_source(name, read(name)) for name in embeds]
        used = [page.definitions[each.label] for page in pages for each in page.references]
        if used:
            name = Path(path).relative_to("docs").with_suffix("").as_posix()
            notes = json.loads(made[f"data/notes/{name}.json"])
            assert all(notes[anchor(each.kind, each.expression)] for each in used)


def test_what_this_machines_site_alone_shows_has_its_data(tmp_path: Path) -> None:
    folder = tmp_path / "docs/tables/local"
    folder.mkdir(parents=True)
    table = "| result | this machine |\n| --- | --- |\n| `a` | 1 |\n"
    (folder / "this-machine.md").write_text(f"## one\n\n{table}\n## two\n\n{table}")
    found = page_data.written_tables(tmp_path)
    assert list(found) == ["local/this-machine", "local/this-machine-2"]
    assert found["local/this-machine"].csv().decode().splitlines()[0] == "result,this machine"
