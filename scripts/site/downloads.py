"""A hook of MkDocs: the data of tables, and the notes on where numbers come from, among the files."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files

from scripts.site.made import add_files, made

ROOT = Path(__file__).resolve().parents[2]
MADE_OF = (
    *("docs/index.md", "docs/planner.md", "docs/chapters", "docs/labs", "docs/reference"),
    *("docs/tables", "docs/data", "snippets", "scripts/sync"),
    *("scripts/bibliography.py", "scripts/downloads.py", "scripts/origins.py"),
    *("scripts/records.py", "scripts/table_data.py", "scripts/render/this_machine.py"),
)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add what `scripts/downloads.py` writes."""
    add_files(
        files, made(ROOT, "scripts.downloads", MADE_OF, ROOT / ".cache" / "downloads"), config
    )
    return files
