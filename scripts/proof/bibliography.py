"""Read the bibliography and lay it out: one table of all works, and one list for each chapter."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from scripts.core.faults import BadInput
from scripts.core.files import read_text

Entry = Mapping[str, str]

OPENING = re.compile(r"^ *@ *(\w+) *\{ *([^,\s]*)", re.MULTILINE)
REQUIRED = ("author", "title", "year")
IDENTIFIERS = ("eprint", "doi", "url")
VENUES = ("booktitle", "journal", "howpublished")
ARXIV = re.compile(r"\d{4}\.\d{4,5}")


def read_bibliography(path: Path, *, name: str | None = None) -> dict[str, Entry]:
    """The entries of a BibTeX file by key, in the order of the file.

    Raises BadInput, naming the line, for an entry that is cut off or given twice, that lacks its
    author, title or year, or that says nowhere to find the work.
    """
    import bibtexparser  # slow to import, and not always needed

    shown = name or str(path)
    source = read_text(path, name=shown)
    entries: dict[str, Entry] = {entry["ID"]: entry for entry in bibtexparser.loads(source).entries}
    seen: set[str] = set()
    for match in OPENING.finditer(source):
        key, line = match[2], source.count("\n", 0, match.start()) + 1
        # The parser drops what it cannot read and keeps one of two entries; say so instead.
        if key not in entries:
            raise BadInput(
                shown,
                line,
                f"entry {key!r} cannot be read",
                "close its braces, put its commas, and use a standard type (@misc, @article, ...)",
            )
        if key in seen:
            raise BadInput(shown, line, f"entry {key!r} is given twice", "rename or remove one")
        seen.add(key)
        if fault := _fault(entries[key]):
            raise BadInput(shown, line, f"entry {key!r} {fault[0]}", fault[1])
    return entries


def short_name(entry: Entry) -> str:
    """How a text names a work: "Kingma and Ba 2015", "Rajbhandari et al. 2020"."""
    names = [_family(author) for author in _authors(entry)]
    many = len(names) > 2 or names[-1] == "others"
    shown = f"{names[0]} et al." if many else " and ".join(names)
    return f"{shown} {entry['year']}"


def bibliography_tables(entries: Mapping[str, Entry]) -> dict[str, bytes]:
    """The bibliography page's list, sorted by author and year, with an anchor for each key.

    The key of the result is the file's path below docs/.
    """
    works = [
        f"{_all_authors(entries[key])} {entries[key]['year']}."
        f" *{entries[key]['title']}*.{_place(entries[key])}\n{{: #{key} .work }}\n"
        for key in _ordered(entries, entries)
    ]
    return {"tables/bibliography.md": "\n".join(works).encode()}


def references(keys: Iterable[str], entries: Mapping[str, Entry]) -> str:
    """The works that a chapter cites, as a list. Raises KeyError for a key that is no entry."""
    return "".join(
        f"- [{short_name(entries[key])}](../reference/bibliography.md#{key})."
        f" *{entries[key]['title']}*.{_place(entries[key])}\n"
        for key in _ordered(keys, entries)
    )


def _ordered(keys: Iterable[str], entries: Mapping[str, Entry]) -> list[str]:
    return sorted(set(keys), key=lambda key: (short_name(entries[key]).casefold(), key))


def _fault(entry: Entry) -> tuple[str, str] | None:
    for field in REQUIRED:
        if not entry.get(field, "").strip():
            return f"has no {field}", f"add {field} = {{...}}"
    if not re.fullmatch(r"\d{4}", entry["year"]):
        return f"has the year {entry['year']!r}", "write four digits"
    if not any(entry.get(field) for field in IDENTIFIERS):
        return "says nowhere to find it", "add eprint (arXiv), doi or url"
    if "eprint" in entry and not ARXIV.fullmatch(entry["eprint"]):
        return f"has the eprint {entry['eprint']!r}", "write the arXiv number alone: 1910.02054"
    return None


def _authors(entry: Entry) -> list[str]:
    # Braces around a name keep an organization's in one piece.
    return [author.strip() for author in entry["author"].replace("\n", " ").split(" and ")]


def _family(author: str) -> str:
    return author.strip("{}") if author.startswith("{") else author.split()[-1]


def _all_authors(entry: Entry) -> str:
    names = [author.strip("{}") for author in _authors(entry)]
    if names[-1] == "others":
        return ", ".join(names[:-1]) + " et al."
    return ", ".join(names) + "."


def _place(entry: Entry) -> str:
    venue = next((f" {entry[field]}." for field in VENUES if field in entry), "")
    if "eprint" in entry:
        return f"{venue} <https://arxiv.org/abs/{entry['eprint']}>"
    if "doi" in entry:
        return f"{venue} <https://doi.org/{entry['doi']}>"
    return f"{venue} <{entry['url']}>"
