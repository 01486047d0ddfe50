"""The checklist: every fact that the first chapters must carry stands there as a proven number."""

import re
from functools import cache
from pathlib import Path

import pytest

import snippets
from scripts.core.files import read_text
from scripts.handbook import this_book as told
from scripts.proof import bibliography
from scripts.proof.evaluate import Evaluator
from scripts.proof.namespace import names_of
from scripts.proof.numbers import check_definitions
from scripts.proof.page import Page
from scripts.proof.parse import parse_page
from scripts.records import record as records

ROOT = Path(__file__).parents[1]
CHAPTERS = {
    path[14:].partition("-")[0]: path for path in told.page_paths(ROOT) if "/chapters/" in path
}

# chapter, kind (None: any), value in base units, what it is
NUMBERS: list[tuple[str, str | None, float, str]] = [
    ("01", "calc", 140e9, "Llama 3.1 70B in FP16"),
    ("01", None, 23, "mantissa bits of FP32"),
    ("01", None, 10, "mantissa bits of FP16"),
    ("01", None, 7, "mantissa bits of BF16"),
    ("01", None, 8, "exponent bits of FP32 and BF16"),
    ("01", None, 5, "exponent bits of FP16"),
    ("01", "calc", 7.2247, "decimal digits of FP32"),
    ("01", "calc", 3.3113, "decimal digits of FP16"),
    ("01", "calc", 2.4082, "decimal digits of BF16"),
    ("01", None, 65504, "largest finite FP16"),
    ("01", None, 3.4028e38, "largest finite FP32"),
    ("02", "calc", 16, "bytes per parameter of mixed-precision Adam"),
    ("02", "calc", 1120e9, "70B at 16 bytes"),
    ("02", "record", 16.19, "recorded, FP32"),
    ("02", "record", 16.05, "recorded, mixed precision"),
    ("02", None, 34, "the 34 of 34 s b h"),
    ("02", "record", 0.949, "recorded activations over the formula"),
    ("03", "cite", 3350e9, "H100 SXM memory bandwidth"),
    ("03", "cite", 989e12, "H100 SXM dense FP16"),
    ("03", "calc", 16e9, "8B in FP16"),
    ("03", "calc", 209.375, "decode ceiling"),
    ("03", "calc", 295.22, "balance point per byte"),
    ("03", "calc", 590.45, "balance point per two-byte parameter"),
    ("03", "record", 333e9, "recorded copy"),
    ("03", "record", 1.57e-3, "recorded matrix times vector"),
    ("03", "record", 341e9, "recorded matrix times vector, bytes/s"),
    ("03", "record", 0.34e12, "recorded matrix times vector, operations/s"),
    ("03", "record", 27.7e12, "recorded matrix times 4,096 vectors"),
    ("03", None, 81.47, "how many times as much"),
    ("03", None, 16384, "rows of the matrix"),
    ("04", None, 16384, "GPUs of Llama 3.1 405B"),
    ("04", None, 8, "tensor split"),
    ("04", None, 16, "pipeline stages"),
    ("04", None, 128, "data copies"),
    ("04", "cite", 0.41, "model FLOP utilisation"),
    ("04", None, 900e9, "NVLink of an H100, both directions"),
    ("05", "calc", 255, "levels of 8 bits"),
    ("05", "calc", 15, "levels of 4 bits"),
    ("05", "calc", 0.5, "bits per weight of the scale"),
    ("05", "calc", 4.5, "bits per weight of INT4 in groups of 32"),
    ("05", "calc", 39.375e9, "70B at 4.5 bits"),
    ("05", None, 1.207959552e9, "weights in the 96 matrices"),
    ("05", None, 287744, "tokens of WikiText-2"),
    ("05", "record", 13, "outliers in standard deviations"),
    *(("05", "record", loss, "loss, one scale per group") for loss in
      (2.5805, 2.5806, 2.5858, 2.5975, 2.6565, 3.1589, 11.045)),
    *(("05", "record", loss, "loss, one scale per matrix") for loss in
      (2.6002, 3.2172, 5.3017, 10.692, 10.445, 21.347)),
]  # fmt: skip

# chapter, bibliography key, place in it ("" for the work itself)
WORKS = [
    ("01", "kalamkar2019", ""),
    ("02", "micikevicius2018", ""),
    ("02", "kingma2015", ""),
    ("02", "rajbhandari2020", "section 3.1"),
    ("02", "korthikanti2022", ""),
    ("03", "h100_sxm.dense_fp16", "1,979 TFLOPS with sparsity"),
    ("04", "huang2019", ""),
    ("04", "shoeybi2019", ""),
    ("04", "llama2024", "table 4"),
    ("04", "llama2024", "section 6.1"),
    ("05", "dettmers2022", ""),
    ("05", "frantar2023", ""),
]

# chapter, what its code prints
PRINTED = [
    ("01", "280"),
    ("01", "140"),
    ("01", "70"),
    ("01", "35"),
    ("02", r"1,?120"),
    ("03", "209 tokens/s"),
    ("05", r"0\.006"),
    ("05", r"0\.100"),
    ("05", r"0\.792"),
    ("05", "19%"),
    ("05", "84%"),
]


@cache
def evaluator() -> Evaluator:
    entries = bibliography.read_bibliography(ROOT / told.BIBLIOGRAPHY)
    return Evaluator(names_of(snippets), records.read_all(ROOT), entries)


@cache
def parts(chapter: str) -> list[Page]:
    """The chapter and the tables that it embeds."""
    path = CHAPTERS[chapter]
    page = parse_page(path, read_text(ROOT / path))
    tables = [name for _, name in page.embeds if not name.endswith("-references.md")]
    return [page, *(parse_page(name, read_text(ROOT / name)) for name in tables)]


@cache
def proven(chapter: str) -> list[tuple[str, str, float | None]]:
    """(kind, expression, value) of every proven number of a chapter."""
    found = []
    for page in parts(chapter):
        checked, _ = check_definitions(page, evaluator())
        used = {reference.label for reference in page.references}
        found += [
            (one.definition.kind, one.definition.expression, one.value)
            for label, one in checked.items()
            if label in used
        ]
    return found


@pytest.mark.parametrize(("chapter", "kind", "value", "what"), NUMBERS)
def test_a_number_is_proven(chapter: str, kind: str | None, value: float, what: str) -> None:
    assert any(
        number is not None
        and abs(number - value) <= 5e-4 * abs(value)
        and (kind in (None, of) or (kind == "record" and "record(" in expression))
        for of, expression, number in proven(chapter)
    ), f"chapter {chapter} does not prove {what}"


@pytest.mark.parametrize(("chapter", "key", "place"), WORKS)
def test_a_work_is_cited(chapter: str, key: str, place: str) -> None:
    expected = f"{key}: {place}" if place else key
    assert any(
        kind == "cite" and expression.startswith(expected)
        for kind, expression, _ in proven(chapter)
    )


@pytest.mark.parametrize(("chapter", "text"), PRINTED)
def test_the_code_prints_it(chapter: str, text: str) -> None:
    printed = [p.output.body for page in parts(chapter) for p in page.printed if p.output]
    assert re.search(text, "\n".join(printed))
