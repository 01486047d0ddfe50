import pytest

from scripts.core.cache import Cache
from scripts.proof.parse import parse_page
from scripts.site import typeset as module
from scripts.site.readable import readable
from scripts.site.typeset import ROOT, SCRIPT, _ask, check_formulas, typeset

CEILING = r"\frac{3{,}350\ \text{GB/s}}{16\ \text{GB}} = 209\ \text{tokens/s}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def test_a_formula_becomes_commonhtml_with_mathml(folder):
    cache = Cache(folder)
    ((formula, made),) = typeset([(CEILING, True)], cache).items()
    cache.save()
    assert formula == (CEILING, True)
    assert made.error == ""
    assert made.markup.startswith('<mjx-container jax="CHTML"><mjx-math')
    assert 'aria-hidden="true"' in made.markup  # screen readers read the MathML instead
    assert '<math display="block">' in made.markup
    assert " style=" not in made.markup
    assert r"\frac" not in made.markup
    assert readable(made.markup) == "3,350 GB/s / 16 GB = 209 tokens/s"
    assert any(rule.startswith("mjx-mfrac {") for rule in made.rules)


def test_what_is_known_is_not_typeset_again(folder, monkeypatch):
    before = typeset([(CEILING, True)], Cache(folder))
    asked = []
    monkeypatch.setattr(module, "_ask", asked.append)
    assert typeset([(CEILING, True), (CEILING, True)], Cache(folder)) == before
    assert asked == []


def test_one_process_sets_all_that_is_new_and_inline_differs_from_displayed(folder, monkeypatch):
    asked, ask = [], module._ask
    monkeypatch.setattr(module, "_ask", lambda formulas: asked.append(formulas) or ask(formulas))
    made = typeset([("a", False), ("b", False), ("a", True), ("a", False)], Cache(folder))
    assert asked == [[("a", False), ("b", False), ("a", True)]]
    assert made["a", False].markup != made["a", True].markup


def test_a_formula_that_tex_cannot_read_has_a_place_and_a_remedy(tmp_path):
    source = "Text.\n\nA $\\frac{a$ and\n$b$ and $\\sqrd{2}$.\n\n$$\n\\mathfrak{A}\n$$\n"
    cache = Cache(tmp_path)
    faults = check_formulas({"docs/a.md": parse_page("docs/a.md", source)}, cache)
    assert [(fault.path, fault.line) for fault in faults] == [
        ("docs/a.md", 3),
        ("docs/a.md", 4),
        ("docs/a.md", 6),
    ]
    assert faults[0].message == r"TeX cannot read $\frac{a$: Missing close brace"
    assert faults[1].message == r"TeX cannot read $\sqrd{2}$: Undefined control sequence \sqrd"
    assert faults[1].remedy == "correct its TeX"
    assert "'fraktur' failed to load" in faults[2].message
    assert "third_party/mathjax/README.md" in faults[2].remedy


@pytest.mark.parametrize(
    ("used", "tex", "written"),
    [
        ("a row says where its lines may break", r"\displaystyle a = b + c", " inline-breaks="),
        ("a place to break says how wide it is", r"\displaystyle a = b + c", "<mjx-break size="),
        ("an operator is an mjx-mo", "a + b", "<mjx-mo "),
        ("a style is an attribute", r"\frac{1}{2}", ' style="'),
        ("MathML for screen readers is inside", "a", "<mjx-assistive-mml "),
    ],
)
def test_mathjax_still_writes_what_the_pages_are_made_of(used, tex, written):
    """None of this is documented: after an update it says which part of markup.py to look at."""
    (made,) = _ask([(tex, False)])["formulas"]
    assert written in made["markup"], f"no more: {used}"


@pytest.mark.parametrize("name", ["chtmlStyles", "clearCache", "styleSheet"])
def test_mathjax_still_has_what_its_stylesheet_is_asked_with(name):
    source = (ROOT / SCRIPT).read_text("utf-8")
    assert f"output.{name}" in source
    mathjax = "".join(
        p.read_text("utf-8") for p in (ROOT / "third_party/mathjax").rglob("*chtml*.js")
    )
    assert name in mathjax, f"{SCRIPT} uses output.{name}, which MathJax has no more"
