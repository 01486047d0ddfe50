"""The HTML of a page: which tag closes which, and what would not be read as it looks."""

from dataclasses import dataclass
from html.parser import HTMLParser

from scripts.core.faults import Fault
from scripts.proof.page import Page, Tag

VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})
BLOCKS = frozenset({"details", "div", "section"})


@dataclass(frozen=True)
class Element:
    """What stands between a tag and the one that closes it."""

    opening: Tag
    closing: Tag

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes of its tag; "" for those without a value."""
        return attributes(self.opening.text)

    def holds(self, offset: int) -> bool:
        """Whether an offset of the page lies in it."""
        return self.opening.end <= offset < self.closing.start


def attributes(tag: str) -> dict[str, str]:
    """The attributes of a tag, from its text."""
    found: dict[str, str] = {}

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.update((name, value or "") for name, value in attrs)

    Reader().feed(tag)
    return found


def elements(page: Page) -> list[Element]:
    """The elements of a page, without those that a fault leaves open."""
    return _paired(page)[0]


def check_tags(page: Page) -> list[Fault]:
    """The faults of tags that close nothing or are never closed, and of text kept from Markdown."""
    paired, faults = _paired(page)
    for element in paired:
        name = element.opening.name
        if name in BLOCKS and "markdown" not in element.attributes:
            faults += [
                Fault(
                    page.path,
                    element.opening.line,
                    f"[{reference.text}][{reference.label}] in this <{name}> would be no link",
                    f"write <{name} markdown>",
                )
                for reference in page.references
                if element.holds(reference.start)
            ][:1]
    return faults


def _paired(page: Page) -> tuple[list[Element], list[Fault]]:
    paired: list[Element] = []
    faults: list[Fault] = []
    opened: list[Tag] = []

    def left_open(tag: Tag) -> None:
        remedy = f"close it with </{tag.name}>"
        faults.append(Fault(page.path, tag.line, f"this <{tag.name}> is never closed", remedy))

    for tag in page.tags:
        if tag.name in VOID or tag.text.endswith("/>"):
            continue
        if not tag.text.startswith("</"):
            opened.append(tag)
        elif tag.name in {each.name for each in opened}:
            while opened[-1].name != tag.name:
                left_open(opened.pop())
            paired.append(Element(opened.pop(), tag))
        else:
            remedy = f"remove it, or write the <{tag.name}> that it belongs to"
            faults.append(Fault(page.path, tag.line, f"this </{tag.name}> closes nothing", remedy))
    for tag in opened:
        left_open(tag)
    return paired, faults
