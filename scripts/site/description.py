"""A hook of MkDocs: a page describes itself to search engines by how its text begins."""

import re

from bs4 import BeautifulSoup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

LONGEST = 160  # characters that result lists show
SENTENCE = re.compile(r"(?<=[.?!]) ")


def on_page_content(content: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Give the theme a description; without one it takes the site's."""
    if found := description(content):
        page.meta["description"] = found
    return content


def description(html: str) -> str:
    """The first sentences of a page's first paragraph, as many as are shown; "" without one."""
    paragraph = BeautifulSoup(html, "html.parser").select_one("p:not(.lead, .assumed)")
    text = " ".join(paragraph.get_text().split()) if paragraph else ""
    said = ""
    for sentence in SENTENCE.split(text):
        if said and len(said) + 1 + len(sentence) > LONGEST:
            break
        said = f"{said} {sentence}".strip()
    return said
