"""Every mistake is one."""

import pytest

import snippets
from scripts.exhibits.mistakes import MISTAKES
from scripts.proof.evaluate import Evaluator
from scripts.proof.namespace import names_of


def test_there_are_twenty_mistakes_and_each_is_one() -> None:
    assert len(MISTAKES) >= 20
    evaluator = Evaluator(names_of(snippets), {}, {})
    for mistake in MISTAKES:
        tempting = evaluator.calc(mistake.tempting)
        right = evaluator.calc(mistake.right)
        assert tempting != pytest.approx(right, rel=4e-3), mistake.asked
