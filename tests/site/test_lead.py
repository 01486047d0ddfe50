"""What stands below a chapter's title."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from mkdocs.exceptions import PluginError

from scripts.core.files import read_text
from scripts.site import lead

ROOT = Path(__file__).parents[2]
PAGE = '<h1 id="a">A title</h1>\n<p>One two three.</p>'


def chapter(name: str, title: str, **meta):
    file = SimpleNamespace(src_uri=f"chapters/{name}.md", url=f"chapters/{name}/")
    file.page = SimpleNamespace(file=file, url=file.url, title=title, meta=meta)
    return file.page


def line(page, *others) -> str:
    files = SimpleNamespace(documentation_pages=lambda: [each.file for each in (page, *others)])
    html = lead.on_page_content(PAGE, page=page, config=None, files=files)
    title, _, rest = html.partition("\n")
    assert title == '<h1 id="a">A title</h1>'
    written, _, rest = rest.partition("\n")
    assert rest == "<p>One two three.</p>"
    return written


def test_a_chapter_says_how_long_it_is_and_what_it_builds_on():
    first, second = chapter("01-first", "The first"), chapter("02-second-one", "The second")
    third = chapter("03-third", "The third", needs=["first", "second-one"])
    minutes = '<a href="../../reference/how-we-measure/#reading-time">1 min</a>'
    assert line(third, first, second) == (
        f'<p class="lead">{minutes} · builds on <a href="../01-first/">The first</a> and '
        '<a href="../02-second-one/">The second</a></p>'
    )
    assert line(first) == f'<p class="lead">{minutes} · needs no chapter before it</p>'


def test_a_chapter_that_is_not_there_is_named():
    page = chapter("03-third", "The third", needs=["frist"])
    with pytest.raises(PluginError, match=r"docs/chapters/03-third\.md: needs 'frist'"):
        line(page, chapter("01-first", "The first"))


def test_other_pages_have_no_such_line():
    page = chapter("03-third", "The third")
    page.file.src_uri = "reference/third.md"
    assert lead.on_page_content(PAGE, page=page, config=None, files=None) == PAGE


@pytest.mark.parametrize(
    ("html", "minutes"),
    [
        ("<p>" + "word " * 238 + "</p>", 1),
        ("<p>" + "word " * 239 + "</p>", 2),
        ("<p>" + "word " * 238 + "</p><pre>x <b>y</b></pre><table><td>x</table>", 1),
        ("<details><p>" + "word " * 900 + "</p></details><p>" + "word " * 477 + "</p>", 3),
    ],
)
def test_only_prose_takes_time(html, minutes):
    assert lead.reading_minutes(html) == minutes


def test_the_pace_is_the_one_that_the_page_cites():
    text = read_text(ROOT / "docs/reference/how-we-measure.md", name="how-we-measure.md")
    assert f"[{lead.WORDS_PER_MINUTE} words per minute][pace]" in text
    assert f'[pace]: #cite "brysbaert2019: abstract = {lead.WORDS_PER_MINUTE}"' in text
