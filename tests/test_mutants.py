"""A sample of the mutants in tests/mutants.py; `make test-all` tries every one."""

import functools
import hashlib
import heapq
from collections import Counter

import pytest

from tests import mutants

PROVEN = ["output", "number", "sign", "scale", "unit", "word", "record"]
PROVEN += ["formula", "formula unit", "formula operator"]


@pytest.fixture(scope="module")
def every_mutant() -> list[mutants.Mutant]:
    return list(mutants.all_mutants())


def sample(found: list[mutants.Mutant], kind: str, count: int) -> list[mutants.Mutant]:
    """Those with the least digests of what they change: the same ones while other lines change."""
    of_kind = [mutant for mutant in found if mutant.kind == kind]
    return heapq.nsmallest(count, of_kind, key=digest)


def digest(mutant: mutants.Mutant) -> bytes:
    source = source_of(mutant.path)
    around = source[max(mutant.start - 30, 0) : mutant.end + 30]
    return hashlib.sha256(f"{mutant.path} {around} {mutant.text}".encode()).digest()


@functools.cache
def source_of(path: str) -> str:
    return (mutants.ROOT / path).read_text(encoding="utf-8")


def test_there_are_mutants_of_every_kind(every_mutant: list[mutants.Mutant]) -> None:
    counts = Counter(mutant.kind for mutant in every_mutant)
    assert set(counts) >= {*PROVEN, "constant", "operator", *mutants.CLAIMS}
    assert min(counts.values()) > 10, counts


@pytest.mark.parametrize("kind", PROVEN)
def test_a_changed_page_or_record_is_noticed(every_mutant: list[mutants.Mutant], kind: str) -> None:
    assert mutants.survivors_on_pages(sample(every_mutant, kind, 8)) == []


@pytest.mark.thorough  # each runs the tests of its module
@pytest.mark.parametrize("kind", ["constant", "operator"])
def test_a_changed_snippet_is_noticed(every_mutant: list[mutants.Mutant], kind: str) -> None:
    assert mutants.survivors_in_snippets(sample(every_mutant, kind, 6), workers=1) == []


def test_a_page_without_a_change_has_no_fault(every_mutant: list[mutants.Mutant]) -> None:
    paths = sorted({mutant.path for mutant in every_mutant if mutant.kind == "number"})
    unchanged = [mutants.Mutant("number", path, 0, 0, "") for path in paths]
    assert len(mutants.survivors_on_pages(unchanged)) == len(paths)
