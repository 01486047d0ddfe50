"""A hook of MkDocs: formulas are typeset when the site is built, so that no page loads a math engine.

Until a page's HTML is complete, each formula stands in it as a line of text, which is what the search
indexes. Then the text gives way to MathJax's CommonHTML, with MathML for screen readers.
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.utils import write_file

from scripts.core.cache import Cache
from scripts.site.readable import readable
from scripts.site.stylesheet import stylesheet
from scripts.site.typeset import ROOT, Formula, Typeset, typeset, unreadable

FOLDER = "assets/formulas"
# As pymdownx.arithmatex writes them: \(...\) in a span, \[...\] in a div.
WRITTEN = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)
PENDING = re.compile(r'<(span|div) class="arithmatex" data-formula="(\d+)">.*?</\1>', re.DOTALL)

_shown: list[Typeset] = []  # the formulas of the site that is being built, in order


def on_env(env: object, *, config: MkDocsConfig, files: Files) -> None:
    """Typeset the formulas of all pages, whose Markdown has been turned into HTML by now."""
    cache = Cache(ROOT / ".cache")
    pages = [file.page for file in files.documentation_pages() if file.page]
    places = [(page, formula) for page in pages for formula in _written(page)]
    known = typeset([formula for _, formula in places], cache)
    faults = [
        str(unreadable(*_place(page, formula), formula, known[formula].error))
        for page, formula in places
        if known[formula].error
    ]
    if faults:
        raise PluginError("\n".join(faults))
    _shown[:] = known.values()
    numbers = {formula: number for number, formula in enumerate(known)}
    for page in pages:
        page.content = WRITTEN.sub(lambda match: _pending(match, numbers), page.content or "")
    for name, data in stylesheet(_shown, cache).items():
        write_file(data, str(Path(config.site_dir) / FOLDER / name))
    cache.save(prune=True)


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Put the typeset formulas where their text stands."""
    return PENDING.sub(
        lambda match: f'<{match[1]} class="arithmatex">{_shown[int(match[2])].markup}</{match[1]}>',
        output,
    )


def _written(page: Page) -> Iterator[Formula]:
    for match in WRITTEN.finditer(page.content or ""):
        yield _formula(match)


def _formula(match: re.Match[str]) -> Formula:
    return html.unescape(match[3]).strip(), match[2] == "["


def _pending(match: re.Match[str], numbers: dict[Formula, int]) -> str:
    number = numbers[_formula(match)]
    text = html.escape(readable(_shown[number].markup), quote=False)
    return f'<{match[1]} class="arithmatex" data-formula="{number}">{text}</{match[1]}>'


def _place(page: Page, formula: Formula) -> tuple[str, int]:
    """The file and line of a formula; the page's name alone where a table that it embeds holds it."""
    source = Path(page.file.abs_src_path or "").read_text(encoding="utf-8")
    before, found, _ = source.partition(formula[0])
    return f"docs/{page.file.src_uri}", before.count("\n") + 1 if found else 0
