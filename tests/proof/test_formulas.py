"""Digits in math are sensitive or grounded; formulas with letters agree with snippets."""

import re

import pytest

import snippets
from scripts.proof.evaluate import Evaluator
from scripts.proof.formulas import check_formulas
from scripts.proof.grounds import grounding_labels
from scripts.proof.namespace import names_of
from scripts.proof.numbers import Checked
from scripts.proof.page import Definition
from scripts.proof.parse import parse_page

EVALUATOR = Evaluator(names_of(snippets), {}, {})


def proven(**values: float) -> dict[str, Checked]:
    return {
        label: Checked(Definition(label, "calc", str(value), 1), value, "", "", "")
        for label, value in values.items()
    }


def messages(source: str, names: tuple[str, ...] = (), **values: float) -> list[str]:
    page = parse_page("p.md", source)
    assert not page.faults
    return [fault.message for fault in check_formulas(page, EVALUATOR, proven(**values), names)]


def test_a_true_and_sensitive_equation_passes() -> None:
    assert not messages(r"$70\times10^9 \cdot 2 = 140\times10^9$")


def test_a_false_equation_shows_its_sides() -> None:
    page = parse_page("p.md", r"$2 \cdot 3 = 7$")
    (fault,) = check_formulas(page, EVALUATOR, {})
    assert "is not true" in fault.message
    assert r"2 \cdot 3 is 6" in fault.remedy


def test_a_digit_that_rounding_hides_must_be_grounded() -> None:
    equation = r"$$\frac{989\times10^{12}}{3.35\times10^{12}} \approx 295$$"
    (message,) = messages(equation)
    assert r"989\times10^{12}" in message
    assert not messages(equation, peak=989e12)
    assert messages(equation, peak=988e12)


def test_a_unit_grounds_its_literal() -> None:
    equation = r"$$\frac{3{,}350\ \text{GB/s}}{16\ \text{GB}} = 209\ \text{tokens/s}$$"
    assert messages(equation)
    assert not messages(equation, bandwidth=3.35e12, weights=16e9)


def test_a_lone_number_must_be_grounded() -> None:
    assert messages("$34 s b h$")
    assert not messages("$34 s b h$", terms=34)
    page = parse_page("p.md", "$34 s b h$")
    assert grounding_labels(page, proven(terms=34, other=35)) == {"terms"}


def test_subscripts_and_words_are_names() -> None:
    assert not messages(r"$W_1 + w_{12} + \text{FP16}$", names=("FP16",))


LEVELS = '\n\n[f]: #formula "q_{\\max} = largest_level(b)"'


def test_a_symbolic_formula_agrees_with_its_function() -> None:
    assert not messages(r"$$q_{\max} = 2^{b-1} - 1$$" + LEVELS)


def test_arguments_can_be_named_and_constant() -> None:
    formula = (
        r"$$A = 34 s b h$$"
        '\n\n[f]: #formula "A = layer_activation_bytes(tokens=s, sequences=b, width=h)"'
    )
    assert not messages(formula)
    assert messages(formula.replace("34", "35"))
    assert (
        "as the function names it"
        in check_formulas(parse_page("p.md", formula.replace("width=h", "wdith=h")), EVALUATOR, {})[
            0
        ].remedy
    )


def test_a_narrow_domain_is_tried_often_enough() -> None:
    assert not messages('$B = 2^{e-1} - 1$\n\n[f]: #formula "B = exponent_bias(e)"')


@pytest.mark.parametrize(
    "tex", [r"q_{\max} = 2^{b-1} - 2", r"q_{\max} = 2^{b-2} - 1", r"q_{\max} = 3^{b-1} - 1"]
)
def test_a_symbolic_formula_that_differs_is_a_fault(tex: str) -> None:
    (message,) = messages(f"$${tex}$${LEVELS}")
    assert "is not true" in message


