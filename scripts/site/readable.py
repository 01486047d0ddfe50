"""A formula as a line of text, for the search: `3,350 GB/s / 16 GB = 209 tokens/s`."""

import re
from xml.etree.ElementTree import Element, fromstring

INVISIBLE = str.maketrans({"\u2061": " ", "\u2062": "", "\u2063": "", "\u2064": "", "\u200b": ""})
SPACED = frozenset("=≈<>≤≥≪≫+−·×⋅→∈∼±")
OPENING = ("", "(", "[", "{", "|", "‖", ",", ";")


def readable(markup: str) -> str:
    """The MathML inside a typeset formula, written in one line."""
    start, end = markup.index("<math"), markup.index("</math>") + len("</math>")
    line = _line(fromstring(markup[start:end].replace("&nbsp;", "\xa0")))
    return re.sub(r"(?<=[(\[]) | (?=[)\],;])", "", " ".join(line.split()))


def _line(node: Element) -> str:
    parts = [_line(child) for child in node]
    match node.tag, parts:
        case "mfrac", [above, below]:
            return f"{_group(above)} / {_group(below)}"
        case "msup" | "mover", [base, upper]:
            return f"{base}^{_group(upper)}"
        case "msub" | "munder", [base, lower]:
            return f"{base}_{_group(lower)}"
        case "msubsup" | "munderover", [base, lower, upper]:
            return f"{base}_{_group(lower)}^{_group(upper)}"
        case "mroot", [inside, degree]:
            return f"{_group(inside)}^(1/{degree})"
        case "msqrt", _:
            return f"√({''.join(parts)})"
        case "mtr", _:
            return " ".join(parts) + "; "
        case "mspace", _:
            return " "
        case "mo", _:
            return _operator(node)
        case _, []:
            return (node.text or "").translate(INVISIBLE)
        case _:
            return _row(node, parts)


def _row(node: Element, parts: list[str]) -> str:
    line = ""
    for child, part in zip(node, parts, strict=True):
        unary = part == " − " and line.rstrip()[-1:] in OPENING
        function = child.tag == "mi" and len(part) > 1
        line += "−" if unary else f" {part}" if function else part
    return line


def _operator(node: Element) -> str:
    text = (node.text or "").translate(INVISIBLE)
    if text in SPACED and text:
        return f" {text} "
    return f"{text} " if text in (",", ";") else text


def _group(line: str) -> str:
    line = line.strip()
    return f"({line})" if " " in line.replace("\xa0", "") else line
