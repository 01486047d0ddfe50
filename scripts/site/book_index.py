"""The index of the printed book: words that people look for, and the sheets on which they are explained.

`scripts/book.py` takes the words from what the search of the site reads (scripts/site/search.py): the
entries of the glossary, and the terms of every page's front matter; `bind` prints them.
"""

import html
import json
import re
from collections.abc import Container, Mapping
from pathlib import Path

from scripts.core.files import read_text
from scripts.site.search import GLOSSARY

QUESTION = re.compile(r"(?:how|what|which|why|will|does)\b", re.IGNORECASE)  # typed, not looked up
SENTENCE_CASE = re.compile(r"^[A-Z](?=[a-z])")
Index = dict[str, list[tuple[str, str]]]  # word to (address of a page, id of a place on it)


def read_index(site: Path, pages: Container[str]) -> Index:
    """The words of a built site for the pages that a book holds, in the order of the alphabet."""
    told = json.loads(read_text(site / "assets/search.json", name="site/assets/search.json"))
    index: Index = {}
    for address, _, title, text, terms in told:
        url, _, fragment = address.partition("#")
        if url not in pages:
            continue
        words = terms.split(", ") if terms else []
        if url == GLOSSARY and fragment and text:  # an entry, no heading over some
            words += [
                SENTENCE_CASE.sub(lambda first: first[0].lower(), word)
                for word in title.split(", ")
            ]
        for word in words:
            if not QUESTION.match(word):
                index.setdefault(word, []).append((url, fragment))
    return dict(sorted(index.items(), key=lambda entry: entry[0].casefold()))


def index_part(
    index: Index, places: Mapping[tuple[str, str], str], sheets: Mapping[str, int]
) -> str:
    """The HTML of the index. `places` gives each place its id in the book, `sheets` an id its sheet."""
    entries = ""
    for word, where in index.items():
        links = ", ".join(
            f'<a href="#{places[each]}">{sheets.get(places[each], "")}</a>' for each in where
        )
        entries += f"<li>{html.escape(word)} {links}</li>"
    return f'<section class="part"><h1>Index</h1><ul class="index">{entries}</ul></section>'
