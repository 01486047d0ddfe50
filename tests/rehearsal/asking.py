"""Tests ask it which lines ask what a device is, and note in it which of them a rehearsal ran."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[2]
Lines = dict[str, set[int]]
OF_TORCH = ("torch.cuda.", "torch.version.hip", "torch.backends.cuda")


def asking() -> Lines:
    """Lines that compare a device's kind, or call torch.cuda, by file."""
    found: Lines = {}
    for path in sorted((ROOT / "scripts").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        lines = {line for statement in ast.walk(tree) for line in _line(statement)}
        if lines:
            found[str(path.relative_to(ROOT))] = lines
    return found


def _line(node: ast.AST) -> Iterator[int]:
    if isinstance(node, ast.Compare):
        values = (node.left, *node.comparators)
        if any(isinstance(each, ast.Constant) and each.value == "cuda" for each in values):
            yield node.lineno
    elif isinstance(node, ast.Attribute) and (
        node.attr == "is_cuda" or ast.unparse(node).startswith(OF_TORCH)
    ):
        yield node.lineno


@contextmanager
def noting(ran: Lines, wanted: Lines) -> Iterator[None]:
    """Note in `ran` the lines that run within, of the files that `wanted` has."""
    files = {str(ROOT / name): ran.setdefault(name, set()) for name in wanted}

    def on_call(frame: FrameType, event: str, argument: Any) -> Any:
        lines = files.get(frame.f_code.co_filename)
        if lines is None:
            return None

        def on_line(frame: FrameType, event: str, argument: Any) -> Any:
            lines.add(frame.f_lineno)
            return on_line

        lines.add(frame.f_lineno)
        return on_line

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield
    finally:
        sys.settrace(before)
