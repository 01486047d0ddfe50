"""Expressions have a value or say why not, and what to do."""

from pathlib import Path

import pytest

import snippets
from scripts.proof.evaluate import Evaluator, Wrong
from scripts.proof.namespace import names_of
from scripts.records import record as records

ROOT = Path(__file__).parents[2]
EVALUATOR = Evaluator(
    names_of(snippets),
    records.read_all(ROOT),
    {"rajbhandari2020": {"year": "2020"}, "llama2024": {"year": "2024"}},
)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("weight_bytes(8e9, FP16.bytes)", 16e9),
        ("h100_sxm.memory_bandwidth / 16e9", 209.375),
        ("2**10 - 1", 1023),
        ("-min(3, 4) + max(5, 6)", 3),
        ("sum([1, 2, 3])", 6),
        ("record('rtx-3060-transcribed/bandwidth: copy.bytes_per_second')", 333e9),
    ],
)
def test_values(expression: str, value: float) -> None:
    assert EVALUATOR.calc(expression) == value


@pytest.mark.parametrize(
    ("expression", "message", "remedy"),
    [
        ("wieght_bytes(8e9, 2)", "nothing in snippets/ is called wieght_bytes", "weight_bytes"),
        ("h100_sxm.memory_bandwith", "has no memory_bandwith", "memory_bandwidth"),
        ("1 / 0", "divides by zero", "divisor"),
        ("weight_bytes(8e9)", "fails", "docstring"),
        ("weight_bytes(-1, 2)", "must be a positive number", "docstring"),
        ("h100_sxm", "is no number", "name a field"),
        ("h100_sxm.name", "is no number", "name a field"),
        ("1e308 * 10", "is not a finite number", "divided"),
        ("2**10**9", "too large", "smaller"),
        ("10**1000", "is not a finite number", "divided"),
        ("record(5)", "names no field", "path.to.field"),
        ("h100_sxm.sources.clear()", "not allowed here", "plain arithmetic"),
        ("'{0}'.format(1)", "not allowed here", "plain arithmetic"),
        ("len('a' * 10**10)", "only numbers", "fields"),
        ("1 +", "not an expression", "plain arithmetic"),
        ("(lambda: 1)()", "not allowed here", "plain arithmetic"),
        ("[x for x in (1, 2)]", "not allowed here", "plain arithmetic"),
        ("FP16.__class__", "not allowed here", "plain arithmetic"),
        (
            "record('rtx-3060-transcribed/bandwidht: copy')",
            "no published record",
            "rtx-3060-transcribed/bandwidth",
        ),
        ("record('rtx-3060-transcribed/bandwidth: cpoy.bytes')", "cpoy", "copy"),
        ("record('rtx-3060-transcribed/bandwidth')", "names no field", "path.to.field"),
    ],
)
def test_what_has_no_value(expression: str, message: str, remedy: str) -> None:
    with pytest.raises(Wrong, match=message.replace("(", r"\(")) as raised:
        EVALUATOR.calc(expression)
    assert remedy in raised.value.remedy


@pytest.mark.parametrize(
    ("expression", "value", "words"),
    [
        ("h100_sxm.memory_bandwidth", 3.35e12, ""),
        ("h100_sxm.dense_fp16: 1,979 TFLOPS", None, "1,979 TFLOPS"),
        ("rajbhandari2020", None, "2020"),
        ("rajbhandari2020: section 3.1", None, "section 3.1"),
        ("llama2024: table 4 = 16384", 16384, ""),
    ],
)
def test_citations(expression: str, value: float | None, words: str) -> None:
    assert EVALUATOR.cite(expression) == (value, words)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("rajbhandri2020", "nothing is called"),
        ("h101_sxm.memory", "nothing in snippets/ is called h101_sxm"),
        ("h100_sxm.name", "has no source"),
        ("h100_sxm.dense_fp16: 1,978 TFLOPS", "does not stand in its source"),
        ("weight_bytes.x", "is no registry entry"),
    ],
)
def test_what_cannot_be_cited(expression: str, message: str) -> None:
    with pytest.raises(Wrong, match=message):
        EVALUATOR.cite(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "+".join(["1"] * 20_000),
        "-" * 6000 + "1",
        "(" * 3000 + "1",
        "9" * 5000,
        "10.0**400",
        "2**1e9",
        "\ud800",
    ],
)
def test_no_expression_breaks_the_check(expression: str) -> None:
    with pytest.raises(Wrong):
        EVALUATOR.calc(expression)
