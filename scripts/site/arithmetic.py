"""A hook of MkDocs: the arithmetic that pages compute with, translated from Python, among the files."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files

from scripts.site.made import add_files, made

ROOT = Path(__file__).resolve().parents[2]
MADE_OF = (
    "docs/data/hardware",
    "snippets",
    "scripts/javascript",
    "scripts/planner",
    "docs/data/models",
)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add what `scripts/javascript` writes."""
    add_files(files, translated(ROOT / ".cache" / "javascript"), config)
    return files


def translated(cache: Path) -> Path:
    """The folder that holds the translation of the present sources."""
    return made(ROOT, "scripts.javascript", MADE_OF, cache)
