"""A sample of the mutants in tests/mutants.py; `make test-all` tries every one."""

import random
from collections import Counter

import pytest

from tests import mutants


@pytest.fixture(scope="module")
def every_mutant() -> list[mutants.Mutant]:
    return list(mutants.all_mutants())


def sample(found: list[mutants.Mutant], kind: str, count: int) -> list[mutants.Mutant]:
    of_kind = [mutant for mutant in found if mutant.kind == kind]
    return random.Random(kind).sample(of_kind, min(count, len(of_kind)))


def test_there_are_mutants_of_every_kind(every_mutant: list[mutants.Mutant]) -> None:
    counts = Counter(mutant.kind for mutant in every_mutant)
    assert set(counts) == {"output", "number", "formula", "record", "constant", "operator"}
    assert min(counts.values()) > 50, counts


@pytest.mark.parametrize("kind", ["output", "number", "formula", "record"])
def test_a_changed_page_or_record_is_noticed(every_mutant: list[mutants.Mutant], kind: str) -> None:
    assert mutants.survivors_on_pages(sample(every_mutant, kind, 20)) == []


@pytest.mark.parametrize("kind", ["constant", "operator"])
def test_a_changed_snippet_is_noticed(every_mutant: list[mutants.Mutant], kind: str) -> None:
    assert mutants.survivors_in_snippets(sample(every_mutant, kind, 6), workers=1) == []
