"""A hook of MkDocs: of the theme's stylesheet, only the rules that can apply to a page of this site.

A browser tries each rule on each element. Most of the theme's are for what this site does not have.
"""

import hashlib
import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import tinycss2
from mkdocs.config.defaults import MkDocsConfig

from scripts.site.prepared import TABLE

SHEETS = "assets/stylesheets"
CLASSES = re.compile(r'class="?([^">]+)')
WORDS = re.compile(r"[A-Za-z_][\w-]*")
TABS = re.compile(r'data-tabs="[^":]*:(\d+)"')
NTH = re.compile(r"input:nth-child\((\d+)\)")
WITH_RULES = frozenset({"media", "supports", "layer", "container"})


def on_post_build(config: MkDocsConfig) -> None:
    """Trim the sheet, under a name of its own: nobody is served an older one from a cache."""
    site = Path(config.site_dir)
    pages = {path: path.read_text("utf-8") for path in site.rglob("*.html")}
    scripts = [path.read_text("utf-8") for path in site.rglob("*.js")]
    shown = classes(pages.values(), scripts)
    tabs = max((int(most) for page in pages.values() for most in TABS.findall(page)), default=0)
    for sheet in sorted((site / SHEETS).glob("main.*.css")):
        text = sheet.read_text("utf-8").replace("table:not([class])", f"table.{TABLE}")
        trimmed = trim(text, shown=shown, tabs=tabs).encode()
        name = f"main.{hashlib.sha256(trimmed).hexdigest()[:8]}.css"
        sheet.unlink()
        (site / SHEETS / name).write_bytes(trimmed)
        for path, page in pages.items():
            pages[path] = page.replace(f"{SHEETS}/{sheet.name}", f"{SHEETS}/{name}")
    for path, page in pages.items():
        path.write_text(page, encoding="utf-8")


def classes(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """The classes that elements of some pages have, or that a script may give them."""
    shown: set[str] = set()
    for page in pages:
        for written in CLASSES.findall(page):
            shown |= set(written.split())
    for script in scripts:
        shown |= set(WORDS.findall(script))
    return shown


def trim(sheet: str, *, shown: set[str], tabs: int) -> str:
    """A stylesheet without the selectors that need a class that is not shown, or a later tab."""
    rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    return "".join(_kept(rules, shown, tabs))


def _kept(rules: Iterable[tinycss2.ast.Node], shown: set[str], tabs: int) -> Iterable[str]:
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [each for each in _selectors(rule.prelude) if _applies(each, shown, tabs)]
            if selectors:
                written = ",".join(tinycss2.serialize(each).strip() for each in selectors)
                yield f"{written}{{{tinycss2.serialize(rule.content)}}}"
        elif rule.type == "at-rule" and rule.lower_at_keyword in WITH_RULES and rule.content:
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            if kept := "".join(_kept(inner, shown, tabs)):
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{kept}}}"
        else:
            yield rule.serialize()


def _selectors(prelude: list[tinycss2.ast.Node]) -> list[list[tinycss2.ast.Node]]:
    """The selectors of a rule, which commas outside of brackets divide."""
    selectors: list[list[tinycss2.ast.Node]] = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            selectors.append([])
        else:
            selectors[-1].append(token)
    return selectors


def _applies(selector: list[tinycss2.ast.Node], shown: set[str], tabs: int) -> bool:
    """Whether some element may match: what stands in brackets, as in :not(), is not judged."""
    for dot, name in pairwise(selector):
        named = dot.type == "literal" and dot.value == "." and name.type == "ident"
        if named and name.value not in shown:
            return False
    return all(int(number) <= tabs for number in NTH.findall(tinycss2.serialize(selector)))
