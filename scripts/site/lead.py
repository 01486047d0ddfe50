"""A hook of MkDocs: below a chapter's title, how long it takes to read and what it builds on.

A chapter names what it builds on in its front matter, by file names without their numbers:

    needs: [training-memory, bandwidth]
"""

from html.parser import HTMLParser

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from scripts.proof.front import chapter_name

CHAPTERS = "chapters/"
EXPLAINED = "reference/how-we-measure/#reading-time"
WORDS_PER_MINUTE = 238  # quoted and cited where EXPLAINED leads
# Looked up, or solved, or left for a second reading: not read from left to right.
NOT_PROSE = frozenset({"pre", "table", "details"})


def on_page_content(content: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the line below the title of a chapter. Raises PluginError for an unknown chapter."""
    if not page.file.src_uri.startswith(CHAPTERS):
        return content
    title, closing, rest = content.partition("</h1>")
    needs = [_linked(name, page, files) for name in page.meta.get("needs", [])]
    minutes = f'<a href="{get_relative_url(EXPLAINED, page.url)}">{reading_minutes(rest)} min</a>'
    built_on = f"builds on {' and '.join(needs)}" if needs else "needs no chapter before it"
    return f'{title}{closing}\n<p class="lead">{minutes} · {built_on}</p>{rest}'


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


def _linked(name: str, page: Page, files: Files) -> str:
    for file in files.documentation_pages():
        if file.src_uri.startswith(CHAPTERS) and chapter_name(file.src_uri) == name and file.page:
            title = file.page.title
            return f'<a href="{get_relative_url(file.url, page.url)}">{title}</a>'
    raise PluginError(
        f"docs/{page.file.src_uri}: needs {name!r}, and no chapter is called that. "
        "Write a chapter's file name without its number: needs: [training-memory]"
    )
