"""A hook of MkDocs: the arithmetic that pages compute with, translated from Python, among the files.

It is translated in a process of its own, so that `mkdocs serve` sees edits, and kept in `.cache/`
under a digest of the sources.
"""

import contextlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from scripts.cache import tree_digest

ROOT = Path(__file__).resolve().parents[2]
MADE_OF = (
    "snippets",
    "scripts/javascript",
    "scripts/planner",
    "scripts/config_values.py",
    "scripts/model_config.py",
)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add what `scripts/javascript` writes."""
    folder = translated(ROOT / ".cache" / "javascript")
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            uri = path.relative_to(folder).as_posix()
            files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def translated(cache: Path) -> Path:
    """The folder that holds the translation of the present sources.

    Two builds at once may both make it: whoever is second uses the first one's.
    """
    folder = cache / tree_digest(ROOT, MADE_OF)
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    older = [path for path in cache.iterdir() if not path.name.startswith("partial")]
    partial = Path(tempfile.mkdtemp(prefix="partial-", dir=cache))
    done = subprocess.run(
        [sys.executable, "-m", "scripts.javascript", str(partial)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        shutil.rmtree(partial)
        raise PluginError(done.stderr.strip())
    with contextlib.suppress(OSError):
        partial.rename(folder)
    for path in older:
        shutil.rmtree(path, ignore_errors=True)
    shutil.rmtree(partial, ignore_errors=True)
    return folder
