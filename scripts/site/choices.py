"""A hook of MkDocs: what readers choose from, and the arithmetic of live passages as one module.

The expressions are those that the built pages mark, so nothing else is translated. That happens in a
process of its own, so that `mkdocs serve` sees edits.
"""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.utils import write_file

from scripts.cache import Cache, tree_digest
from scripts.javascript.assets import FOLDER
from scripts.javascript.live import CARDS, MODELS
from scripts.site.arithmetic import MADE_OF, ROOT
from scripts.site.live import short_name
from scripts.site.provenance import KINDS, anchor
from scripts.sync.numbers import split_unit
from snippets.hardware import ACCELERATORS
from snippets.models import MODELS as MODELS_BY_SLUG

MODULE = f"{FOLDER}/live.js"


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


def on_env(env: object, *, config: MkDocsConfig, files: Files) -> None:
    """Write the module, once all pages have been turned into HTML."""
    pages = [file.page for file in files.documentation_pages() if file.page]
    expressions = live_expressions(page.content or "" for page in pages)
    if expressions:
        module = translated(expressions, Cache(ROOT / ".cache"))
        write_file(module.encode(), str(Path(config.site_dir) / MODULE))


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


def live_expressions(pages: Iterable[str]) -> dict[str, str]:
    """The expressions of the live numbers of some pages' HTML, by the names of their functions."""
    numbers = _Numbers()
    for page in pages:
        numbers.feed(page)
        numbers.reset()
    return numbers.expressions


def export(kind: str, expression: str) -> str:
    """The name of the function that computes a number: its row in the ledger, as an identifier."""
    return anchor(kind, expression).replace("-", "_")


def translated(expressions: dict[str, str], cache: Cache) -> str:
    """The module that computes them. Raises PluginError for what has no translation."""
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
        known = done.stdout
        cache.put("live", key, known)
        cache.save(prune=True)
    return str(known)
