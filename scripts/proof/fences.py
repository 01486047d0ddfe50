"""Check what chapters say their code prints, by running it. What did not change is not run again."""

import contextlib
import difflib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from scripts.core.cache import Cache
from scripts.core.faults import BadInput, Fault
from scripts.core.freshness import Modules, key
from scripts.proof.embed import resolve
from scripts.proof.page import Page, Printed

TIME_LIMIT_SECONDS = 30.0
ONLY_FOR_MEASURING = ("torch",)


@dataclass(frozen=True)
class Outcome:
    """What running a fence gave: its output, or an error with the line (of the fence) it came from."""

    output: str = ""
    error: str = ""
    line: int = 0
    remedy: str = ""


@dataclass(frozen=True)
class Code:
    """A fence ready to run: its code with all that it embeds, and where it stands."""

    page: Page
    printed: Printed
    source: str

    @property
    def name(self) -> str:
        return f"{self.page.path}:{self.printed.code.line}"


def codes_of(page: Page, root: Path) -> tuple[list[Code], list[Fault]]:
    """The page's python fences, resolved, and the faults of those that cannot be."""
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


def run_codes(
    codes: list[Code], root: Path, cache: Cache, *, time_limit: float = TIME_LIMIT_SECONDS
) -> list[tuple[Outcome, bool]]:
    """(outcome, whether it was run just now) of each. New code runs twice: it must print the same."""
    modules = Modules(root, cache)
    keys = [key(python=sys.version, code=modules.source_digest(code.source)) for code in codes]
    known = [cache.get("outputs", each) for each in keys]
    stale = [i for i, code in enumerate(codes) if known[i] is None and not _runs_elsewhere(code)]
    results = [(Outcome(output or ""), False) for output in known]
    if stale:
        runs = [_run([codes[i] for i in stale], root, time_limit, seed) for seed in ("1", "2")]
        for index, first, second in zip(stale, *runs, strict=True):
            outcome = first if first.error else second
            if not outcome.error and first.output != second.output:
                outcome = Outcome(
                    error="prints differently each time it runs",
                    line=1,
                    remedy="fix its seed, sort what it lists, print no time or address",
                )
            if not outcome.error:
                cache.put("outputs", keys[index], outcome.output)
            results[index] = (outcome, True)
    return results


def compare(code: Code, outcome: Outcome) -> tuple[Fault | None, str | None]:
    """(the fault, the text that should follow the fence) when the page and the outcome differ."""
    fence = code.printed.code
    path = code.page.path
    if outcome.error:
        line = fence.line + max(outcome.line, 1) if "--8<--" not in fence.body else fence.line
        where = "" if "--8<--" not in fence.body else f" (line {outcome.line} of what it embeds)"
        remedy = outcome.remedy or "correct the code, or what it embeds"
        return Fault(path, line, f"this fence fails{where}: {outcome.error}", remedy), None
    if "```" in outcome.output:
        message = "this fence prints a fence, which would end its text fence"
        return Fault(path, fence.line, message, "print something else than ```"), None
    said = code.printed.output.body if code.printed.output else ""
    if said.rstrip("\n") == outcome.output.rstrip("\n"):
        return None, None
    line = code.printed.output.line if code.printed.output else fence.line
    diff = difflib.unified_diff(
        said.splitlines(),
        outcome.output.splitlines(),
        f"{path} (says)",
        "code (prints)",
        lineterm="",
    )
    fault = Fault(
        path,
        line,
        "the page does not say what this code prints",
        f"run: python scripts/build.py --only {path}",
        "\n".join(diff),
    )
    return fault, outcome.output


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


def _runs_elsewhere(code: Code) -> bool:
    """Whether a fence prints nothing and imports what only measuring and testing install."""
    imported = f"\n{code.source}"
    return code.printed.output is None and any(
        f"\nimport {name}" in imported and not importlib.util.find_spec(name)
        for name in ONLY_FOR_MEASURING
    )


def _run(codes: list[Code], root: Path, time_limit: float, seed: str) -> list[Outcome]:
    """Run in fresh processes; a fence that hangs or kills its process costs only itself."""
    outcomes: dict[int, Outcome] = {}
    while len(outcomes) < len(codes):
        waiting = [index for index in range(len(codes)) if index not in outcomes]
        _run_until_stuck(codes, waiting, outcomes, root, time_limit, seed)
    return [outcomes[index] for index in range(len(codes))]


def _run_until_stuck(
    codes: list[Code],
    waiting: list[int],
    outcomes: dict[int, Outcome],
    root: Path,
    time_limit: float,
    seed: str,
) -> None:
    environment = os.environ | {
        "PYTHONHASHSEED": seed,
        "PYTHONPATH": str(root),
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "80",
    }
    with subprocess.Popen(
        [sys.executable, "-m", "scripts.proof.run_fences"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=root,
        env=environment,
        text=True,
        start_new_session=True,  # so that what a fence started can be ended with it
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([[codes[i].name, codes[i].source] for i in waiting]))
        process.stdin.close()
        running = waiting[0]
        timed_out = threading.Event()

        def stop() -> None:
            timed_out.set()
            _kill(process.pid)

        timer = threading.Timer(time_limit, stop)
        timer.start()
        try:
            for line in process.stdout:
                timer.cancel()
                report = json.loads(line)
                if "starts" in report:
                    running = waiting[report["starts"]]
                else:
                    outcomes[running] = Outcome(
                        report.get("output", ""), report.get("error", ""), report.get("line", 0)
                    )
                timer = threading.Timer(time_limit, stop)
                timer.start()
            process.wait(timeout=time_limit)
        finally:
            timer.cancel()
            _kill(process.pid)
    if running not in outcomes:
        if timed_out.is_set():
            message = f"still running after {time_limit:g} s"
        else:
            message = f"ended its process (status {process.returncode})"
        outcomes[running] = Outcome(
            error=message,
            line=1,
            remedy="make it end, and quickly: chapters run it on every change",
        )


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
