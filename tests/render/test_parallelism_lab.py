"""The lab's tables prove themselves, and its figures are the same bytes every time."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from scripts.proof.evaluate import Evaluator
from scripts.proof.numbers import check_definitions, check_references, unused_definitions
from scripts.proof.parse import parse_page
from scripts.records.record import Record
from scripts.render import parallelism_lab, pipeline_charts
from snippets.pipeline_schedule import Task

ROOT = Path(__file__).parents[2]
TABLES = [
    *("llama-405b-plans", "parallelism-held", "parallelism-mesh", "parallelism-schedules"),
    *("parallelism-sent", "parallelism-tensor"),
]
FIGURES = [
    *("collectives", "pipeline-bubbles", "pipeline-timelines", "rank-layout"),
    *("where-the-peak-goes", "which-split"),
]


@pytest.fixture(scope="module")
def rendered(published: dict[str, Record]) -> dict[str, bytes]:
    return parallelism_lab.render(published)


def test_what_is_rendered(rendered: dict[str, bytes]) -> None:
    assert set(rendered) == {
        *(f"figures/{name}.{form}" for name in FIGURES for form in ("svg", "csv", "json")),
        *(f"tables/{name}.md" for name in TABLES),
    }


def test_the_same_records_give_the_same_bytes(
    published: dict[str, Record], rendered: dict[str, bytes]
) -> None:
    assert parallelism_lab.render(published) == rendered


@pytest.mark.parametrize("name", TABLES)
def test_every_number_of_a_table_proves_itself(
    name: str, published: dict[str, Record], rendered: dict[str, bytes]
) -> None:
    path = f"tables/{name}.md"
    page = parse_page(path, rendered[path].decode(), names=["1F1B", "FSDP2"])
    assert page.faults == []
    checked, faults = check_definitions(page, Evaluator(published, {}))
    assert faults == []
    assert check_references(page, checked) == ([], [])
    assert unused_definitions(page, set()) == []
    assert len(page.references) > 5
    assert all(label.startswith(f"t-{name}-") for label in page.definitions)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_text_on_nothing(name: str, rendered: dict[str, bytes]) -> None:
    tree = ElementTree.fromstring(rendered[f"figures/{name}.svg"].decode())
    assert tree.find(".//{http://www.w3.org/2000/svg}text") is not None


def test_a_record_that_is_missing_is_named(published: dict[str, Record]) -> None:
    fewer = {name: record for name, record in published.items() if "pipeline" not in name}
    with pytest.raises(KeyError, match="parallelism-pipeline"):
        parallelism_lab.render(fewer)


def test_charts_and_pages_draw_the_same_schedules() -> None:
    for schedule, (_, orders) in pipeline_charts.SCHEDULES.items():
        written = pipeline_charts.expression(schedule, 4, 8)
        found: list[list[Task]] = Evaluator({}, {}).evaluate(written)
        assert found == orders(4, 8)
