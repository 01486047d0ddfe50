from xml.etree import ElementTree

import pytest

from scripts.core.cache import Cache
from scripts.site.markup import clean
from scripts.site.readable import readable
from scripts.site.typeset import typeset

FORMULAS = {
    r"2^{b-1} - 1": "2^(b − 1) − 1",
    r"-q_{\max}": "−q_max",
    r"s = \frac{\max \lvert w \rvert}{q_{\max}}, \qquad q = \operatorname{clip}(w, -q, q)": (
        "s = max|w| / q_max, q = clip (w, −q, q)"
    ),
    r"70\times10^9 \cdot \frac{4.5\ \text{bit}}{8} = 39.4\ \text{GB}": (
        "70 × 10^9 ⋅ 4.5 bit / 8 = 39.4 GB"
    ),
    r"\frac{K-1}{M+K-1} \ge \sqrt{x}": "(K − 1) / (M + K − 1) ≥ √(x)",
    r"A = 34\,s\,b \cdot h": "A = 34 s b ⋅ h",
    r"\log_{10} 2^{24} < \sqrt[3]{y_i^2}": "log_10 2^24 < y_i^2^(1/3)",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    cache = Cache(tmp_path_factory.mktemp("cache"))
    return typeset([(tex, True) for tex in FORMULAS], cache)


@pytest.mark.parametrize("tex", FORMULAS)
def test_a_formula_reads_as_a_line_of_text(made, tex):
    assert readable(made[tex, True].markup) == FORMULAS[tex]


@pytest.mark.parametrize("tex", FORMULAS)
def test_a_displayed_formula_keeps_every_letter(made, tex):
    root = ElementTree.fromstring(made[tex, True].markup.replace("<wbr>", ""))
    shown = "".join("".join(part.itertext()) for part in root.iter("mjx-math"))
    for letter in set(FORMULAS[tex]) - set(" _^/(√)"):
        plain = shown.translate({ord(italic): roman for italic, roman in ITALIC.items()})
        assert letter in plain


ITALIC = {
    **{chr(0x1D44E + i): chr(ord("a") + i) for i in range(26)},
    **{chr(0x1D434 + i): chr(ord("A") + i) for i in range(26)},
    "\u210e": "h",
}


def parts(markup: str) -> list[str]:
    """What stands between the places where a displayed formula may break, at the outermost level."""
    root = ElementTree.fromstring(markup.replace("<wbr>", "<wbr/>"))
    row = root.find(".//mjx-mstyle")
    return ["".join(part.itertext()) for part in row if part.tag == "mjx-part"]


def test_a_displayed_formula_breaks_between_statements_then_before_relations(made):
    statements = parts(made[list(FORMULAS)[2], True].markup)
    assert [part[:2] for part in statements] == ["𝑠=", "𝑞="]
    sides = parts(made[list(FORMULAS)[3], True].markup)
    assert [part[:2] for part in sides] == ["70", "=3"]
    assert "×10" in sides[0]  # not broken before its power of ten
    products = parts(made[r"A = 34\,s\,b \cdot h", True].markup)
    assert [part[:1] for part in products] == ["𝐴", "="]  # a thin space parts no statements


def test_styles_become_classes_that_say_what_they_do():
    row = '<mjx-mi style="padding-top: -0.5em; color: red;" data-latex="x">x</mjx-mi>'
    markup, rules = clean(
        f"<mjx-container jax='CHTML' class='MathJax'>{row}</mjx-container>", display=False
    )
    own = "padding-top_-0_5em_color_red"
    assert markup == f'<mjx-container jax="CHTML"><mjx-mi class="{own}">x</mjx-mi></mjx-container>'
    assert rules == [f"mjx-container .{own} {{\n  padding-top: -0.5em; color: red;\n}}"]


def test_brackets_and_powers_of_ten_do_not_break():
    def row(*children: str) -> str:
        return f'<c><mjx-math breakable="true">{"".join(children)}</mjx-math></c>'

    gap, plus = '<mjx-break size="3"> </mjx-break>', "<mjx-mo>+</mjx-mo>"
    opening, closing, two = "<mjx-mo>(</mjx-mo>", "<mjx-mo>)</mjx-mo>", "<mjx-mn>2</mjx-mn>"
    markup, _ = clean(row(opening, two, gap, plus, two, closing, gap, plus, two), display=False)
    assert markup.count("mjx-break") == 2  # one: it opens and closes
    assert markup.index('<mjx-mo space="3">+') < markup.index("<mjx-break") < markup.rindex("+")
    times, ten = "<mjx-mo>×</mjx-mo>", "<mjx-msup>10</mjx-msup>"
    markup, _ = clean(row(two, gap, times, ten, gap, times, two), display=False)
    assert markup.count("mjx-break") == 2
    assert markup.index('<mjx-mo space="3">×') < markup.index("<mjx-break")
