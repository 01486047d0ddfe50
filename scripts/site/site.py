"""Build `site/` from the sources: written out, turned into pages by MkDocs, finished, swapped in whole.

`scripts/build.py` calls this while it holds the lock, so `.cache/` has one user at a time.
"""

import contextlib
import hashlib
import importlib.metadata
import logging
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from scripts.core.cache import Cache
from scripts.core.faults import BadInput
from scripts.core.freshness import environment, files_digest, key
from scripts.proof.page import Page
from scripts.site.count import compare_with_site
from scripts.site.finish import finish
from scripts.site.page_sources import write_sources

SOURCES = Path(".cache/docs")  # as mkdocs.yml says
FRESH = Path(".cache/site")
OF_THIS_MACHINE = "docs/reference/this-machine.md"
NOT_READ = {"site", "tests"}  # nor what is hidden
ASKED = re.compile(r"!ENV \[?(\w+)")
TOOLS = ("mkdocs", "pymdown-extensions", "markdown", "pygments", "matplotlib", "numpy")


def inputs(root: Path) -> str:
    """A digest of all that checking, rendering and building depend on, tools and environment included."""
    asked = {*ASKED.findall((root / "mkdocs.yml").read_text(encoding="utf-8")), "REPO_URL"}
    names = {path.name for path in root.iterdir() if not path.name.startswith(".")}
    return key(
        python=sys.version,
        tools={name: importlib.metadata.version(name) for name in TOOLS},
        environment=environment(*asked),
        files=files_digest(root, sorted(names - NOT_READ)),
    )


def outputs(root: Path) -> str:
    """Names, sizes and times of all files of `site/`: enough to see that nobody touched them."""
    digest = hashlib.sha256()
    for path in sorted((root / "site").rglob("*")):
        status = path.stat()
        if path.is_file():
            digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def build_site(
    root: Path, cache: Cache, pages: Mapping[str, Page], into: Path | None = None
) -> str:
    """Build the site into a folder, `site/` where none is named; what it shows, in words.

    `pages` are the sources, parsed: all that they hold must be shown. The new site takes the old one's
    place only when it is complete. Raises BadInput with what is wrong.
    """
    fresh = root / FRESH
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        write_sources(root, root / SOURCES)
        make_pages(root, fresh)
        finish(fresh, root, cache)
        totals, faults = compare_with_site(fresh, pages, uncounted=(OF_THIS_MACHINE,))
        if faults:
            raise BadInput(faults[0].path, 0, faults[0].message, faults[0].remedy)
        swap(fresh, into or root / "site")
    except OSError as error:
        remedy = "free disk space or check permissions, then run it again; site/ is as it was"
        raise BadInput("site", 0, f"cannot be written: {error.strerror}", remedy) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return "shows " + ", ".join(f"{count} {kind}" for kind, count in sorted(totals.items()))


def make_pages(root: Path, into: Path) -> None:
    """Turn the sources that were written into pages. Raises BadInput with MkDocs' own words."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException
    from pymdownx.snippets import SnippetMissingError

    said = _Said()
    log = logging.getLogger("mkdocs")
    log.addHandler(said)
    try:
        with contextlib.chdir(root):  # where embedded files are looked for
            build(load_config(str(root / "mkdocs.yml"), site_dir=str(into), strict=True))
    except (MkDocsException, SnippetMissingError, SystemExit, ValueError) as error:
        words = "\n".join([*said.words, str(error)][-20:])
        message = f"mkdocs build --strict fails:\n{words}"
        raise BadInput("mkdocs.yml", 0, message, "correct the page that it names") from error
    finally:
        log.removeHandler(said)


class _Said(logging.Handler):
    """What MkDocs warns of."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.words: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.words.append(f"{record.levelname} -  {record.getMessage()}")


def swap(fresh: Path, site: Path) -> None:
    """Put a folder in another one's place."""
    old = fresh.with_name("site.old")
    shutil.rmtree(old, ignore_errors=True)
    if site.exists():
        os.replace(site, old)
    site.parent.mkdir(parents=True, exist_ok=True)
    os.replace(fresh, site)
    shutil.rmtree(old, ignore_errors=True)
