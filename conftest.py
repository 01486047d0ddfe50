"""Doc tests: every python fence is run by pytest-markdown-docs, and what it prints is compared."""

import gc
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from pytest_markdown_docs import _runners
from pytest_markdown_docs.definitions import FenceTestDefinition
from pytest_markdown_docs.plugin import MarkdownDocstringCodeModule

from scripts.core.cache import Cache
from scripts.core.files import read_text
from scripts.handbook import this_book as told
from scripts.proof.embed import resolve
from scripts.proof.parse import parse_page
from scripts.proof.programs import Code, Programs, compare

ROOT = Path(__file__).parent
# The plugin would import labs, and so run them; tables are rendered, and hold no programs.
collect_ignore = ["docs/labs", "docs/tables"]


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, Any, Any]:
    """Nothing that collecting imports is ever garbage; looking through it again took half the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, Any, Any]:
    """Fences are those of pages: the plugin would import every test a second time to look for some."""
    found = yield
    return [each for each in found if not isinstance(each, MarkdownDocstringCodeModule)]


class FenceFailed(Exception):
    """A fence that raises, or a page that says something else than the fence prints.

    Never a TypeError: the plugin runs a fence that raises one a second time.
    """


@_runners.register_runner(default=True)
class ComparingRunner(_runners._Runner):
    """Runs a fence as the check does, and compares its output with the text fence after it."""

    def runtest(
        self, test: FenceTestDefinition, args: dict[str, object], *, asyncio_runner: object = None
    ) -> None:
        path = Path(test.source_path).relative_to(ROOT).as_posix()
        page = parse_page(path, read_text(ROOT / path, name=path))
        printed = next(p for p in page.printed if p.code.line == test.start_line)
        code = Code(page, printed, test.source.removesuffix("\n"))
        cache = Cache(ROOT / ".cache")
        programs = Programs(ROOT, cache, told.printed(ROOT))
        ((outcome, ran),) = programs.outcomes([code])
        if ran:
            cache.save()
        fault, _ = compare(code, outcome)
        if fault is not None:
            raise FenceFailed(str(fault))

    def repr_failure(
        self,
        test: FenceTestDefinition,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: object = None,
    ) -> str:
        return str(excinfo.value)


def _embed_snippets(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "fence" and token.map:
            token.content = resolve(token.content, root=ROOT, path="docs", line=token.map[0] + 2)


def pytest_markdown_docs_markdown_it() -> MarkdownIt:
    """A parser whose fences hold what they embed (a `--8<--` line is itself valid Python)."""
    parser = MarkdownIt()
    parser.core.ruler.after("block", "embed_snippets", _embed_snippets)
    return parser
