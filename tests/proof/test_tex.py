"""TeX arithmetic, checked against values worked out by hand."""

import pytest

from scripts.proof.statements import holds, statements
from scripts.proof.tex import Symbolic, evaluate_side


@pytest.mark.parametrize(
    ("tex", "value"),
    [
        (r"70\times10^9 \cdot 2", 1.4e11),
        (r"1{,}120\ \text{GB}", 1.12e12),
        (r"\frac{3{,}350\ \text{GB/s}}{16\ \text{GB}}", 209.375),
        (r"\log_{10} 2^{24}", 7.224719895935548),
        (r"\log_2 1024", 10),
        (r"2^{4-1} - 1", 7),
        (r"-3 + 5(2 + 1)", 12),
        (r"\sqrt{2} \cdot \sqrt{8}", 4),
        (r"10^12", 20),
        (r"\left(\frac{1}{2}\right)^3", 0.125),
        (r"\lceil 7 / 2 \rceil", 4),
        (r"80\ \text{GiB}", 80 * 2**30),
        (r"\frac{16\ \text{bits}}{32\ \text{weights}}", 0.5),
        (r"50\,\%", 0.5),
        (r"2\ \text{B/parameter} \cdot 3\ \text{parameters}", 6),
    ],
)
def test_values(tex: str, value: float) -> None:
    assert evaluate_side(tex).value == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    "tex",
    [
        r"70\times10^9 \cdot 2\ \text{B} = 1.4\times10^{11}\ \text{B} = 140\ \text{GB}",
        r"\frac{989\times10^{12}}{3.35\times10^{12}} \approx 295",
        r"\frac{989\times10^{12}}{3.35\times10^{12}} = 295.2 \approx 295",
        r"\begin{aligned} 2 + 2 + 4 &= 8 \\ &= 16 / 2 \end{aligned}",
        r"2^{-12} < \tfrac{1}{4000} < 2^{-11}",
        r"8\ \text{h} \cdot 2 = 57{,}600\ \text{s}",
        r"32 \ge 4 \cdot 8",
        r"8.03\times10^9 \cdot 2\ \text{B} = 16.06\ \text{GB} > 12\ \text{GiB} = 12.88\ \text{GB}",
    ],
)
def test_true_statements(tex: str) -> None:
    assert all(holds(statement) for statement in statements(tex))


@pytest.mark.parametrize(
    "tex",
    [
        r"70\times10^9 \cdot 2 = 1.5\times10^{11}",
        r"70\times10^9 \cdot 2 = 140\ \text{GB}",
        r"71\times10^9 \cdot 2 = 1.4\times10^{11} = 140\times10^9",
        r"2 + 2 = 4.1",
        r"3 < 3",
        r"4 \le 3",
        r"5 = 4 = 4",
        r"1 / 0 = 1 / 0",
        r"x = 6 = 209",
        r"\frac{\beta}{W} = \frac{16\ \text{GB}}{3{,}350\ \text{GB/s}} = 209",
        r"80\ \text{GB} = 80\ \text{GB/s}",
        r"16\ \text{GB} = 16\ \text{GFLOP}",
        r"16\ \text{GB} = 16\ \text{Gbit}",
        r"8\ \text{h} \cdot 2 = 16\ \text{s}",
        r"2 \cdot 4 = 8\ \text{thousand}",
        r"2\ \text{B} + 2\ \text{s} = 4\ \text{B}",
        r"8 > x > 9",
    ],
)
def test_false_statements(tex: str) -> None:
    assert not all(holds(statement) for statement in statements(tex))


@pytest.mark.parametrize("tex", [r"34 s b h", r"\sum_i x_i", r"2 +", r"\mathbb{R}"])
def test_what_has_no_value_says_so(tex: str) -> None:
    with pytest.raises(Symbolic):
        evaluate_side(tex)


def test_letters_take_their_bindings() -> None:
    assert evaluate_side(r"2^{b-1} - 1", {"b": 4}).value == 7
    assert evaluate_side(r"\frac{K-1}{M+K-1}", {"K": 4, "M": 8}).value == pytest.approx(3 / 11)
    assert evaluate_side(r"x_{\max} + \ell", {r"x_{\max}": 3, r"\ell": 4}).value == 7
