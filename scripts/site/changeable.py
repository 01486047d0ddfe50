"""Programs on a finished page that a reader can change: which they are, and where their fields stand.

scripts/site/finish.py asks for it. A program of snippets/examples is known by its text. One that JavaScript
cannot run gets the button too, which then says so.
"""

import functools
import html
import re

from scripts.javascript.programs import EXAMPLES, programs
from scripts.javascript.translated_sources import ROOT

PROGRAM = re.compile(
    r'<div class="language-python highlight"><pre>(?:<span></span>)?<code>(.*?)</code></pre></div>',
    re.DOTALL,
)
PIECE = re.compile(r"(<[^>]*>)|(&\w+;|&#\d+;|[^<&])", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
BUTTON = '<button class="edit" type="button">change</button>'


def with_changes(page: str) -> str:
    """A page whose programs have a button and, where they can be changed, marked fields."""
    return PROGRAM.sub(_marked, page)


@functools.cache
def _names() -> dict[str, str]:
    """The name of each example by its text."""
    files = sorted((ROOT / EXAMPLES).glob("[a-z]*.py"))
    return {file.read_text(encoding="utf-8").strip(): file.stem for file in files}


def _marked(match: re.Match[str]) -> str:
    code = match[1]
    name = _names().get(html.unescape(TAG.sub("", code)).strip())
    known = programs().get(name or "")
    if name is None or (known and not known.fields):
        return match[0]
    if known is None:
        opened = f'<div class="language-python highlight" data-needs="{EXAMPLES}/{name}.py">'
        return match[0].replace(match[0][: match[0].index("<pre>") + 5], f"{opened}<pre>{BUTTON}")
    starts = [0]
    for line in known.text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    places: dict[int, tuple[int, str]] = {}
    for at, field in enumerate(known.fields):
        first = starts[field.line - 1] + field.column
        places[first] = (len(field.text), f'class="field" data-module="{field.module}"')
        if field.module:
            for use in re.finditer(rf"\b{field.text}\b", known.text):
                if use.start() != first:
                    places[use.start()] = (len(field.text), f'class="use" data-of="{at}"')
    marked = _wrapped(code, places)
    return (
        f'<div class="language-python highlight" data-program="{name}"><pre>{BUTTON}'
        f"<code>{marked}</code></pre></div>"
    )


def _wrapped(code: str, places: dict[int, tuple[int, str]]) -> str:
    """The code with a span around each place of its text; `places` are starts, lengths and attributes."""
    written, at, left = "", 0, 0
    for piece in PIECE.finditer(code):
        if piece[1]:
            written += piece[1]
            continue
        if at in places:
            left, attributes = places[at]
            written += f"<span {attributes}>"
        written += piece[2]
        at += 1
        if left:
            left -= 1
            written += "" if left else "</span>"
    return written
