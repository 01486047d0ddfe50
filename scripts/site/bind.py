"""Bind the pages of the built site into one document whose links lead from page to page within it."""

import html
from collections.abc import Mapping, Sequence
from datetime import date
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup, Tag

from scripts.site.book_index import Index, index_part

HOST = "http://book/"  # stands for the site's own address while it is being bound
USELESS_ON_PAPER = ".headerlink, .copy, .assumed .change, script, noscript, form, link"
ID_LISTS = ("aria-labelledby", "aria-describedby", "for")


def bind(
    pages: Mapping[str, str],
    *,
    title: str,
    description: str,
    read: date,
    published_at: str,
    stylesheets: Sequence[str],
    sheets: Mapping[str, int],
    index: Index | None = None,
) -> str:
    """One HTML document of a built site's pages, given by address below the site, in order.

    What a page links to becomes a place in the book; what the book does not hold becomes a link to
    `published_at`, or plain text where that is "". `sheets` has the sheets of places, by their ids in
    the book, as far as they are known, for the table of contents and the index. Raises ValueError for a
    page without text.
    """
    parts = {url: _part(url, source, pages, published_at) for url, source in pages.items()}
    rows = "".join(
        f'<li><a href="#{place(url)}">{html.escape(_title(part))}</a>'
        f"<span>{sheets.get(place(url), '')}</span></li>"
        for url, part in parts.items()
    )
    styles = "".join(f'<link rel="stylesheet" href="{HOST}{sheet}">' for sheet in stylesheets)
    body = "".join(
        f'<section class="part" id="{place(url)}">{part.decode_contents()}</section>'
        for url, part in parts.items()
    )
    places = {each: place(*each) for where in (index or {}).values() for each in where}
    where = f"<p>{html.escape(published_at)}</p>" if published_at else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title>{styles}</head>"
        "<body><article>"
        f'<section class="cover"><p class="title">{html.escape(title)}</p>'
        f"<p>{html.escape(description)}</p>{where}<p>{read.isoformat()}</p></section>"
        f'<section class="part"><h1>Contents</h1><ol class="sheets">{rows}</ol></section>'
        f"{body}{index_part(index, places, sheets) if index else ''}</article></body></html>"
    )


def place(url: str, fragment: str = "") -> str:
    """The id, in the book, of a page of the site or of something in it."""
    page = url.strip("/").replace("/", "-") or "home"
    return f"{page}--{fragment}" if fragment else page


def _part(url: str, source: str, pages: Mapping[str, str], published_at: str) -> Tag:
    article = BeautifulSoup(source, "html.parser").select_one("article")
    if article is None or article.h1 is None:
        raise ValueError(f"site/{url} has no article with a title: build the site again")
    for useless in article.select(USELESS_ON_PAPER):
        useless.decompose()
    for line in article.select(".assumed"):  # its dot led to the button
        line.string = line.get_text().rstrip(" ·")
    for element in article.find_all(True):
        if named := element.get("id"):
            element["id"] = place(url, str(named))
        for attribute in ID_LISTS:
            if listed := element.get(attribute):
                names = listed if isinstance(listed, list) else str(listed).split()
                element[attribute] = " ".join(place(url, name) for name in names)
        if shown := element.get("src"):
            element["src"] = urljoin(HOST + url, str(shown))
        if "loading" in element.attrs:
            del element["loading"]  # nobody scrolls to it
    for link in article.find_all("a", href=True):
        _lead(link, url, pages, published_at)
    return article


def _lead(link: Tag, url: str, pages: Mapping[str, str], published_at: str) -> None:
    """Let a link lead to its place in the book, to the site, or nowhere."""
    target = urljoin(HOST + url, str(link["href"]))
    if not target.startswith(HOST):
        return
    below, fragment = urlsplit(target).path.lstrip("/"), urlsplit(target).fragment
    if below in pages:
        link["href"] = "#" + place(below, fragment)
    elif published_at:
        link["href"] = urljoin(published_at, target.removeprefix(HOST))
    else:
        link.unwrap()


def _title(part: Tag) -> str:
    return part.h1.get_text().strip() if part.h1 else ""
