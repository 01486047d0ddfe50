"""The numbers of a page against what is behind them."""

import pytest

import snippets
from scripts.proof.evaluate import Evaluator
from scripts.proof.namespace import names_of
from scripts.proof.numbers import (
    apply_edits,
    check_definitions,
    check_references,
    split_unit,
    unused_definitions,
)
from scripts.proof.parse import parse_page

EVALUATOR = Evaluator(names_of(snippets), {}, {"zero2020": {"year": "2020"}})


def check(source: str) -> tuple[list[str], str]:
    page = parse_page("p.md", source)
    assert not page.faults
    checked, faults = check_definitions(page, EVALUATOR)
    more, edits = check_references(page, checked)
    return [fault.message for fault in faults + more], apply_edits(source, edits)


def test_a_right_number_passes() -> None:
    assert check('[209 tokens/s][c]\n\n[c]: #calc "3.35e12 / 16e9"')[0] == []


def test_a_stale_number_is_mended_in_place() -> None:
    (message,), mended = check(
        'a [3,35 x][c] b [about 208 tokens/s][c]\n\n[c]: #calc "209.375"'.replace("3,35 x", "209")
    )
    assert message == "208 should be 209: 209.375 is 209.375"
    assert mended.startswith("a [209][c] b [about 209 tokens/s][c]")


def test_the_unit_of_a_definition() -> None:
    assert split_unit("h100_sxm.memory in GiB") == ("h100_sxm.memory", "GiB")
    assert check('[80][m]\n\n[m]: #cite "h100_sxm.memory in GiB"')[0] == []
    assert (
        "no unit is called 'GBs'" in check('[80][m]\n\n[m]: #cite "h100_sxm.memory in GBs"')[0][0]
    )


@pytest.mark.parametrize(
    ("text", "expression", "message"),
    [
        ("Rajbhandari et al. 2020", "zero2020", ""),
        ("Rajbhandari et al. 2021", "zero2020", "does not show '2020'"),
        ("section 3.1", "zero2020: section 3.1", ""),
        ("section 3.2", "zero2020: section 3.1", "does not show 'section 3.1'"),
        ("section 3.12", "zero2020: section 3.1", "does not show 'section 3.1'"),
        ("Rajbhandari et al. 2020, section 3.1", "zero2020: section 3.1", ""),
        ("Rajbhandari et al. 2019, section 3.1", "zero2020: section 3.1", "does not prove"),
        ("7.5 billion", "zero2020: figure 1 = 7.5e9", ""),
        ("7.4 billion", "zero2020: figure 1 = 7.5e9", "7.4 should be 7.5"),
    ],
)
def test_citations(text: str, expression: str, message: str) -> None:
    found, _ = check(f'[{text}][z]\n\n[z]: #cite "{expression}"')
    assert found == [] if not message else message in found[0]


def test_a_definition_that_nothing_uses() -> None:
    page = parse_page("p.md", '[1][a]\n\n[a]: #calc "1"\n[b]: #calc "2"\n[c]: #calc "3"')
    faults = unused_definitions(page, {"c"})
    assert [(fault.line, fault.message) for fault in faults] == [
        (4, "[b] is defined but no number or formula uses it")
    ]


@pytest.mark.parametrize(
    ("text", "expression", "faulty"),
    [
        ("400 Gbit/s", "400e9", True),
        ("50 GB/s", "400e9 / 8", True),
        ("1,979 TFLOP/s", "1979e12", True),
        ("450 GB/s", "h100_sxm.link_bandwidth", False),
        ("4,096 tokens", "4096", False),
        ("1 GiB", "2**30", False),
        ("10 tokens/s", "10", False),
    ],
)
def test_a_rate_that_an_expression_only_repeats_is_no_proof(
    text: str, expression: str, faulty: bool
) -> None:
    messages, _ = check(f'[{text}][c]\n\n[c]: #calc "{expression}"')
    assert bool(messages) is faulty
    assert all("fact about the world" in message for message in messages)
