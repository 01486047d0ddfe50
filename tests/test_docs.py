"""Nothing is skipped silently: what stands in the pages is what the doc tests collect."""

from collections import Counter
from pathlib import Path

import pytest

from scripts.core.files import read_text
from scripts.handbook.this_book import page_paths
from scripts.proof.parse import parse_page

ROOT = Path(__file__).parents[1]


class Collected:
    """What pytest would run."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.names = [item.nodeid for item in session.items]


def test_every_fence_is_collected() -> None:
    expected = {}
    for path in page_paths(ROOT):
        fences = parse_page(path, read_text(ROOT / path)).printed
        if fences:
            expected[path] = len(fences)
    seen = Collected()
    pytest.main(["--collect-only", "-qq", "-n", "0", "docs"], [seen])
    assert Counter(name.partition("::")[0] for name in seen.names) == expected


@pytest.mark.parametrize("path", [p for p in page_paths(ROOT) if "/chapters/" in p])
def test_a_chapter_has_what_every_chapter_has(path: str) -> None:
    text = read_text(ROOT / path)
    assert text.count("<details markdown>") >= 4, "at least four exercises whose answers unfold"
    assert text.count("<details markdown>") == text.count("</details>")
    assert "\n## Exercises" in text
    assert "\n## References" in text
    assert "](../figures/" in text, "at least one figure"
    assert "](../reference/glossary.md#" in text, "terms linked to the glossary"
