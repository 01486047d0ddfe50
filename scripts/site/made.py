"""Files of the site that a program of ours writes, in a process of its own.

So `mkdocs serve` sees edits of the program's modules. What was written is kept in `.cache/` under a
digest of all that it is made of.
"""

import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from scripts.core.freshness import files_digest


def add_files(files: Files, folder: Path, config: MkDocsConfig) -> None:
    """Add all that lies in a folder to the files of the site."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            uri = path.relative_to(folder).as_posix()
            files.append(File.generated(config, uri, abs_src_path=str(path)))


def made(root: Path, program: str, made_of: Sequence[str], cache: Path) -> Path:
    """The folder with what `python -m PROGRAM FOLDER` writes of the present sources.

    Two builds at once may both make it: whoever is second uses the first one's. Raises PluginError
    with the program's own words.
    """
    folder = cache / files_digest(root, made_of)
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    older = [path for path in cache.iterdir() if not path.name.startswith("partial")]
    partial = Path(tempfile.mkdtemp(prefix="partial-", dir=cache))
    done = subprocess.run(
        [sys.executable, "-m", program, str(partial)], cwd=root, capture_output=True, text=True
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
