"""What a reader gets of a page: its HTML, walked into blocks of pieces.

`pieces_of(html)` is called by the judge of rendered pages (scripts/proof/judge.py). Text, shown or spoken
attributes, proven numbers, formulas and code come back in reading order; nothing is left out but
comments, addresses and names of classes.
"""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Literal

Kind = Literal["text", "proven", "formula", "code", "block", "attribute"]
PROVEN = ("#calc", "#cite", "#record")
# Elements within a line of text; all others begin a block.
INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "i", "img", "ins"),
        *(
            "kbd",
            "mark",
            "q",
            "s",
            "samp",
            "small",
            "span",
            "strong",
            "sub",
            "sup",
            "u",
            "var",
            "wbr",
        ),
    )
)
UNSEEN = frozenset(
    (
        *("href", "src", "id", "class", "markdown", "rel", "target", "width", "height", "type"),
        *("colspan", "rowspan", "data-name", "download"),
    )
)
ALIGNED = ("text-align: left;", "text-align: right;", "text-align: center;")


@dataclass
class Piece:
    """Something that a reader sees: of a proven number, `target` is (kind, expression)."""

    kind: Kind
    text: str
    target: tuple[str, str] = ("", "")


@dataclass
class _Open:
    """An element that is not closed yet, whose text is gathered as one piece."""

    tag: str
    kind: Kind
    target: tuple[str, str] = ("", "")
    depth: int = 0
    text: list[str] = field(default_factory=list)


def pieces_of(html: str) -> list[list[Piece]]:
    """The blocks of a page, each the pieces of a line of text."""
    walker = _Walker()
    walker.feed(html)
    walker.close()
    return [block for block in walker.blocks if block]


class _Walker(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[list[Piece]] = [[]]
        self.open: _Open | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        opened = self._opens(tag, given)
        if tag not in INLINE and self.open is None:
            self.blocks.append([])
        for name, value in given.items():
            if name in UNSEEN or (name == "style" and value in ALIGNED):
                continue
            if name == "title" and opened is not None and opened.kind == "proven":
                continue
            self.blocks.insert(-1, [Piece("attribute", value)])
        if self.open is not None:
            self.open.depth += tag == self.open.tag
        elif opened is not None:
            self.open = opened

    def handle_endtag(self, tag: str) -> None:
        if self.open is not None and tag == self.open.tag:
            if self.open.depth:
                self.open.depth -= 1
                return
            text = "".join(self.open.text)
            self._add(Piece(self.open.kind, text, self.open.target))
            self.open = None
        if self.open is None and tag not in INLINE:
            self.blocks.append([])

    def handle_data(self, data: str) -> None:
        if self.open is not None:
            self.open.text.append(data)
        else:
            self._add(Piece("text", data))

    def close(self) -> None:
        super().close()
        if self.open is not None:  # never closed: its text is read as any other
            self._add(Piece("text", "".join(self.open.text)))

    def _opens(self, tag: str, given: dict[str, str]) -> _Open | None:
        if tag == "a" and given.get("href") in PROVEN:
            return _Open(tag, "proven", (given["href"][1:], given.get("title", "").strip()))
        if tag in ("span", "div") and given.get("class") == "arithmatex":
            return _Open(tag, "formula")
        if tag == "pre":
            return _Open(tag, "block")
        return _Open(tag, "code") if tag == "code" else None

    def _add(self, piece: Piece) -> None:
        if piece.kind == "block":
            self.blocks += [[piece], []]
            return
        block = self.blocks[-1]
        if block and block[-1].kind == piece.kind == "text":
            block[-1].text += piece.text
        else:
            block.append(piece)
