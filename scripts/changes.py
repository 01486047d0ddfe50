"""What a change does to the numbers: old and new, page by page, as Markdown for a reviewer.

    python scripts/changes.py origin/main

Compares the pages of a commit with those that lie here. A number is known by its page and the
expression that it comes from; so a number that was moved within a page is not a change.
"""

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from scripts.handbook.lab_source import is_lab, parse_source  # noqa: E402

PAGES = "docs"
Numbers = dict[str, list[str]]  # what stands in the page, by kind and expression


def main() -> int:
    """Print the changes since the commit; exit with 1 if there is no such commit."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("commit", help="what to compare with, such as origin/main")
    commit = parser.parse_args().commit
    if _git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}") is None:
        print(f"{commit}: no such commit\n    remedy: fetch it, or name another", file=sys.stderr)
        return 1
    # A merge base, so that what happened on the other branch meanwhile is not counted.
    base = (_git("merge-base", commit, "HEAD") or commit).strip()
    before = (_git("ls-tree", "-r", "--name-only", base, PAGES) or "").splitlines()
    now = [path.relative_to(ROOT).as_posix() for path in (ROOT / PAGES).rglob("*.*")]
    print(
        changes(
            sorted({path for path in (*before, *now) if _is_page(path)}),
            old=lambda path: _git("show", f"{base}:{path}"),
            new=lambda path: (ROOT / path).read_text("utf-8") if (ROOT / path).exists() else None,
        ),
        end="",
    )
    return 0


def changes(
    paths: Iterable[str],
    *,
    old: Callable[[str], str | None],
    new: Callable[[str], str | None],
) -> str:
    """Tables of what was added, removed and changed, for each page where anything was.

    `old` and `new` give a page's source, None where there is no such page.
    """
    sections = []
    for path in paths:
        before, after = _numbers(path, old(path)), _numbers(path, new(path))
        rows = [
            f"| {_cell(before.get(name, []))} | {_cell(after.get(name, []))} | `{name}` |"
            for name in dict.fromkeys((*before, *after))
            if before.get(name) != after.get(name)
        ]
        if rows:
            head = f"### `{path}`\n\n| old | new | from |\n| --- | --- | --- |\n"
            sections.append(head + "\n".join(rows) + "\n")
    return "\n".join(sections) if sections else "No number changes.\n"


def _numbers(path: str, source: str | None) -> Numbers:
    found: Numbers = {}
    if source is None:
        return found
    page = parse_source(path, source)
    for reference in page.references:
        definition = page.definitions.get(reference.label)
        if definition is not None:
            name = f'{definition.kind} "{definition.expression}"'.replace("|", "\\|")
            texts = found.setdefault(name, [])
            if reference.text not in texts:
                texts.append(reference.text)
    return {name: sorted(texts) for name, texts in found.items()}


def _cell(texts: list[str]) -> str:
    return "; ".join(texts).replace("|", "\\|") or "—"


def _is_page(path: str) -> bool:
    """Not the ledger, which lists every number again, nor what belongs to this machine alone."""
    return (
        (path.endswith(".md") or is_lab(path))
        and path != "docs/tables/ledger.md"
        and not path.startswith(("docs/tables/local/", "docs/assets/"))
    )


def _git(*arguments: str) -> str | None:
    """What git prints; None where it fails."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False)
    return done.stdout.decode("utf-8") if done.returncode == 0 else None


if __name__ == "__main__":
    sys.exit(main())
