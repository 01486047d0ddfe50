"""Below a chapter's title: how long it takes to read and what it builds on.

A chapter names what it builds on in its front matter, by file names without their numbers:

    needs: [training-memory, bandwidth]
"""

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path

import yaml

from scripts.core.files import read_text
from scripts.handbook.front import CHAPTERS, FRONT, chapter_name

EXPLAINED = "../../reference/how-we-measure/#reading-time"
WORDS_PER_MINUTE = 238  # quoted and cited where EXPLAINED leads
# Looked up, or solved, or left for a second reading: not read from left to right.
NOT_PROSE = frozenset({"pre", "table", "details"})
TITLE = re.compile(r"<title>(.*?) - ")


def leads(pages: Mapping[str, str], root: Path) -> dict[str, str]:
    """For each chapter, by its address, the line below its title."""
    chapters = {path.stem: path for path in sorted((root / CHAPTERS).glob("*.md"))}
    return {url: _line(pages, url, chapters) for stem in chapters if (url := _url(stem)) in pages}


def _line(pages: Mapping[str, str], url: str, chapters: Mapping[str, Path]) -> str:
    stem = url.split("/")[1]
    front = FRONT.match(read_text(chapters[stem]))
    needs = (yaml.safe_load(front["yaml"]) or {}).get("needs", []) if front else []
    by_name = {chapter_name(each): each for each in chapters}
    links = [
        f'<a href="../{by_name[name]}/">{title[1]}</a>'
        for name in needs
        if (title := TITLE.search(pages[_url(by_name[name])]))
    ]
    built_on = f"builds on {' and '.join(links)}" if links else "needs no chapter before it"
    article = pages[url].partition("</h1>")[2].partition("</article>")[0]
    minutes = f'<a href="{EXPLAINED}">{reading_minutes(article)} min</a>'
    return f'<p class="lead">{minutes} · {built_on}</p>'


def _url(stem: str) -> str:
    return f"chapters/{stem}/"


def reading_minutes(html: str) -> int:
    """The minutes that the prose of a page takes, without programs, tables and answers."""
    prose = _Prose()
    prose.feed(html)
    return -(-len(prose.words) // WORDS_PER_MINUTE)


class _Prose(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.inside = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside += tag in NOT_PROSE

    def handle_endtag(self, tag: str) -> None:
        self.inside -= tag in NOT_PROSE

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.words += data.split()
