"""How pages are read and written: a mended page keeps its file's line ends and mark."""

import pytest

from scripts.handbook.this_book import Source


@pytest.mark.parametrize(
    ("read", "mark", "ends"),
    [("a\nb\n", "", "\n"), ("a\r\nb\r\n", "", "\r\n"), ("\ufeffa\nb\n", "\ufeff", "\n")],
)
def test_a_file_keeps_its_line_ends_and_its_mark(read: str, mark: str, ends: str) -> None:
    source = Source.of(read)
    assert source == Source("a\nb\n", mark, ends)
    assert source.with_text(source.text) == read.encode()
    assert source.with_text("c\n") == f"{mark}c{ends}".encode()
