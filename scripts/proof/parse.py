"""Parse one Markdown page, once, into regions that do not overlap.

Every judge calls `parse_page(path, source)` and gets a Page. Fences are found line by line; the rest is
scanned from left to right, and whatever begins first keeps what it covers, as in Markdown. Where
Markdown reads a page otherwise than this does, the rendered page says so (scripts/proof/html_pieces.py).
"""

import re
from collections.abc import Iterator

from scripts.proof.page import Definition, Fence, Formula, Page, Printed, Reference, Tag

KINDS = ("calc", "cite", "record", "formula", "unchecked")
LANGUAGES = (
    *("python", "text", "bash", "console", "json", "toml", "yaml", "bibtex", "diff"),
    *("markdown", "pycon"),
)
FENCE = re.compile(r"^( *)(`{3,}|~{3,})(.*)$")
EMBED = re.compile(r'^--8<-- "([^":]+)(?::([\w-]+))?"$')
DEFINITION = re.compile(r'^\[([^\]\n]+)\]: *(\S+)(?: +"(.*)")? *$')
REFERENCE = re.compile(r"\[([^\[\]]+)\]\[([^\[\]]+)\]")
TAG_NAME = re.compile(r"</?([A-Za-z][\w-]*)(?=[\s/>])")
# Display math, inline math: the text is what stands between the dollar signs.
MATH = re.compile(r"^\$\$(?P<display>.+?)\$\$ *$|\$(?P<inline>.+)\$$", re.DOTALL)
NOT_STOCK = re.compile(r"^ *(!!!|\?\?\?\+?|===!?\+?) ?[\w\"]", re.MULTILINE)
REGION = re.compile(
    r"(?P<comment><!--[\s\S]*?-->)"
    r"|(?P<definition>^\[[^\]\n]+\]: *\S+(?: +\".*\")? *$)"
    r"|(?P<embed>^.*--.*8<.*$|^.*8<.*--.*$)"
    r"|(?P<code>(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n\s*\n)[\s\S])+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<display>^\$\$[\s\S]+?\$\$ *$)"
    r"|(?P<inline>(?<!\\)\$(?!\s)(?:\\[\s\S]|[^\\$])+?(?<!\s)\$)"
    r"|(?P<tag></?[A-Za-z](?:[^<>\n]|\n(?!\s*\n))*>|<https?://[^<>\s]+>)"
    r"|(?P<reference>\[[^\[\]]+\]\[[^\[\]]+\])"
    r"|(?P<shortcut>(?<!\])\[[^\[\]]+\](?![\[(:]))",
    re.MULTILINE,
)


def parse_page(path: str, source: str) -> Page:
    """Parse a page. Nothing is raised: what is wrong with the page's form stands in `faults`."""
    page = Page(path, source)
    text = _without_fences(page)
    found = list(_regions(text))
    _define(page, [match for match in found if match.lastgroup == "definition"])
    defined = {m[1] for m in map(DEFINITION.match, source.splitlines()) if m}
    for match in found:
        kind = str(match.lastgroup)
        line = page.line_of(match.start())
        page.regions.append((kind, *match.span()))
        if kind == "embed":
            _embed(page, line, match[0])
        elif kind in ("display", "inline"):
            math = MATH.match(match[0])
            assert math is not None
            group = str(math.lastgroup)
            start = match.start() + math.start(group)
            page.formulas.append(Formula(math[group], kind == "display", line, start))
        elif kind == "tag" and (name := TAG_NAME.match(match[0])):
            page.tags.append(Tag(name[1].lower(), line, *match.span(), match[0]))
        elif kind == "reference":
            _refer(page, line, match, defined)
        elif kind == "shortcut" and match[0][1:-1] in page.definitions:
            label = match[0][1:-1]
            message = f"[{label}] alone is a link without a number"
            page.fault(line, message, f"write [the number][{label}]")
    for match in NOT_STOCK.finditer(text):
        message = f"{match[1]} is not stock Markdown: what it holds would not be checked"
        remedy = "use a heading, a quote or <details markdown>"
        page.fault(page.line_of(match.start()), message, remedy)
    page.regions.sort(key=lambda region: region[1])
    return page


def _regions(text: str) -> Iterator[re.Match[str]]:
    position = 0
    while match := REGION.search(text, position):
        yield match
        position = match.end()


def _without_fences(page: Page) -> str:
    """The source with its fences blanked out, which are noted."""
    kept: list[str] = []
    opening: tuple[str, str, int, int] | None = None  # marks, language, line, start of body
    offset = 0
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
            page.regions.append(("fence", start, offset))
            _note_fence(page, fence, between)
            between, opening = False, None
        offset = after
    if opening is not None:
        page.fault(opening[2], "this fence is never closed", f"close it with {opening[0]}")
    return "".join(kept)


def _note_fence(page: Page, fence: Fence, between: bool) -> None:
    previous = page.fences[-1] if page.fences else None
    page.fences.append(fence)
    if fence.language == "python":
        page.printed.append(Printed(fence, None))
    elif fence.language == "text":
        if previous and previous.language == "python" and not between:
            page.printed[-1] = Printed(previous, fence)
        else:
            remedy = "put it right after the python fence that prints it"
            page.fault(fence.line, "a text fence that no python fence prints", remedy)


def _language(page: Page, line: int, match: re.Match[str]) -> str:
    info = match[3].strip()
    if match[1]:
        page.fault(line, "an indented fence would not be run", "start it in the first column")
    if info not in LANGUAGES:
        remedy = "mark it with one of: " + ", ".join(LANGUAGES) + ", and nothing else"
        page.fault(line, f"a fence marked {info!r} would not be checked", remedy)
    return info


def _define(page: Page, found: list[re.Match[str]]) -> None:
    labels: set[str] = set()  # Markdown does not tell [a] from [A]
    for region in found:
        match = DEFINITION.match(region[0])
        assert match is not None
        label, target, expression = match.groups()
        if not target.startswith("#") and label.casefold() not in labels:
            labels.add(label.casefold())
            continue
        line = page.line_of(region.start())
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


def _embed(page: Page, line: int, text: str) -> None:
    if match := EMBED.match(text):
        page.embeds.append((line, match[1]))
    else:
        remedy = 'write exactly --8<-- "path" alone on the line, with straight quotes'
        page.fault(line, f"a line that embeds nothing: {text.strip()}", remedy)


def _refer(page: Page, line: int, region: re.Match[str], defined: set[str]) -> None:
    match = REFERENCE.match(region[0])
    assert match is not None
    text, label = match.groups()
    if label in page.definitions:
        page.references.append(Reference(text, label, line, region.start() + 1))
    elif label not in defined:
        remedy = f'add [{label}]: #calc "..." (or #cite, #record) at the end of the page'
        page.fault(line, f"[{text}][{label}]: no such definition", remedy)
