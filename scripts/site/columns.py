"""The columns of a finished table: those of numbers stand at the right, one digit below the other.

scripts/site/finish.py calls `aligned` with each table's HTML; docs/assets/css/site.css knows the class.
"""

import html
import re

ROW = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)
CELL = re.compile(r"<(t[hd])((?: [^>]*)?)>(.*?)</\1>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
# A number, an interval or none; behind it a unit of a word or two, such as "tokens/s" or "GB a card".
NUMBER = re.compile(
    r"(?:(?:at most|under|about|median) )?[−+±≤≥<>≈~]?\d[\d.,e×/^−-]*(?: ?[–-] ?\d[\d.,]*)?\??"
    r"(?: ?(?:%|[A-Za-zµ%][\w/%.]*)){0,2}|[–—-]?"
)


def aligned(table: str) -> str:
    """The table, each cell of a column of numbers with the class "number"."""
    rows = [CELL.findall(row) for row in ROW.findall(table)]
    body = [
        [_text(content) for tag, _, content in row] for row in rows if row and row[0][0] == "td"
    ]
    width = max(map(len, body), default=0)
    numbers = {
        at
        for at in range(1, width)
        if all(len(row) > at and NUMBER.fullmatch(row[at]) for row in body)
        and any(row[at] for row in body)
    }

    def marked(row: re.Match[str]) -> str:
        cells = enumerate(CELL.finditer(row[1]))
        return f"<tr>{''.join(_cell(cell, at in numbers) for at, cell in cells)}</tr>"

    return ROW.sub(marked, table) if numbers else table


def _text(content: str) -> str:
    return html.unescape(TAG.sub("", content)).strip()


def _cell(cell: re.Match[str], number: bool) -> str:
    tag, attributes, content = cell.groups()
    if number and "class=" not in attributes:
        attributes += ' class="number"'
    return f"<{tag}{attributes}>{content}</{tag}>"
