"""Parse one Markdown page into what can be checked: fences, proven numbers, formulas, numerals.

The page is never turned into a tree. Each construct that has been understood is blanked out (same
length, so that every offset stays true); a numeral that is still there at the end has no provenance.
"""

import re
from collections.abc import Callable, Iterable

from scripts.proof.page import Definition, Fence, Formula, Page, Printed, Reference, Tag
from scripts.proof.patterns import (
    ATTRIBUTES,
    BARE_URL,
    CHANGES,
    CODE_SPAN,
    COMMENT,
    DEFINITION,
    DISPLAY_MATH,
    EMBED,
    FENCE,
    GLUED,
    HTML_TAG,
    INLINE_MATH,
    LINK_TARGET,
    LIST_MARKER,
    MATH_WORDS,
    NOT_STOCK,
    NUMERAL,
    REFERENCE,
    SHORTCUT,
    SHOWN,
    TAG_NAME,
)

KINDS = ("calc", "cite", "record", "formula")
LANGUAGES = (
    "python",
    "text",
    "bash",
    "console",
    "json",
    "toml",
    "yaml",
    "bibtex",
    "diff",
    "markdown",
)


def parse_page(path: str, source: str, *, names: Iterable[str] = ()) -> Page:
    """Parse a page. `names` are the exact names that may hold numerals (FP16, H100, ...).

    Nothing is raised: what is wrong with the page's form stands in `faults`.
    """
    page, names = Page(path, source), tuple(names)
    text = _blank_fences(page)
    text = _blank_definitions(page, text)
    text = _blank(COMMENT, text)
    text = _blank_embeds(page, text)
    text = _blank(CODE_SPAN, text)
    text = _blank_math(page, text)
    _judge_form_of_math(page, names)
    text = _blank_tags(page, text)
    for match in NOT_STOCK.finditer(text):
        page.fault(
            page.line_of(match.start()),
            f"{match[1]} is not stock Markdown: what it holds would not be checked",
            "use a heading, a quote or <details markdown>",
        )
    text = _blank_references(page, text)
    for pattern in (LINK_TARGET, BARE_URL, ATTRIBUTES):
        text = _blank(pattern, text)
    _find_numerals(page, _blank_list_markers(text), names)
    return page


def _blank(
    pattern: re.Pattern[str], text: str, keep: Callable[[re.Match[str]], bool] | None = None
) -> str:
    def blanks(match: re.Match[str]) -> str:
        if keep is not None and keep(match):
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return pattern.sub(blanks, text)


def _blank_fences(page: Page) -> str:
    kept: list[str] = []
    opening: tuple[str, str, int, int] | None = None  # marks, language, line, start of body
    offset = 0
    previous: Fence | None = None
    between = False  # has anything but blank lines come since the previous fence?
    for number, line in enumerate(page.source.splitlines(keepends=True), 1):
        match = FENCE.match(line.rstrip("\n"))
        after = offset + len(line)
        if opening is None and match is None:
            kept.append(line)
            between = between or bool(line.strip())
        else:
            kept.append(re.sub(r"[^\n]", " ", line))
        if match and opening is None:
            opening = (match[2], _language(page, number, match), number, after)
        elif match and opening and match[2].startswith(opening[0]) and not match[3].strip():
            _, language, first, start = opening
            fence = Fence(language, first, start, offset, page.source[start:offset])
            page.fences.append(fence)
            if language == "python":
                page.printed.append(Printed(fence, None))
            elif language == "text":
                if previous and previous.language == "python" and not between:
                    page.printed[-1] = Printed(previous, fence)
                else:
                    page.fault(
                        first,
                        "a text fence that no python fence prints",
                        "put it right after the python fence that prints it",
                    )
            previous, between, opening = fence, False, None
        offset = after
    if opening is not None:
        page.fault(opening[2], "this fence is never closed", f"close it with {opening[0]}")
    return "".join(kept)


def _language(page: Page, line: int, match: re.Match[str]) -> str:
    info = match[3].strip()
    if match[1]:
        page.fault(line, "an indented fence would not be run", "start it in the first column")
    if info not in LANGUAGES:
        page.fault(
            line,
            f"a fence marked {info!r} would not be checked",
            "mark it with one of: " + ", ".join(LANGUAGES) + ", and nothing else",
        )
    return info


def _blank_definitions(page: Page, text: str) -> str:
    labels: set[str] = set()  # Markdown does not tell [a] from [A]
    for match in DEFINITION.finditer(text):
        label, target, expression = match[1], match[2], match[3]
        if not target.startswith("#") and label.casefold() not in labels:
            labels.add(label.casefold())
            continue
        line = page.line_of(match.start())
        kind = target[1:]
        if label.casefold() in labels:
            page.fault(line, f"[{label}] is defined twice", "rename or remove one of them")
        elif kind not in KINDS:
            page.fault(line, f"no such kind of source: {target}", "use #calc, #cite or #record")
        elif not expression:
            page.fault(line, f"[{label}] has no expression", f'write [{label}]: {target} "..."')
        else:
            page.definitions[label] = Definition(label, kind, expression, line)
        labels.add(label.casefold())
    return _blank(DEFINITION, text)