@pytest.mark.parametrize(
    ("tex", "fault"),
    [
        (r"\frac{W}{g} = \frac{16\ \text{GB}}{2\ \text{GB/s}} = 8\ \text{s}", "nothing checks"),
        (r"\frac{W}{g} = \frac{16\ \text{GB}}{2\ \text{GB/s}} = 9\ \text{s}", "is not true"),
        (r"x = h / h", "nothing checks"),
        (r"M \le 4K", "nothing checks"),
    ],
)
def test_letters_that_no_function_checks(tex: str, fault: str) -> None:
    assert fault in messages(f"${tex}$", four=4.0, bytes=16e9, rate=2e9)[0]
    left = re.split("=|\\\\le", tex)[0].strip()
    unchecked = messages(f'${tex}$\n\n[f]: #unchecked "{left}"', four=4.0, bytes=16e9, rate=2e9)
    assert unchecked == [] if fault == "nothing checks" else unchecked


def test_a_left_side_of_letters_is_compared_as_well() -> None:
    formula = r"$\frac{b}{W} = \frac{16\ \text{GB/s}}{2\ \text{GB}} = 8\ \text{tokens/s}$"
    defined = '\n\n[f]: #formula "\\frac{b}{W} = decode_ceiling(b, W)"'
    assert not messages(formula + defined, rate=16e9, bytes=2e9)
    swapped = formula.replace(r"{b}{W}", r"{W}{b}") + defined.replace(r"{b}{W}", r"{W}{b}")
    assert "is not true" in messages(swapped, rate=16e9, bytes=2e9)[0]


@pytest.mark.parametrize("tex", ["w = N c", "w = N b = b c", r"w = N \oplus b"])
def test_a_side_that_cannot_be_read_is_a_fault(tex: str) -> None:
    (message,) = messages(f'${tex}$\n\n[f]: #formula "w = weight_bytes(N, b)"')
    assert "cannot be compared" in message


@pytest.mark.parametrize(
    "tex", [r"\lim_{n\to17} n", r"\sum_{i=17}^{n} i", r"\sum\limits_{17} i", r"\max_{17} i"]
)
def test_a_number_below_a_limit_or_a_sum_is_no_name(tex: str) -> None:
    assert any("17" in message for message in messages(f"${tex}$"))
    assert not messages("$b_{17}$")


def test_a_negative_power_of_ten_is_sensitive() -> None:
    assert not messages(r"$2^{-24} = 5.96\times10^{-8}$")


def test_a_formula_definition_must_be_used_and_name_a_function() -> None:
    assert "no formula on this page" in messages("$x$" + LEVELS)[0]
    assert "is not of the form" in messages('$x$\n\n[f]: #formula "x = nothing(b)"')[0]


@pytest.mark.parametrize(
    "tex",
    [r"4{7} = 28", r"4\,7", r"4~7", r"{4}7", r"{4}{7}", r"47_{000}", r"4 7", r"4\quad 7"],
)
def test_numerals_side_by_side_are_a_fault(tex: str) -> None:
    assert any("reads as one number" in message for message in messages(f"${tex}$"))


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{4}{7}",
        r"\log_{10} 2",
        r"10^{9} \cdot 2",
        r"3{,}350\ \text{GB/s}",
        r"x_{2} + 1",
        r"2^{10} = 1{,}024",
        r"\left(\frac{15}{7}\right)^2",
    ],
)
def test_other_numerals_are_apart(tex: str) -> None:
    assert not any("reads as one number" in message for message in messages(f"${tex}$"))


def test_a_numeral_in_words_must_be_a_name() -> None:
    source = r"$47\ \text{of 48 GB}$"
    assert "'of 48 GB' in a formula holds a numeral" in messages(source)[0]
    assert not messages(r"$x_\text{FP16}$", names=("FP16",))
    assert messages(r"$x_\text{FP16}$")
    assert "'²' in a formula" in messages("$x²$")[0]


def test_an_equation_of_a_number_with_itself_says_nothing() -> None:
    assert any("equals itself" in message for message in messages("$99 = 99$"))
    assert any("equals itself" in message for message in messages(r"$3 \cdot 33 = 99 = 99$"))
    assert not messages(r"$3 \cdot 33 = 99$")
