"""Resolve `--8<-- "path:section"` lines, refusing what the site's own extension accepts silently."""

import re
from pathlib import Path

from scripts.core.faults import BadInput
from scripts.core.files import read_text
from scripts.proof.parse import EMBED

MARK = re.compile(r"-{1,}8<-{1,} *\[ *(start|end) *: *([\w-]+) *\]")


def resolve(code: str, *, root: Path, path: str, line: int) -> str:
    """`code` with each embedding line replaced by what it names.

    `path` and `line` say where the code stands, for the message. Raises BadInput for a missing file
    or section, a section without end, and a section name that stands twice in a file.
    """
    resolved: list[str] = []
    for index, text in enumerate(code.split("\n")):
        where = line + index
        if match := EMBED.match(text):
            resolved.append(_section(root, match[1], match[2], path, where))
        elif re.search(r"-+ *8<", text):
            raise BadInput(
                path,
                where,
                f"a line that embeds nothing: {text.strip()}",
                'write exactly --8<-- "path" or --8<-- "path:section", with straight quotes',
            )
        else:
            resolved.append(text)
    return "\n".join(resolved)


def _section(root: Path, name: str, section: str | None, path: str, line: int) -> str:
    file = root / name
    if not file.is_file():
        raise BadInput(
            path, line, f"no such snippet file: {name}", "correct the path or add the file"
        )
    lines = read_text(file, name=name).rstrip("\n").split("\n")
    if section is None:
        return "\n".join(text for text in lines if not MARK.search(text))
    starts = [
        i
        for i, text in enumerate(lines)
        if (m := MARK.search(text)) and m.groups() == ("start", section)
    ]
    ends = [
        i
        for i, text in enumerate(lines)
        if (m := MARK.search(text)) and m.groups() == ("end", section)
    ]
    if not starts:
        names = [m[2] for text in lines if (m := MARK.search(text)) and m[1] == "start"]
        raise BadInput(
            path,
            line,
            f"{name} has no section {section!r}",
            f"use one of: {', '.join(names) or 'none'}",
        )
    if len(starts) > 1 or len(ends) > 1:
        raise BadInput(
            name,
            starts[-1] + 1,
            f"section {section!r} stands twice in this file",
            "rename one of them",
        )
    if not ends or ends[0] < starts[0]:
        raise BadInput(
            name,
            starts[0] + 1,
            f"section {section!r} never ends",
            f"add # --8<-- [end:{section}] after it",
        )
    body = lines[starts[0] + 1 : ends[0]]
    return "\n".join(text for text in body if not MARK.search(text)).rstrip("\n")