def _blank_embeds(page: Page, text: str) -> str:
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if "8<" not in line or "--" not in line:
            continue
        if match := EMBED.match(line):
            page.embeds.append((index + 1, match[1]))
        else:
            page.fault(
                index + 1,
                f"a line that embeds nothing: {line.strip()}",
                'write exactly --8<-- "path" alone on the line, with straight quotes',
            )
        lines[index] = " " * len(line)
    return "\n".join(lines)


def _blank_math(page: Page, text: str) -> str:
    found: list[Formula] = []
    for pattern, display in ((DISPLAY_MATH, True), (INLINE_MATH, False)):
        for match in pattern.finditer(text):
            found.append(Formula(match[1], display, page.line_of(match.start()), match.start(1)))
        text = _blank(pattern, text)
    page.formulas = sorted(found, key=lambda formula: formula.start)
    return text


def _judge_form_of_math(page: Page, names: Iterable[str]) -> None:
    """In math a numeral stands by itself: not in words, and never beside another."""
    for formula in page.formulas:
        for match in MATH_WORDS.finditer(formula.tex):
            if re.search(r"\d", match[1]) and match[1].strip() not in names:
                page.fault(
                    formula.line,
                    f"{match[1]!r} in a formula holds a numeral that is not checked",
                    "write the number outside of the words, or add the name to docs/names.toml",
                )
        for match in GLUED.finditer(MATH_WORDS.sub(" w ", formula.tex)):
            page.fault(
                formula.line,
                f"{match[0]!r} in a formula reads as one number, but is checked as two",
                "write it as one number, or an operator between them",
            )


def _blank_references(page: Page, text: str) -> str:
    defined = {match[1] for match in DEFINITION.finditer(page.source)}
    for match in REFERENCE.finditer(text):
        label = match[2]
        line = page.line_of(match.start())
        if label in page.definitions and (after := CHANGES.match(text, match.end())):
            page.fault(
                line,
                f"{after[0].strip()!r} right after [{match[1]}] would change what it says",
                "put it inside the link, or other words between",
            )
        if label in page.definitions:
            page.references.append(Reference(match[1], label, line, match.start(1)))
        elif label not in defined:
            page.fault(
                line,
                f"[{match[1]}][{label}]: no such definition",
                f'add [{label}]: #calc "..." (or #cite, #record) at the end of the page',
            )
    text = _blank(REFERENCE, text, keep=lambda match: match[2] not in page.definitions)
    for match in SHORTCUT.finditer(text):
        if match[1] in page.definitions:
            page.fault(
                page.line_of(match.start()),
                f"[{match[1]}] alone is a link without a number",
                f"write [the number][{match[1]}]",
            )
    return text


def _blank_tags(page: Page, text: str) -> str:
    """Note and blank HTML tags, but not what they show: titles, alternative texts, labels."""

    def blanks(match: re.Match[str]) -> str:
        if name := TAG_NAME.match(match[0]):
            line = page.line_of(match.start())
            page.tags.append(Tag(name[1].lower(), line, *match.span(), match[0]))
        shown = [span for found in SHOWN.finditer(match[0]) for span in range(*found.span(1))]
        return "".join(
            character if index in shown or character == "\n" else " "
            for index, character in enumerate(match[0])
        )

    return HTML_TAG.sub(blanks, text)


def _blank_list_markers(text: str) -> str:
    """Blank the numbers of ordered lists: at the start of a block, or in the line after an item."""
    lines = text.split("\n")
    in_list = False
    for index, line in enumerate(lines):
        match = LIST_MARKER.match(line)
        starts = index == 0 or not lines[index - 1].strip()
        in_list = (bool(match) and (starts or in_list)) or (in_list and line.startswith("  "))
        if match and in_list:
            lines[index] = " " * match.end() + line[match.end() :]
    return "\n".join(lines)


def _find_numerals(page: Page, text: str, names: Iterable[str]) -> None:
    ordered = sorted(names, key=len, reverse=True)
    if ordered:
        alternatives = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in ordered)
        text = _blank(re.compile(rf"(?<![\w.])(?:{alternatives})(?![\w])"), text)
    for match in NUMERAL.finditer(text):
        word = max(text.rfind(space, 0, match.start()) for space in " \t\n") + 1
        shown = text[word:].split(maxsplit=1)[0]
        page.fault(
            page.line_of(match.start()),
            f"a numeral without provenance: {shown}",
            "link it to a #calc, #cite or #record, or add the name to docs/names.toml",
        )
