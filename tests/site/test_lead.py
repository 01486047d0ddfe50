"""What stands below a chapter's title."""

from pathlib import Path

import pytest

from scripts.core.files import read_text
from scripts.site import lead

ROOT = Path(__file__).parents[2]
PAGE = '<title>{} - Book</title><article><h1 id="a">A title</h1>\n<p>One two three.</p></article>'


def test_a_chapter_says_how_long_it_is_and_what_it_builds_on(tmp_path: Path) -> None:
    chapters = {"01-first": "", "02-second-one": "", "03-third": "needs: [first, second-one]\n"}
    (tmp_path / lead.CHAPTERS).mkdir(parents=True)
    for name, front in chapters.items():
        source = f"---\n{front}---\n# A title\n" if front else "# A title\n"
        (tmp_path / lead.CHAPTERS / f"{name}.md").write_text(source)
    titles = {name: f"Chapter {name}" for name in chapters}
    pages = {f"chapters/{name}/": PAGE.format(title) for name, title in titles.items()}
    lines = lead.leads(pages | {"reference/third/": PAGE.format("Third")}, tmp_path)
    minutes = '<a href="../../reference/how-we-measure/#reading-time">1 min</a>'
    assert lines.keys() == pages.keys()
    assert lines["chapters/01-first/"] == (
        f'<p class="lead">{minutes} · needs no chapter before it</p>'
    )
    assert lines["chapters/03-third/"] == (
        f'<p class="lead">{minutes} · builds on <a href="../01-first/">Chapter 01-first</a> and '
        '<a href="../02-second-one/">Chapter 02-second-one</a></p>'
    )


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
    assert f'[pace]: #cite "brysbaert2019: abstract = {lead.WORDS_PER_MINUTE} / 60"' in text
