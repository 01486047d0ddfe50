"""The command that plans, the first recomputation of a live page, and Lighthouse's marks of pages."""

import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from scripts.core.cache import Cache
from scripts.site.chromium import find_chromium
from scripts.site.site import build_site
from scripts.site.typeset import node
from tests import packages
from tests.bench.row import Row, fastest
from tests.browser.hosting import hosted
from tests.browser.visits import CHAPTERS, ROOT, opened

LOADS = 5
JUDGED = ["", *CHAPTERS, "planner/"]
KINDS = ["performance", "accessibility", "best-practices", "seo"]
CHANGE = """() => {
  const form = document.querySelector("form.choice");
  form.elements.card.value = "rtx-4090";
  form.dispatchEvent(new Event("change"));
}"""


def planning() -> Iterator[Row]:
    """`scripts/plan.py` from start to end, beside a Python that does nothing."""
    asked = [sys.executable, "scripts/plan.py", "llama-3.1-8b", "--json"]
    calls = {
        name: lambda command=command: subprocess.run(  # type: ignore[misc]
            command, cwd=ROOT, check=True, capture_output=True
        )
        for name, command in {"plan": asked, "nothing": [sys.executable, "-c", ""]}.items()
    }
    yield Row("scripts/plan.py llama-3.1-8b", *fastest(calls).values(), "300 ms")


@contextmanager
def _site() -> Iterator[str]:
    """The address of the site, built and served."""
    with TemporaryDirectory() as folder:
        site = Path(folder, "site")
        build_site(ROOT, Cache(ROOT / ".cache"), {}, site)
        with hosted(site) as address:
            yield address


def choices() -> Iterator[Row]:
    """From a reader's first choice to the last number written, at the median of fresh loads."""
    with _site() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        for path in ["", *CHAPTERS]:
            took = []
            for _ in range(LOADS):
                with opened(browser, address + path) as (page, _wrong):
                    page.get_by_label("Your card", exact=True).focus()
                    page.wait_for_load_state("networkidle")
                    page.evaluate(CHANGE)
                    page.locator("form.choice[data-shown='rtx-4090,']").wait_for()
                    entry = "performance.getEntriesByName('choice').at(-1).duration"
                    took.append(page.evaluate(entry) / 1e3)
            yield Row(
                f"first choice on {path or 'the first page'}", statistics.median(took), aim="50 ms"
            )
        browser.close()


def marks() -> Iterator[Row]:
    """Lighthouse's marks. Other work makes a page slower, never faster: the best of several counts."""
    packages.install()
    script = ROOT / "tests/browser/judge.mjs"
    with ExitStack() as stack:
        address = stack.enter_context(_site())
        judge = stack.enter_context(
            subprocess.Popen(
                [node(), script, str(find_chromium())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        assert judge.stdin
        assert judge.stdout
        for path in JUDGED:
            for form, aim in (("desktop", 100), ("mobile", 95)):
                best = dict.fromkeys(KINDS, 0)
                for load in range(LOADS):
                    asked = {"url": address + path, "form": form, "only": KINDS[: 1 if load else 4]}
                    print(json.dumps(asked), file=judge.stdin, flush=True)
                    found = json.loads(judge.stdout.readline())
                    for kind, mark in found["scores"].items():
                        best[kind] = max(best[kind], mark)
                    if best["performance"] >= aim:
                        break
                others = ", ".join(f"{kind} {best[kind]}" for kind in KINDS[1:])
                what = f"{path or 'the first page'}, {form}"
                yield Row(what, f"{best['performance']}", others, f"{aim}, others 100")
        judge.stdin.close()
