"""The words of pages: each rule of docs/style.toml finds what it is for, and code is no prose."""

from pathlib import Path

import pytest

from scripts.core.faults import BadInput
from scripts.handbook.style import STYLE, Rules, check_style, read_rules
from scripts.proof.parse import parse_page

ROOT = Path(__file__).parents[2]
RULES = read_rules(ROOT)


def said(source: str, rules: Rules = RULES) -> list[tuple[int, str, str]]:
    found = check_style(parse_page("docs/p.md", f"# Title\n\n{source}\n"), rules)
    return [(fault.line, fault.message, fault.remedy) for fault in found]


@pytest.mark.parametrize(
    ("source", "found", "remedy"),
    [
        ("A card decodes for one reader.", "'for one reader'", "batch size"),
        ("Most for one\nreader.", "'for one reader'", "batch size"),
        ("Two copies of the model train.", "'copies of the model'", "replica"),
        ("It goes to the *nearest* mark.", "'nearest mark'", "quantization level"),
        ("Small gradients are flushed to zero.", "'flushed to zero'", "underflow"),
        ("Infinity, and results that are no number.", "'results that are no number'", "NaN"),
        ("## The time is spent reading", "'time is spent reading'", "memory-bound"),
        ("It writes at most [209 tokens/s](x.md).", "'writes at most'", "generate"),
        ("It writes some 40 tokens.", "'writes some 40 tokens'", "generate"),
        ("![Cards that talk](talk.svg)", "'talk'", "communicate"),
        ("Matrix products take longest.", "'Matrix products'", "matmul"),
        ("No setting helps.", "'No setting helps'", "which setting"),
        ("Note that a GB is less.", "'Note that'", "leave it out"),
    ],
)
def test_a_word_to_avoid_has_its_line_and_its_remedy(source, found, remedy):
    ((line, message, mend),) = said(source)
    assert (line, message) == (3, found)
    assert remedy in mend


@pytest.mark.parametrize(
    "source",
    [
        "The reader's card; its marks the dashed line marks; a copy of the batch.",
        "`for one reader` and\n\n```text\nfor one reader\n```",
        "[a link](for-one-reader.md)",
        "$\\text{for one reader}$",
        '[talk]: #calc "1"',
        "It reads two numbers and writes one.",
    ],
)
def test_what_is_no_prose_is_not_judged(source):
    allowed = [each for each in said(source) if "marks" not in each[1]]
    assert allowed == []


BARE = '[4.0 GB][a]{after}\n\n[a]: #calc "weight_bytes(8e9, INT4.bytes)"'


@pytest.mark.parametrize(
    ("after", "faults"),
    [(" of weights.", 1), (" without scales.", 0), (" without counting\nscales.", 0)],
)
def test_a_size_in_four_bits_names_its_convention(after, faults):
    found = said(BARE.format(after=after))
    assert len(found) == faults
    for line, message, remedy in found:
        assert (line, "[4.0 GB]" in message, "int4_g32" in remedy) == (3, True, True)


@pytest.mark.parametrize(
    "held",
    ["[[avoid]]\nwords = [", '[[avoid]]\nwords = ["a"]', '[[avoid]]\nwords = ["("]\ninstead = ""'],
)
def test_rules_that_cannot_be_read_are_named(tmp_path: Path, held):
    (tmp_path / "docs").mkdir()
    (tmp_path / STYLE).write_text(held)
    with pytest.raises(BadInput, match=r"docs/style\.toml: cannot be read"):
        read_rules(tmp_path)
