"""A hook of MkDocs: what the theme's script would add to a page when it opens, added when it is built.

Each such change makes a browser style and lay out most of a long page again. So tables are in their
scrolling boxes from the start, and programs have their buttons for copying and only the elements that
have a colour. The theme's script, which looks for tables without a class, finds none; its stylesheet
is told the class by scripts/site/trim.py. Both say how long they are, which is the height that
docs/assets/css/site.css keeps for them until they come near the window. What may have to be scrolled
sideways takes the keyboard's focus; scripts take that back where it turns out to fit.
"""

import re
from itertools import count

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

TABLE = "data"  # the class of each table
TAG = re.compile(r"<[^>]*>")
TABLES = re.compile(r"<table>(.*?)</table>", re.DOTALL)
FITS = 32  # characters of a program's line, on the narrowest phone
# Names, signs and spaces of programs: a third of a chapter's elements, in the colour of the rest.
PLAIN = re.compile(r'<span class="(?:n|o|p|w)">([^<]*)</span>')
PROGRAM = re.compile(r"<pre([^>]*)>(<span></span>)?<code>(.*?)</code>", re.DOTALL)


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Prepare a page."""
    numbers = count()
    output = PLAIN.sub(r"\1", output)
    output = PROGRAM.sub(lambda match: _with_button(match, next(numbers)), output)
    return TABLES.sub(_in_a_box, output)


def _in_a_box(match: re.Match[str]) -> str:
    rows = match[1].count("<tr>")
    return (
        f'<div class="md-typeset__scrollwrap" data-rows="{rows}" tabindex="0" role="group" '
        f'aria-label="Table"><div class="md-typeset__table"><table class="{TABLE}">{match[1]}'
        "</table></div></div>"
    )


def _with_button(match: re.Match[str], number: int) -> str:
    attributes, empty, program = match[1], match[2] or "", match[3]
    lines = TAG.sub("", program).rstrip("\n").split("\n")
    focus = ' tabindex="0"' if max(map(len, lines)) > FITS else ""
    name = f"code-{number}"
    button = (
        '<button class="md-code__button" title="Copy to clipboard" data-md-type="copy" '
        f'data-clipboard-target="#{name}"></button>'
    )
    return (
        f'<pre{attributes} data-lines="{len(lines)}">{empty}<div class="md-code__nav">{button}</div>'
        f'<code id="{name}"{focus}>{program}</code>'
    )
