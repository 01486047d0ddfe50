"""A hook of MkDocs: what the theme's script would add to a page when it opens, added when it is built.

Each such change makes a browser style and lay out most of a long page again. So tables are in their
scrolling boxes from the start, and programs have their buttons for copying and only the elements that
have a colour. The theme's script, which looks for tables without a class, finds none; its stylesheet
is told the class by scripts/site/trim.py.
"""

import re
from itertools import count

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

TABLE = "data"  # the class of each table
# Names, signs and spaces of programs: a third of a chapter's elements, in the colour of the rest.
PLAIN = re.compile(r'<span class="(?:n|o|p|w)">([^<]*)</span>')
PROGRAM = re.compile(r"<pre([^>]*)>(<span></span>)?<code>")


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Prepare a page."""
    numbers = count()
    output = PLAIN.sub(r"\1", output)
    output = PROGRAM.sub(lambda match: _with_button(match, next(numbers)), output)
    box = '<div class="md-typeset__scrollwrap"><div class="md-typeset__table">'
    output = output.replace("<table>", f'{box}<table class="{TABLE}">')
    return output.replace("</table>", "</table></div></div>")


def _with_button(match: re.Match[str], number: int) -> str:
    attributes, empty = match[1], match[2] or ""
    name = f"code-{number}"
    button = (
        '<button class="md-code__button" title="Copy to clipboard" data-md-type="copy" '
        f'data-clipboard-target="#{name}"></button>'
    )
    return f'<pre{attributes}>{empty}<div class="md-code__nav">{button}</div><code id="{name}">'
