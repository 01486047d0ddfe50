"""What the search reads: each section of the site's pages as [place, page, title, text].

scripts/site/finish.py has it written to assets/search.json, which docs/assets/js/search.js fetches once
somebody reaches for the search.
"""

from html.parser import HTMLParser

HEADINGS = ("h1", "h2", "h3")
UNREAD = ("script", "style", "button")
Section = tuple[str, str, str, str]


def sections(url: str, article: str) -> list[Section]:
    """The sections of a page, from its article's HTML. `url` is the page's, below the site."""
    reader = _Reader()
    reader.feed(article)
    title = reader.found[1][1] if len(reader.found) > 1 else ""
    return [
        (f"{url}#{place}" if place and number > 1 else url, title, own, " ".join(text.split()))
        for number, (place, own, text) in enumerate(reader.found)
        if own or text.strip()
    ]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[list[str]] = [["", "", ""]]
        self.heading = False
        self.unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = dict(attrs)
        if tag in HEADINGS:
            self.found.append([held.get("id") or "", "", ""])
            self.heading = True
        elif tag in UNREAD or held.get("class") == "headerlink":
            self.unread += 1
        elif tag not in ("a", "span", "em", "strong", "code", "sub", "sup"):
            self.found[-1][2] += " "

    def handle_endtag(self, tag: str) -> None:
        if tag in HEADINGS:
            self.heading = False
        elif self.unread and (tag in UNREAD or tag == "a"):
            self.unread -= 1

    def handle_data(self, data: str) -> None:
        if not self.unread:
            self.found[-1][1 if self.heading else 2] += data
