"""Markdown to HTML with the extensions of mkdocs.yml, before ours dress what it says.

What judges pages calls the function that `renderer(root)` gives; `fingerprint` changes when it would
give something else. Our own extensions add what is drawn from data, and are left out; colours of code
change nothing that it says.
"""

import hashlib
import importlib.metadata
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from markdown import Markdown

CONFIGURATION = "mkdocs.yml"
OURS = "scripts."


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml, whose tags of environment variables mean nothing here."""


_Loader.add_multi_constructor("!", lambda loader, suffix, node: None)


def renderer(root: Path) -> Callable[[str], str]:
    """A function from a page's Markdown to its HTML."""
    configuration = yaml.load((root / CONFIGURATION).read_text(encoding="utf-8"), Loader=_Loader)
    names: list[str] = []
    options: dict[str, dict[str, Any]] = {}
    for each in configuration["markdown_extensions"]:
        name, given = next(iter(each.items())) if isinstance(each, dict) else (each, {})
        if not name.startswith(OURS):
            names.append(name)
            options[name] = dict(given)
    options["pymdownx.highlight"]["use_pygments"] = False
    options["pymdownx.snippets"]["base_path"] = [os.fspath(root)]
    markdown = Markdown(extensions=names, extension_configs=options)
    return lambda source: markdown.reset().convert(source)


def fingerprint(root: Path) -> str:
    """A digest of the configuration and of the versions that render."""
    versions = [importlib.metadata.version(name) for name in ("markdown", "pymdown-extensions")]
    text = (root / CONFIGURATION).read_text(encoding="utf-8") + " ".join(versions)
    return hashlib.sha256(text.encode()).hexdigest()
