"""What the search reads: each section of the site's pages as [place, page, title, text, terms].

scripts/site/finish.py has it written to assets/search.json, which docs/assets/js/search.js fetches once
somebody reaches for the search. An entry of the glossary is a section of its own. A page's front matter
says by what other words people ask for its sections, which stand under the ids of their headings:

    terms:
      the-cache-by-design: [KV cache size, GQA, MLA]
"""

import difflib
from html.parser import HTMLParser
from pathlib import Path

import yaml

from scripts.core.faults import BadInput
from scripts.core.files import read_text
from scripts.handbook.front import FRONT

HEADINGS = ("h1", "h2", "h3")
UNREAD = ("script", "style", "button")
INLINE = ("a", "span", "em", "strong", "code", "sub", "sup")
GLOSSARY = "reference/glossary/"
Section = tuple[str, str, str, str, str]


def sections(url: str, article: str, root: Path) -> list[Section]:
    """The sections of a page at `url` of a site, from its article's HTML; its source is below `root`.

    A page whose front matter says so has none. Raises BadInput for terms of a section that is not there.
    """
    path = f"docs/{url.rstrip('/') or 'index'}.md"
    source = read_text(root / path) if (root / path).exists() else ""  # a lab has no front matter
    front = FRONT.match(source)
    held = yaml.safe_load(front["yaml"]) or {} if front else {}
    if "search" in held:
        return []
    terms: dict[str, list[str]] = held.get("terms", {})
    reader = _Reader(entries=url == GLOSSARY)
    reader.feed(article)
    places = [place for place, *_ in reader.found if place]
    for stray in terms.keys() - places:
        line = source.partition(f"\n  {stray}:")[0].count("\n") + 2
        near = difflib.get_close_matches(stray, places, 1, 0) or ["the id of a heading"]
        raise BadInput(
            path, line, f"terms of a section that is not there: {stray}", f"did you mean {near[0]}?"
        )
    title = reader.found[1][1] if len(reader.found) > 1 else ""
    return [
        (
            f"{url}#{place}" if place and number > 1 else url,
            title,
            own.rstrip("."),
            " ".join(text.split()),
            ", ".join(terms.get(place, [])),
        )
        for number, (place, own, text) in enumerate(reader.found)
        if own or text.strip()
    ]


class _Reader(HTMLParser):
    """Collects [place, title, text]. Of a glossary, each paragraph with an id is an entry, titled in bold."""

    def __init__(self, *, entries: bool) -> None:
        super().__init__()
        self.found: list[list[str]] = [["", "", ""]]
        self.entries = entries
        self.titled = ""  # the tag in which a title is read
        self.unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = dict(attrs)
        if tag in HEADINGS:
            self.found.append([held.get("id") or "", "", ""])
            self.titled = tag
        elif self.entries and tag == "p" and held.get("id"):
            self.found.append([held["id"] or "", "", ""])
        elif self.entries and tag == "strong" and not self.found[-1][1]:
            self.titled = tag
        elif tag in UNREAD or held.get("class") == "headerlink":
            self.unread += 1
        elif tag not in INLINE:
            self.found[-1][2] += " "

    def handle_endtag(self, tag: str) -> None:
        if tag == self.titled:
            self.titled = ""
        elif self.unread and (tag in UNREAD or tag == "a"):
            self.unread -= 1

    def handle_data(self, data: str) -> None:
        if not self.unread:
            self.found[-1][1 if self.titled else 2] += data
