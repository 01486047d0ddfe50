"""The same sources built with Zensical, and every page's text, numbers and formulas compared with `site/`.

`make zensical` runs `python -m scripts.site.zensical PATH_OF_ZENSICAL` once `site/` is there. Zensical
reads mkdocs.yml and our Markdown extensions; what MkDocs' hooks would do comes before it and after it.
It keeps its own `.cache/` beside its configuration, which may be deleted, so it has a folder of its own.
"""

import difflib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

from scripts.core.cache import Cache
from scripts.core.faults import BadInput
from scripts.core.files import read_text, write_text
from scripts.site.finish import finish, url_of
from scripts.site.page_sources import write_sources

ROOT = Path(__file__).resolve().parents[2]
PROJECT = Path(".cache/zensical")
SHOWN = 8  # differences of a page that are printed
FROM_THE_ROOT = re.compile(r'\b(href|src)="/([^"/][^"]*)"')
MARKDOWN = re.compile(r"\b(\w[\w-]*)\.md(?=#|$)")
SAID = ("title", "alt", "href", "src", "data-written", "data-scale", "id")


def build(zensical: str, root: Path = ROOT) -> Path:
    """Build the site with Zensical; where it lies. Raises BadInput with its own words."""
    project = root / PROJECT
    write_sources(root, project / "docs")
    shutil.copytree(root / "theme", project / "theme", dirs_exist_ok=True)
    config = read_text(root / "mkdocs.yml")
    for name, folder in (("docs_dir", "docs"), ("site_dir", "site")):
        config = re.sub(rf"^{name}: .*$", f"{name}: {folder}", config, flags=re.MULTILINE)
    write_text(project / "mkdocs.yml", config)
    shutil.rmtree(project / "site", ignore_errors=True)
    importable = [str(root), sysconfig.get_path("purelib")]  # our extensions, and what those import
    done = subprocess.run(
        [zensical, "build", "--config-file", str(project / "mkdocs.yml")],
        cwd=root,  # where embedded files are looked for
        env=os.environ | {"PYTHONPATH": os.pathsep.join(importable)},
        capture_output=True,
        text=True,
    )
    if done.returncode or not (project / "site/index.html").is_file():
        raise BadInput("mkdocs.yml", 0, f"zensical fails:\n{done.stderr[-2000:]}", "see its words")
    for path in (project / "site").rglob("*.html"):
        url = url_of(path, project / "site")
        path.write_text(with_relative_links(url, read_text(path)), encoding="utf-8")
    finish(project / "site", root, Cache(root / ".cache"))
    return project / "site"


def with_relative_links(url: str, page: str) -> str:
    """A page whose links from the root of docs/, which Zensical leaves as they are, lead to pages."""

    def relative(match: re.Match[str]) -> str:
        target = MARKDOWN.sub(lambda end: "" if end[1] == "index" else f"{end[1]}/", match[2])
        return f'{match[1]}="{"../" * url.count("/") or "./"}{target}"'

    return FROM_THE_ROOT.sub(relative, page)


def differences(ours: Path, theirs: Path) -> dict[str, list[str]]:
    """For each page of a site what another shows otherwise: lines of a diff, none where nothing is."""
    pages = sorted(path.relative_to(ours).as_posix() for path in ours.rglob("*.html"))
    found = {}
    for page in pages:
        other = theirs / page
        shown = contents(page, read_text(other)) if other.is_file() else ["(no such page)"]
        own = contents(page, read_text(ours / page))
        lines = difflib.unified_diff(own, shown, n=0, lineterm="")
        found[page] = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    return found


def contents(page: str, html: str) -> list[str]:
    """What an article holds, word by word: text, formulas, and what links and pictures say."""
    reader = _Article(page)
    reader.feed(html)
    return reader.words


class _Article(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page
        self.words: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside |= tag == "article"
        if self.inside:
            for name, value in sorted(attrs, key=str):
                if name in ("href", "src"):
                    value = urljoin(f"/{self.page}", value or "")
                self.words += [f"{name}={value}"] if name in SAID else []

    def handle_endtag(self, tag: str) -> None:
        self.inside &= tag != "article"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.words += data.split()


def main(zensical: str) -> int:
    """Build, compare and say what differs; 1 where a page does."""
    try:
        found = differences(ROOT / "site", build(zensical))
    except BadInput as error:
        print(error.fault, file=sys.stderr)
        return 1
    for page, lines in found.items():
        if lines:
            print(f"{page}: {len(lines)} differences", *lines[:SHOWN], sep="\n    ")
    same = sum(not lines for lines in found.values())
    print(f"{same} of {len(found)} pages hold the same in both builds")
    return int(same < len(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
