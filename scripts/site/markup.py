"""What MathJax writes, made ready for a page: no style attributes, and line breaks where they belong."""

import re
from collections.abc import Callable, Sequence
from xml.etree.ElementTree import Element, fromstring, tostring

UNREAD = ("data-latex", "data-mjx-texclass", "texclass", "unselectable")
RELATIONS = frozenset("=≈<>≤≥≪≫∈≠∼→")
Starts = Callable[[list[Element], int], bool]  # whether the break at an index starts a part
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")


def clean(markup: str, *, display: bool) -> tuple[str, list[str]]:
    """(markup, style rules) for a page whose Content-Security-Policy allows no style attribute.

    A displayed formula breaks between its statements first, then before its relations, and only then
    before other operators. No formula breaks within brackets or before the power of ten of a number.
    """
    root = fromstring(markup.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', ""))
    root.attrib = {"jax": "CHTML"}
    rules: dict[str, None] = {}
    for element in root.iter():
        for name in UNREAD:
            element.attrib.pop(name, None)
        if style := element.attrib.pop("style", ""):
            own = _class_for(style)
            rules[f"mjx-container .{own} {{\n  {style}\n}}"] = None
            element.set("class", f"{element.get('class', '')} {own}".lstrip())
        if display and element.tag == "math":
            element.set("display", "block")
        if element.get("breakable") or element.get("inline-breaks"):
            _mend_breaks(element)
    if display and (row := root.find(".//mjx-mstyle[@inline-breaks]")) is not None:
        row[:] = _wrap(list(row), (_starts_statement, _starts_relation, _starts_term))
    return tostring(root, encoding="unicode", method="html"), list(rules)


def _class_for(style: str) -> str:
    """A class that says its style: "vertical-align: -0.25em;" gives "vertical-align_-0_25em"."""
    return re.sub(r"[^a-z0-9-]+", "_", style.lower()).strip("_")


def _mend_breaks(row: Element) -> None:
    """Make breaks within brackets, and within a number's power of ten, the space that they stand for."""
    kept: list[Element] = []
    depth = 0
    children = list(row)
    for index, child in enumerate(children):
        text, following = _text(child), children[index + 1 : index + 3]
        within_number = [_text(each)[:2] for each in following] == ["×", "10"]
        if child.tag == "mjx-break" and (depth > 0 or within_number) and following:
            if size := child.get("size", "0").strip("0"):
                following[0].set("space", size)
            continue
        if child.tag == "mjx-mo":
            depth += (text in OPENING) - (text in CLOSING)
        kept.append(child)
    row[:] = kept


def _wrap(children: list[Element], levels: Sequence[Starts]) -> list[Element]:
    """The parts of a row in boxes that move to the next line before they are broken themselves.

    MathJax's own breaks would put the lines of a centred formula off their centre.
    """
    if not levels:
        return children
    parts: list[list[Element]] = [[]]
    for index, child in enumerate(children):
        if child.tag == "mjx-break" and parts[-1] and levels[0](children, index):
            parts.append([])
        parts[-1].append(child)
    if len(parts) == 1:
        return _wrap(children, levels[1:])
    wrapped: list[Element] = []
    for part in parts:
        box = Element("mjx-part")
        if part[0].tag == "mjx-break":
            wrapped.append(Element("wbr"))
            if size := part.pop(0).get("size", "0").strip("0"):
                box.set("space", size)
        if levels[0] is _starts_statement:
            box.attrib = {"class": "statement"}  # its margins stand for the space between
            part = [child for child in part if not _is_wide_space(child)]
        box[:] = _wrap(part, levels[1:])
        wrapped.append(box)
    return wrapped


def _starts_statement(children: list[Element], index: int) -> bool:
    return any(_is_wide_space(each) for each in children[index - 1 : index + 2 : 2])


def _is_wide_space(element: Element) -> bool:
    return element.tag == "mjx-mspace" and element.get("class") in ("width_1em", "width_2em")


def _starts_relation(children: list[Element], index: int) -> bool:
    return index + 1 < len(children) and _text(children[index + 1]) in RELATIONS


def _starts_term(children: list[Element], index: int) -> bool:
    return index + 1 < len(children) and children[index + 1].tag == "mjx-mo"


def _text(element: Element) -> str:
    return "".join(element.itertext())
