"""Build the site with MkDocs, only when something that it is made of has changed."""

import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.core.cache import Cache
from scripts.core.faults import BadInput
from scripts.core.freshness import files_digest
from scripts.site import arithmetic, downloads, labs

MADE_OF = (
    *("mkdocs.yml", "docs", "theme", "scripts/site", "third_party"),
    *arithmetic.MADE_OF,
    *downloads.MADE_OF,
)
# The theme's advertisement would come first in every message of MkDocs' own.
ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "1", "NO_MKDOCS_2_WARNING": "1"}
ASKED = ("SITE_URL", "BOOK")  # what mkdocs.yml takes from the environment
TOOLS = ("mkdocs", "mkdocs-material", "mkdocs-jupyter", "pymdown-extensions", "markdown")


def inputs_digest(root: Path) -> str:
    """A digest of every file that the site is made of, and of the tools that make it."""
    tools = [f"{name} {importlib.metadata.version(name)}" for name in TOOLS]
    asked = [os.environ.get(name, "") for name in ASKED]
    parts = [*tools, *asked, files_digest(root, MADE_OF), *labs.keys(root)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def is_built(root: Path, cache: Cache) -> bool:
    """Whether `site/` is what the present sources give, untouched since."""
    state = {"inputs": inputs_digest(root), "outputs": _tree_state(root / "site")}
    return bool(cache.get("site", "built") == state)


def build_site(root: Path, cache: Cache) -> None:
    """Build `site/`. Raises BadInput with MkDocs' own words.

    The new site takes the old one's place only when it is complete.
    """
    fresh = root / ".cache" / "site"
    shutil.rmtree(fresh, ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(fresh)],
        cwd=root,
        env=os.environ | ENVIRONMENT | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    if "No space left on device" in done.stderr:
        shutil.rmtree(fresh, ignore_errors=True)
        raise BadInput("site", 0, "the disk is full", "free disk space, then run it again")
    if done.returncode:
        told = ("INFO", "[IPKernelApp]")  # which says that kernels of labs listen on this machine
        lines = done.stderr.splitlines()
        words = [line for line in lines if line.strip() and not any(each in line for each in told)]
        raise BadInput(
            "mkdocs.yml",
            0,
            "mkdocs build --strict fails:\n" + "\n".join(words[-20:]),
            "correct the page that it names",
        )
    shutil.rmtree(root / "site", ignore_errors=True)
    try:
        os.replace(fresh, root / "site")
    except OSError as error:
        raise BadInput(
            "site", 0, f"cannot be written: {error.strerror}", "check its permissions and the disk"
        ) from error
    cache.put(
        "site", "built", {"inputs": inputs_digest(root), "outputs": _tree_state(root / "site")}
    )


def _tree_state(site: Path) -> str:
    """Names, sizes and times of all files: enough to see that nobody touched them."""
    digest = hashlib.sha256()
    for path in sorted(site.rglob("*")):
        status = path.stat()
        if path.is_file():
            digest.update(
                f"{path.relative_to(site)} {status.st_size} {status.st_mtime_ns}\n".encode()
            )
    return digest.hexdigest()
