"""Count what the built site shows, so that nothing in the sources is lost on the way to the reader."""

from collections import Counter
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path

from scripts.core.faults import Fault
from scripts.proof.page import Page


class _Counter(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        if tag == "a" and "proven" in classes:
            self.counts["numbers"] += 1
        if "arithmatex" in classes:
            self.counts["formulas"] += 1
        if "highlight" in classes and "language-python" in classes:
            self.counts["python fences"] += 1
        if "highlight" in classes and "language-text" in classes:
            self.counts["text fences"] += 1

    def handle_data(self, data: str) -> None:
        if "--8<--" in data:
            self.counts["lines that embed nothing"] += 1


def count_html(html: str) -> Counter[str]:
    """Proven numbers, formulas and fences that a built page shows."""
    counter = _Counter()
    counter.feed(html)
    return counter.counts


def count_source(page: Page, pages: Mapping[str, Page]) -> Counter[str]:
    """The same for a page's source, with the tables that it embeds."""
    counts: Counter[str] = Counter()
    for part in [page, *(pages[name] for _, name in page.embeds if name in pages)]:
        counts["numbers"] += len(part.references)
        counts["formulas"] += len(part.formulas)
        for fence in part.fences:
            counts[f"{fence.language} fences"] += fence.language in ("python", "text")
    return +counts


def compare_with_site(
    site: Path, pages: Mapping[str, Page], *, uncounted: Iterable[str]
) -> tuple[Counter[str], list[Fault]]:
    """(totals shown by the site, faults) for each page but those whose content is made elsewhere."""
    totals: Counter[str] = Counter()
    faults = []
    for path, page in pages.items():
        if path.startswith("docs/tables/") or path in set(uncounted):
            continue
        inside = Path(path).relative_to("docs").with_suffix("").as_posix()
        built = site / ("index.html" if inside == "index" else f"{inside}/index.html")
        if not built.is_file():
            faults.append(Fault(path, 0, "has no page in the built site", "add it to mkdocs.yml"))
            continue
        shown = count_html(built.read_text(encoding="utf-8"))
        expected = count_source(page, pages)
        totals += shown
        for kind in sorted(expected.keys() | shown.keys()):
            if shown[kind] != expected[kind]:
                faults.append(
                    Fault(
                        path,
                        0,
                        f"{expected[kind]} {kind} in the source, {shown[kind]} in the built page",
                        "look for Markdown that the site reads differently, such as a list or HTML "
                        "that swallows it",
                    )
                )
    return totals, faults
