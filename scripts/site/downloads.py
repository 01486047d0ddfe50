"""A hook of MkDocs: the data of pages' own tables, and notes on their numbers, among the files."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from scripts.proof.parse import parse_page
from scripts.site.exhibits import opening
from scripts.site.made import add_files, made
from scripts.site.page_tables import named_tables

ROOT = Path(__file__).resolve().parents[2]
MADE_OF = (
    *("docs/index.md", "docs/planner.md", "docs/chapters", "docs/labs", "docs/reference"),
    *(
        "docs/tables",
        "docs/data",
        "snippets",
        "scripts/proof",
        "scripts/exhibits",
        "scripts/tables",
    ),
    *("scripts/site/page_data.py", "scripts/site/page_tables.py"),
)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add what `scripts/site/page_data.py` writes."""
    add_files(
        files, made(ROOT, "scripts.site.page_data", MADE_OF, ROOT / ".cache" / "downloads"), config
    )
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let the tables that stand in a page itself offer their data, as the embedded ones do."""
    path = Path(page.file.src_uri)
    if path.suffix != ".md":
        return markdown
    lines = markdown.splitlines()
    tables = named_tables(parse_page(path.name, markdown), path.stem)
    for name, table in reversed(tables.items()):
        first, end = table.lines[0] - 1, table.lines[-1]
        lines[first:end] = ["", opening(name), "", *lines[first:end], "", "</div>", ""]
    return "\n".join(lines)
