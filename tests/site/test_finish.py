"""The pass over finished pages, on a site of two pages, and a page of each kind of content."""

import json
import re
from pathlib import Path

import pytest

from scripts.core.cache import Cache
from scripts.core.faults import BadInput
from scripts.site.finish import VIEWPORT, _article, description, finish
from scripts.site.search import sections

ROOT = Path(__file__).parents[2]
PAGE = f"""<html><head>{VIEWPORT}<title>A - B</title></head><body><header></header><article>
<h1 id="a">A</h1><p>One <a>209 tokens/s</a>
here. Two.</p><h2 id="b">Bee<a class="headerlink" href="#b">¶</a></h2>
<p>It is <span class="arithmatex">\\(2 + 2 = 4\\)</span>.</p></article></body></html>"""
LIVE = '<div class="live"><a data-written="80" title="cited: h100_sxm.memory in GB">80</a></div>'
LONG = "Does it fit? " + "It fits. " * 30


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    for name, page in {"": PAGE, "a/b/": PAGE.replace("</article>", LIVE + "</article>")}.items():
        (site / name).mkdir(parents=True, exist_ok=True)
        (site / name / "index.html").write_text(page)
    (site / "assets/js").mkdir(parents=True)
    (site / "assets/js/x.js").write_text("// a comment\nlet  a = 1;\n")
    return site


def test_a_page_has_its_policy_description_formulas_and_what_it_computes_with(site: Path) -> None:
    finish(site, ROOT, Cache(site.parent / "cache"))
    home, inner = ((site / name / "index.html").read_text("utf-8") for name in ("", "a/b"))
    for page in (home, inner):
        (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
        assert policy.startswith("default-src 'self'; ")
        assert "unsafe" not in policy
        assert '<meta name="description" content="One 209 tokens/s here. Two.">' in page
        assert "<mo>+</mo><mn>2</mn><mo>=</mo><mn>4</mn></math></mjx-assistive-mml>" in page
        assert "\\(" not in page
    assert "form" not in home.partition("<body>")[2]
    assert '<form class="choice"' in inner
    assert '<link rel="arithmetic" href="../../assets/arithmetic/a/b.js">' in inner
    assert "export" in (site / "assets/arithmetic/a/b.js").read_text("utf-8")
    assert (site / "assets/js/x.js").read_text() == "let a=1;"
    assert "mjx-math" in (site / "assets/formulas/formulas.css").read_text("utf-8")
    found = json.loads((site / "assets/search.json").read_text("utf-8"))
    assert [place for place, *_ in found] == ["a/b/", "a/b/#b", "", "#b"]
    assert found[-1] == ["#b", "A", "Bee", "It is 2 + 2 = 4.", ""]


def test_a_formula_that_tex_cannot_read_is_named(site: Path) -> None:
    (site / "index.html").write_text(PAGE.replace("2 + 2", r"\fraq{2}"))
    with pytest.raises(BadInput, match=r"TeX cannot read .*fraq"):
        finish(site, ROOT, Cache(site.parent / "cache"))


@pytest.mark.parametrize(
    ("article", "said"),
    [
        ('<h1>T</h1><p class="lead">9 min</p><p>Why?</p>', "Why?"),
        ("<h1>T</h1><pre>x</pre>", ""),
        (f"<p>{LONG}</p>", "Does it fit?" + " It fits." * 16),
        ("<p>" + "word " * 60 + "end. More.</p>", "word " * 60 + "end."),
    ],
)
def test_a_description_is_how_the_text_begins(article: str, said: str) -> None:
    assert description(f"<article>{article}</article>") == said


def test_tables_are_in_boxes_and_programs_have_buttons() -> None:
    page = (
        "<table><tr><td>1</td></tr></table>"
        '<pre><span></span><code><span class="n">x</span> <span class="mi">1</span></code></pre>'
        '<table class="other"></table>'
    )
    assert _article(page) == (
        '<div class="wide" tabindex="0" role="group" aria-label="Table">'
        "<table><tr><td>1</td></tr></table></div>"
        '<pre><button class="copy" type="button">copy</button>'
        '<code>x <span class="mi">1</span></code></pre><table class="other"></table>'
    )


def test_a_page_is_searched_by_its_sections() -> None:
    article = (
        "<h1 id='t'>Title</h1><p>One<br>two.</p><h3 id='s'>A <em>part</em></h3>"
        "<table><tr><td>3</td><td>4</td></tr></table><pre><button>copy</button>x</pre>"
    )
    assert sections("p/", article, ROOT) == [
        ("p/", "Title", "Title", "One two.", ""),
        ("p/#s", "Title", "A part", "3 4 x", ""),
    ]


def test_sections_are_asked_for_by_the_terms_of_their_page(tmp_path: Path) -> None:
    page = tmp_path / "docs/reference/glossary.md"
    page.parent.mkdir(parents=True)
    page.write_text("---\nterms:\n  a: [alpha]\n  of-b: [beta, b]\n---\n\n# A\n")
    article = '<h1 id="a">A</h1><p id="of-b"><strong>B, bee.</strong> A letter.</p>'
    assert sections("reference/glossary/", article, tmp_path) == [
        ("reference/glossary/", "A", "A", "", "alpha"),
        ("reference/glossary/#of-b", "A", "B, bee", "A letter.", "beta, b"),
    ]
    with pytest.raises(BadInput, match=r"glossary.md:4: terms .*: of-b\n.*did you mean a\?"):
        sections("reference/glossary/", '<h1 id="a">A</h1>', tmp_path)
    page.write_text("---\nsearch: {exclude: true}\n---\n\n# A\n")
    assert sections("reference/glossary/", article, tmp_path) == []
