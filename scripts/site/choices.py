"""A hook of MkDocs: what readers choose from, and the arithmetic of each page's live passages as a module.

The expressions are those that the built page marks, so nothing else is translated. That happens in a
process of its own, so that `mkdocs serve` sees edits.
"""

import hashlib
import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.utils import write_file

from scripts.cache import Cache, tree_digest
from scripts.javascript.assets import FOLDER
from scripts.javascript.live import CARDS, MODELS
from scripts.proof.live import short_name
from scripts.proof.numbers import split_unit
from scripts.site.arithmetic import MADE_OF, ROOT
from scripts.site.provenance import KINDS, anchor
from snippets.hardware import ACCELERATORS
from snippets.models import MODELS as MODELS_BY_SLUG

PLANNER = '<div id="plan"'


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Hand cards and models to the theme."""
    cards = {slug: name for name, slug in CARDS.items()}
    models = {slug: name for name, slug in MODELS.items()}
    config.extra["choices"] = {
        "card": [
            {"slug": s, "object": cards[s], "name": card.name, "short": short_name(card.name)}
            for s, card in ACCELERATORS.items()
        ],
        "model": [
            {"slug": s, "object": models[s], "name": model.name, "experts": bool(model.experts)}
            for s, model in MODELS_BY_SLUG.items()
        ],
    }
    return config


def on_page_context(context: dict[str, Any], *, page: Page, **_: object) -> dict[str, Any]:
    """Say which module computes the live numbers of a page, if it has some, and whether it has a choice."""
    content = page.content or ""
    live = "data-written" in content
    arithmetic = module_path(page.file.src_uri) if live else None
    return context | {"arithmetic": arithmetic, "choosing": live or PLANNER in content}


def on_env(env: object, *, config: MkDocsConfig, files: Files) -> None:
    """Write the modules, once all pages have been turned into HTML."""
    pages = {file.src_uri: file.page for file in files.documentation_pages() if file.page}
    found = {module_path(uri): live_expressions(page.content or "") for uri, page in pages.items()}
    asked = {path: expressions for path, expressions in found.items() if expressions}
    for path, text in translated(asked, Cache(ROOT / ".cache")).items():
        write_file(text.encode(), str(Path(config.site_dir) / path))


def module_path(page: str) -> str:
    """Where the module of a page's live numbers is written."""
    return f"{FOLDER}/{page.removesuffix('.md')}.js"


class _Numbers(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.expressions: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "a" and "data-written" in found:
            said, _, expression = (found["title"] or "").partition(": ")
            kind = next(kind for kind, word in KINDS.items() if word == said)
            self.expressions[export(kind, expression)] = split_unit(expression)[0]


def live_expressions(page: str) -> dict[str, str]:
    """The expressions of the live numbers of a page's HTML, by the names of their functions."""
    numbers = _Numbers()
    numbers.feed(page)
    return numbers.expressions


def export(kind: str, expression: str) -> str:
    """The name of the function that computes a number: its row in the ledger, as an identifier."""
    return anchor(kind, expression).replace("-", "_")


def translated(expressions: dict[str, dict[str, str]], cache: Cache) -> dict[str, str]:
    """The modules that compute them. Raises PluginError for what has no translation."""
    asked = json.dumps(expressions, sort_keys=True)
    key = hashlib.sha256(f"{tree_digest(ROOT, MADE_OF)} {asked}".encode()).hexdigest()
    if not (known := cache.get("live", key)):
        done = subprocess.run(
            [sys.executable, "-m", "scripts.javascript.live"],
            cwd=ROOT,
            input=asked,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise PluginError(done.stderr.strip())
        known = json.loads(done.stdout)
        cache.put("live", key, known)
        cache.save(prune=True)
    return dict(known)
