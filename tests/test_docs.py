"""Nothing is skipped silently: what stands in the pages is what the doc tests collect."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.core.files import read_text
from scripts.handbook.told import page_paths
from scripts.proof.parse import parse_page

ROOT = Path(__file__).parents[1]


def test_every_fence_is_collected() -> None:
    expected = {}
    for path in page_paths(ROOT):
        fences = parse_page(path, read_text(ROOT / path)).printed
        if fences:
            expected[path] = len(fences)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "docs"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    collected: dict[str, int] = {}
    for line in done.stdout.splitlines():
        if "::" in line:
            path = line.partition("::")[0]
            collected[path] = collected.get(path, 0) + 1
    assert collected == expected


@pytest.mark.parametrize("path", [p for p in page_paths(ROOT) if "/chapters/" in p])
def test_a_chapter_has_what_every_chapter_has(path: str) -> None:
    text = read_text(ROOT / path)
    assert text.count("<details markdown>") >= 4, "at least four exercises whose answers unfold"
    assert text.count("<details markdown>") == text.count("</details>")
    assert "\n## Exercises" in text
    assert "\n## References" in text
    assert "](../figures/" in text, "at least one figure"
    assert "](../reference/glossary.md#" in text, "terms linked to the glossary"
