"""Run the programs of pages and compare what they print with what the pages say.

`Programs` remembers outcomes: `check_page` asks it for those of a page's `codes_of`, the doc tests for
theirs. What a program gave is kept under a key of its text, with the modules and files of the project
that it read; as long as these are as they were, it is not run again.
"""

import difflib
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.core.cache import Cache
from scripts.core.faults import BadInput, Fault, stale
from scripts.core.freshness import Modules, files_digest, key
from scripts.proof.embed import resolve
from scripts.proof.page import Page, Printed

TIME_LIMIT_SECONDS = 30.0
ONLY_FOR_MEASURING = ("torch",)
STORE = "printed"  # of the cache
RUNNER = Path(__file__).with_name("run_programs.py")


@dataclass(frozen=True)
class Outcome:
    """What running a program gave: its output, or an error with the line of it that it came from."""

    output: str = ""
    error: str = ""
    line: int = 0
    remedy: str = ""


@dataclass(frozen=True)
class Code:
    """A program ready to run, with all that it embeds, and where it stands."""

    page: Page
    printed: Printed
    source: str


class Programs:
    """Outcomes by program. `published` are those kept in the project: a clone runs nothing again."""

    def __init__(
        self,
        root: Path,
        cache: Cache,
        published: Mapping[str, Any] | None = None,
        *,
        time_limit: float = TIME_LIMIT_SECONDS,
    ) -> None:
        self.root = root
        self.time_limit = time_limit
        self.entries: dict[str, Any] = {}  # of all programs asked for, ready to be published
        self._cache = cache
        self._published = published or {}
        self._modules = Modules(root, cache)
        self._known: dict[str, Outcome] = {}

    def outcomes(self, codes: Sequence[Code]) -> list[tuple[Outcome, bool]]:
        """(outcome, whether it was run just now) of each; new ones are run together."""
        keys = [_key(code.source) for code in codes]
        waiting: dict[str, str] = {}
        for code, each in zip(codes, keys, strict=True):
            if each not in self._known and not self._is_fresh(each, code):
                waiting[each] = code.source
        if waiting:
            self._run(waiting)
        return [(self._known[each], each in waiting) for each in keys]

    def _is_fresh(self, place: str, code: Code) -> bool:
        """Whether what the page says is known to be right, or nothing has to be."""
        said = code.printed.output.body if code.printed.output else ""
        for held in (self._cache.get(STORE, place), self._published.get(place)):
            if held and held["depends"] == self._depends(held["modules"], held["files"]):
                if held["prints"] == _digest(said):
                    self._known[place] = Outcome(said)
                elif "output" in held:
                    self._known[place] = Outcome(held["output"])
                else:
                    continue
                self.entries[place] = {n: v for n, v in held.items() if n != "output"}
                return True
        if _runs_elsewhere(code):
            self._known[place] = Outcome()
            if published := self._published.get(place):
                self.entries[place] = published
            return True
        return False

    def _depends(self, modules: Sequence[str], files: Sequence[str]) -> str:
        try:
            return key(code=self._modules.digest(*modules), files=files_digest(self.root, files))
        except KeyError:  # a module that is gone
            return ""

    def _run(self, waiting: Mapping[str, str]) -> None:
        """Run each twice, with other seeds for what has no order: it must print the same."""
        running = [self._start(list(waiting.values()), seed) for seed in ("1", "2")]
        reports = [_finish(process, len(waiting)) for process in running]
        for place, first, second in zip(waiting, *reports, strict=True):
            report = first if "error" in first else second
            if "error" in report:
                remedy = "correct the code, or what it embeds"
                if "ended" in report:
                    remedy = "make it end, and quickly: chapters run it on every change"
                outcome = Outcome("", report["error"], report["line"], remedy)
            elif first["output"] != second["output"]:
                remedy = "fix its seed, sort what it lists, print no time or address"
                outcome = Outcome("", "prints differently each time it runs", 1, remedy)
            else:
                outcome = Outcome(report["output"])
                self._keep(place, report)
            self._known[place] = outcome

    def _keep(self, place: str, report: Mapping[str, Any]) -> None:
        used = {name: report[name] for name in ("modules", "files")}
        depends = self._depends(report["modules"], report["files"])
        entry = used | {"depends": depends, "prints": _digest(report["output"])}
        self.entries[place] = entry
        self._cache.put(STORE, place, entry | {"output": report["output"]})

    def _start(self, sources: list[str], seed: str) -> "subprocess.Popen[str]":
        environment = {
            name: value
            for name, value in os.environ.items()
            if name in ("PATH", "HOME", "LANG", "LC_ALL", "VIRTUAL_ENV", "LD_LIBRARY_PATH")
        }
        environment |= {"PYTHONHASHSEED": seed, "PYTHONPATH": str(self.root), "COLUMNS": "80"}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
        process = subprocess.Popen(
            [sys.executable, "-P", str(RUNNER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
        )
        assert process.stdin is not None
        asked = {"programs": sources, "root": str(self.root), "limit": self.time_limit}
        process.stdin.write(json.dumps(asked))
        process.stdin.close()
        return process


def codes_of(page: Page, root: Path) -> tuple[list[Code], list[Fault]]:
    """The page's programs, resolved, and the faults of those that cannot be."""
    codes, faults = [], []
    for printed in page.printed:
        fence = printed.code
        try:
            source = resolve(fence.body, root=root, path=page.path, line=fence.line + 1)
        except BadInput as error:
            faults.append(error.fault)
        else:
            codes.append(Code(page, printed, source))
    return codes, faults


def compare(code: Code, outcome: Outcome) -> tuple[Fault | None, str | None]:
    """(the fault, the text that should follow the program) when the page and the outcome differ."""
    fence = code.printed.code
    path = code.page.path
    if outcome.error:
        embeds = "--8<--" in fence.body
        line = fence.line if embeds else fence.line + max(outcome.line, 1)
        where = f" (line {outcome.line} of what it embeds)" if embeds else ""
        message = f"this fence fails{where}: {outcome.error}"
        return Fault(path, line, message, outcome.remedy), None
    if "```" in outcome.output:
        message = "this fence prints a fence, which would end its text fence"
        return Fault(path, fence.line, message, "print something else than ```"), None
    said = code.printed.output.body if code.printed.output else ""
    if said.rstrip("\n") == outcome.output.rstrip("\n"):
        return None, None
    line = code.printed.output.line if code.printed.output else fence.line
    names = (f"{path} (says)", "code (prints)")
    diff = difflib.unified_diff(said.splitlines(), outcome.output.splitlines(), *names, lineterm="")
    message = "the page does not say what this code prints"
    return stale(path, message, line, diff="\n".join(diff)), outcome.output


def output_edit(code: Code, output: str) -> tuple[int, int, str]:
    """The edit (start, end, text) of the page's source that makes it say `output` after `code`."""
    source = code.page.source
    body = output.rstrip("\n") + "\n"
    if code.printed.output is None:
        end = source.find("\n", code.printed.code.end)
        end = len(source) if end < 0 else end
        return end, end, f"\n\n```text\n{body}```"
    fence = code.printed.output
    if output.strip():
        return fence.start, fence.end, body
    closing = source.find("\n", fence.end)
    closing = len(source) if closing < 0 else closing
    opening = source.rfind("\n", 0, fence.start - 1)  # the line that opens the text fence
    return len(source[:opening].rstrip("\n")), closing, ""


def _finish(process: "subprocess.Popen[str]", count: int) -> list[dict[str, Any]]:
    with process:
        assert process.stdout is not None
        reports = [json.loads(line) for line in process.stdout]
    missing = {"error": f"was not run (status {process.returncode})", "line": 1}
    return [*reports, *[missing] * (count - len(reports))]


def _key(source: str) -> str:
    version = sys.version_info
    return key(python=f"{version.major}.{version.minor}", source=source)[:16]


def _digest(text: str) -> str:
    return hashlib.sha256(text.rstrip("\n").encode()).hexdigest()[:16]


def _runs_elsewhere(code: Code) -> bool:
    """Whether a program prints nothing and imports what only measuring and testing install."""
    imported = f"\n{code.source}"
    return code.printed.output is None and any(
        f"\nimport {name}" in imported and not importlib.util.find_spec(name)
        for name in ONLY_FOR_MEASURING
    )
