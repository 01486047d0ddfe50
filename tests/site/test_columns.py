"""Which columns of a table are of numbers."""

import pytest

from scripts.site.columns import aligned

TABLE = "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>{}</tbody></table>"


def table(*cells: str, look: str = "") -> str:
    rows = "".join(f"<tr><td>x</td><td{look}>{cell}</td></tr>" for cell in cells)
    return TABLE.format(rows).replace("<th>b", f"<th{look}>b")


@pytest.mark.parametrize(
    "cells",
    [
        ("1", "2,048", ""),
        ("−0.0007%", "8.1%"),
        ('<a class="proven" href="#p">209 tokens/s</a>', "at most 7.3 tokens/s"),
        ("3.40282e38", "1/6", "39?"),
        ("median 4.1%", "79% of"),
    ],
)
def test_a_column_of_numbers_stands_at_the_right(cells):
    assert aligned(table(*cells)) == table(*cells, look=' class="number"')


@pytest.mark.parametrize(
    "cells", [("1", "two"), ("", ""), ("FP16", "8"), ("70B on one card of", "1")]
)
def test_words_stay_at_the_left(cells):
    assert aligned(table(*cells)) == table(*cells)


def test_the_first_column_names_its_row():
    numbers = "<table><tbody><tr><td>1</td><td>2</td></tr></tbody></table>"
    assert aligned(numbers) == numbers.replace("<td>2", '<td class="number">2')
