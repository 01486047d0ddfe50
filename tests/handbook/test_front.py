"""How pages begin."""

import pytest

from scripts.handbook.front import check_front

CHAPTERS = [f"docs/chapters/{name}.md" for name in ("01-first", "02-second-one", "03-third")]


def faults(front: str, path: str = CHAPTERS[2]) -> list[tuple[int, str]]:
    found = check_front(path, f"---\n{front}\n---\n\n# Title\n", CHAPTERS)
    assert all(each.path == path and each.remedy for each in found)
    return [(each.line, each.message) for each in found]


@pytest.mark.parametrize("needs", ["[]", "[first]", "[first, second-one]", "\n- first"])
def test_a_chapter_names_what_comes_before_it(needs):
    assert faults(f"title: One\nneeds: {needs}") == []


def test_other_pages_begin_with_their_title_or_with_front_matter():
    assert check_front("docs/p.md", "# Title\n", CHAPTERS) == []
    assert faults("hide: [toc, navigation]\nsearch: {exclude: true}", "docs/p.md") == []


@pytest.mark.parametrize(
    ("front", "line", "said"),
    [
        ("title: A\nneeds: [unclosed", 3, "front matter that is no YAML"),
        ("needs: first", 2, "needs is 'first', no list"),
        ("title: A\nneeds: [nonsense]", 3, "needs 'nonsense', and no chapter before it"),
        ("needs: [third]", 2, "needs 'third', and no chapter before it"),
        ("needs: [[first]]", 2, "needs ['first'], and no chapter before it"),
        ("needs:", 2, "needs is None, no list"),
        ("title: A", 1, "needs is None, no list"),
        ("need: [first]\nneeds: []", 2, "front matter has no 'need'"),
        ("needs: []\nhide: toc", 3, "hide is 'toc'"),
        ("needs: []\nhide: [feet]", 3, "hide is ['feet']"),
        ("title: 3\nneeds: []", 2, "title is 3, no text"),
        ("needs: []\nsearch: no", 3, "search is False"),
        ("needs: []\nterms: [a]", 3, "terms is ['a']"),
        ("needs: []\nterms: {a: b}", 3, "terms is {'a': 'b'}"),
        ("- needs", 2, "front matter that names no keys"),
    ],
)
def test_a_fault_has_its_line(front, line, said):
    ((where, message),) = faults(front)
    assert where == line
    assert message.startswith(said)


def test_only_chapters_have_needs():
    assert faults("needs: []", "docs/p.md") == [(2, "only chapters have needs")]


@pytest.mark.parametrize("source", ["Note: this is lost\n\n# Title\n", "", "\n# Title\n"])
def test_what_is_no_title_might_be_read_as_front_matter(source):
    (fault,) = check_front("docs/p.md", source, CHAPTERS)
    assert (fault.line, fault.message) == (1, "a page that does not start with its title")


def test_front_matter_ends():
    (fault,) = check_front(CHAPTERS[0], "---\nneeds: []\n\n# Title\n", CHAPTERS)
    assert (fault.line, fault.message) == (1, "front matter that does not end")
