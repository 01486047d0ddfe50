"""Check the front matter of pages: what MkDocs cannot read of it, it would print as a page's text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

import yaml

from scripts.core.faults import Fault

CHAPTERS = "docs/chapters/"
FRONT = re.compile(r"---[ \t]*\n(?P<yaml>.*?)^---[ \t]*\n", re.DOTALL | re.MULTILINE)
HIDDEN = ("navigation", "toc")
KEYS = ("title", "hide", "search", "needs", "terms")


def chapter_name(path: str) -> str:
    """What `needs` calls a chapter: its file's name without its number."""
    return PurePosixPath(path).stem.partition("-")[2]


def check_front(path: str, source: str, chapters: Sequence[str]) -> list[Fault]:
    """What is wrong with how a page begins. `chapters` are the paths of all chapters, in order."""
    if not source.startswith("---"):
        if source.startswith("# "):
            return []
        remedy = "start it with its title, # ..., or with front matter between lines of ---"
        return [Fault(path, 1, "a page that does not start with its title", remedy)]
    match = FRONT.match(source)
    if not match:
        return [Fault(path, 1, "front matter that does not end", "end it with a line of ---")]
    try:
        held = yaml.safe_load(match["yaml"]) or {}
    except yaml.MarkedYAMLError as error:
        mark = error.context_mark or error.problem_mark  # where what does not end begins
        line = 2 + (mark.line if mark else 0)
        message = f"front matter that is no YAML: {error.problem}"
        return [Fault(path, line, message, "write key: value, and a list as [one, two]")]
    if not isinstance(held, dict):
        remedy = "write key: value in each line"
        return [Fault(path, 2, "front matter that names no keys", remedy)]
    faults = list(_wrong(held, path, chapters))
    return [Fault(path, _line(match["yaml"], key), *said) for key, said in faults]


def _wrong(
    held: dict[Any, Any], path: str, chapters: Sequence[str]
) -> Iterator[tuple[str, tuple[str, str]]]:
    """(key, (what is wrong, what to do)) for each fault."""
    for key in held:
        if key not in KEYS:
            yield key, (f"front matter has no {key!r}", f"write one of: {', '.join(KEYS)}")
    if "title" in held and not isinstance(held["title"], str):
        yield "title", (f"title is {held['title']!r}, no text", 'write title: "..."')
    if "hide" in held and not _is_list(held["hide"], HIDDEN):
        yield "hide", (f"hide is {held['hide']!r}", f"write a list of: {', '.join(HIDDEN)}")
    if "search" in held and held["search"] != {"exclude": True}:
        yield "search", (f"search is {held['search']!r}", "write search: {exclude: true}")
    if "terms" in held and not _is_terms(held["terms"]):
        remedy = "write below it, for the id of a heading, a list of words: [KV cache, paging]"
        yield "terms", (f"terms is {held['terms']!r}", remedy)
    if path not in chapters:
        if "needs" in held:
            yield "needs", ("only chapters have needs", "remove it")
        return
    before = [chapter_name(each) for each in chapters[: chapters.index(path)]]
    remedy = f"write a list of what comes before it: {', '.join(before) or '[]'}"
    needs = held.get("needs")
    if not isinstance(needs, list):
        yield "needs", (f"needs is {needs!r}, no list", remedy)
        return
    for name in needs:
        if name not in before:
            yield "needs", (f"needs {name!r}, and no chapter before it is called that", remedy)


def _is_list(value: object, known: Iterable[str]) -> bool:
    return isinstance(value, list) and all(each in known for each in value)


def _is_terms(value: object) -> bool:
    """Whether it is a mapping from ids of headings to lists of words (scripts/site/search.py)."""
    return isinstance(value, dict) and all(
        isinstance(listed, list) and all(isinstance(each, str) for each in listed)
        for listed in value.values()
    )


def _line(text: str, key: object) -> int:
    """The line of the page on which a key stands; 1 where it is missing."""
    lines = text.split("\n")
    return next((n for n, line in enumerate(lines, 2) if line.startswith(f"{key}:")), 1)
