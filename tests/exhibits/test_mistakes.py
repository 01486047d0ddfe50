"""Every mistake is one."""

import pytest

from scripts.exhibits.mistakes import read_mistakes
from tests.rendered import values_of


def test_there_are_twenty_mistakes_and_each_is_one() -> None:
    mistakes, calc = read_mistakes(), values_of({}).calc
    assert len(mistakes) >= 20
    for each in mistakes:
        assert calc(each["tempting"]) != pytest.approx(calc(each["right"]), rel=4e-3), each["asked"]
