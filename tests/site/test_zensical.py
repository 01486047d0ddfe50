"""What is compared between two builds, and what Zensical's needs beside ours."""

from pathlib import Path

import pytest

from scripts.site.zensical import differences, with_relative_links


@pytest.mark.parametrize(
    ("url", "written", "becomes"),
    [
        ("", 'href="/reference/ledger.md#p-1"', 'href="./reference/ledger/#p-1"'),
        ("a/b/", 'href="/index.md"', 'href="../../"'),
        ("a/", 'src="/figures/x.svg"', 'src="../figures/x.svg"'),
        ("a/", 'href="https://example.org/x.md"', 'href="https://example.org/x.md"'),
        ("a/", 'href="//example.org/x.md"', 'href="//example.org/x.md"'),
    ],
)
def test_links_from_the_root_of_the_sources_lead_to_pages(url, written, becomes):
    assert with_relative_links(url, written) == becomes


def test_what_differs_is_named_page_by_page_and_nothing_outside_of_the_text_counts(tmp_path: Path):
    page = '<nav>{}</nav><article><a href="{}" title="computed: 1">1</a> GB</article>'
    for site, home, other in (("ours", "../", "2 GB"), ("theirs", "/", "3 GB")):
        for name, text in (("a", page.format(site, home)), ("b", f"<article>{other}</article>")):
            (tmp_path / site / name).mkdir(parents=True)
            (tmp_path / site / name / "index.html").write_text(text)
    (tmp_path / "ours/index.html").write_text("<article>x</article>")
    found = differences(tmp_path / "ours", tmp_path / "theirs")
    assert found["a/index.html"] == []
    assert found["b/index.html"] == ["-2", "+3"]
    assert "+(no such page)" in found["index.html"]
