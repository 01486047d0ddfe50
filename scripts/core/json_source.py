"""`records.record` writes and reads JSON with it: from values to text with short arrays on one line,
and from text to values and the line on which each stands.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


def dumps(value: Any, *, indent: int = 0) -> str:
    """Indented JSON whose arrays of plain values stay on one line, so that samples read as a row.

    Raises ValueError for infinities and NaN, which JSON does not have.
    """
    if isinstance(value, dict) and value:
        items = [
            f"{json.dumps(key, ensure_ascii=False)}: {dumps(item, indent=indent + 2)}"
            for key, item in value.items()
        ]
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        items = [dumps(item, indent=indent + 2) for item in value]
    else:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    inner = " " * (indent + 2)
    body = ",\n".join(inner + item for item in items)
    return f"{opening}\n{body}\n{' ' * indent}{closing}"


def line_of(text: str, path: Sequence[str | int]) -> int:
    """The 1-based line on which the value at `path` begins in a valid JSON text.

    Where the path leads nowhere, the line of the nearest value on the way to it.
    """
    tokens = list(_TOKEN.finditer(text))
    nearest: dict[tuple[str | int, ...], int] = {}
    _walk(tokens, 0, (), tuple(path), nearest)
    deepest = max(nearest, key=len)
    return text.count("\n", 0, nearest[deepest]) + 1


def _walk(
    tokens: list[re.Match[str]],
    at: int,
    here: tuple[str | int, ...],
    wanted: tuple[str | int, ...],
    nearest: dict[tuple[str | int, ...], int],
) -> int:
    """Note where the values on the way to `wanted` begin; the index just after this value."""
    if here == wanted[: len(here)]:
        nearest[here] = tokens[at].start()
    symbol = tokens[at].group()
    at += 1
    if symbol not in "{[":
        return at
    index = 0
    while tokens[at].group() not in "}]":
        step: str | int = index
        if symbol == "{":
            step = json.loads(tokens[at].group())
            at += 2
        at = _walk(tokens, at, (*here, step), wanted, nearest)
        index += 1
        if tokens[at].group() == ",":
            at += 1
    return at + 1
