from pathlib import Path

import pytest

from scripts.core.faults import BadInput
from scripts.proof.bibliography import (
    bibliography_tables,
    read_bibliography,
    references,
    short_name,
)

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "data" / "bibliography.bib"

ADAM = """\
@inproceedings{kingma2015,
  author    = {Diederik P. Kingma and Jimmy Ba},
  title     = {Adam: A Method for Stochastic Optimization},
  booktitle = {ICLR},
  year      = {2015},
  eprint    = {1412.6980},
}
"""
STANDARD = """\
@misc{ieee754-2019,
  author       = {{IEEE}},
  title        = {IEEE Standard for Floating-Point Arithmetic},
  howpublished = {IEEE Std 754-2019},
  year         = {2019},
  doi          = {10.1109/IEEESTD.2019.8766229},
}
"""
MUON = """\
@misc{jordan2024muon,
  author = {Keller Jordan and Yuchen Jin and others},
  title  = {Muon},
  year   = {2024},
  url    = {https://kellerjordan.github.io/posts/muon/},
}
"""


def read(tmp_path: Path, source: str):
    path = tmp_path / "some.bib"
    path.write_text(source, encoding="utf-8")
    return read_bibliography(path, name="some.bib")


def test_every_published_entry_is_read():
    entries = read_bibliography(PUBLISHED)
    written = [line for line in PUBLISHED.read_text("utf-8").splitlines() if line.startswith("@")]
    assert len(entries) == len(written) > 30
    assert entries["rajbhandari2020"]["eprint"] == "1910.02054"


def test_an_arxiv_number_is_not_younger_than_the_year_that_is_cited():
    for key, entry in read_bibliography(PUBLISHED).items():
        if "eprint" in entry:
            first = 2000 + int(entry["eprint"][:2])
            assert first <= int(entry["year"]) <= first + 2, key


def test_works_are_named_as_texts_name_them(tmp_path):
    entries = read(tmp_path, ADAM + STANDARD + MUON)
    assert {key: short_name(entry) for key, entry in entries.items()} == {
        "kingma2015": "Kingma and Ba 2015",
        "ieee754-2019": "IEEE 2019",
        "jordan2024muon": "Jordan et al. 2024",
    }


def test_the_bibliography_has_an_anchor_for_each_key(tmp_path):
    tables = bibliography_tables(read(tmp_path, MUON + ADAM))
    assert tables == {
        "tables/bibliography.md": (
            b"Keller Jordan, Yuchen Jin et al. 2024. *Muon*."
            b" <https://kellerjordan.github.io/posts/muon/>\n"
            b"{: #jordan2024muon .work }\n"
            b"\n"
            b"Diederik P. Kingma, Jimmy Ba. 2015. *Adam: A Method for Stochastic Optimization*."
            b" ICLR. <https://arxiv.org/abs/1412.6980>\n"
            b"{: #kingma2015 .work }\n"
        )
    }


def test_the_references_of_a_chapter(tmp_path):
    entries = read(tmp_path, ADAM + STANDARD)
    assert references(["kingma2015", "ieee754-2019", "kingma2015"], entries) == (
        "- [IEEE 2019](../reference/bibliography.md#ieee754-2019)."
        " *IEEE Standard for Floating-Point Arithmetic*."
        " IEEE Std 754-2019. <https://doi.org/10.1109/IEEESTD.2019.8766229>\n"
        "- [Kingma and Ba 2015](../reference/bibliography.md#kingma2015)."
        " *Adam: A Method for Stochastic Optimization*."
        " ICLR. <https://arxiv.org/abs/1412.6980>\n"
    )


def test_a_chapter_that_cites_an_unknown_work(tmp_path):
    with pytest.raises(KeyError, match="nobody1999"):
        references(["nobody1999"], read(tmp_path, ADAM))


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        (ADAM + ADAM, 8, "entry 'kingma2015' is given twice"),
        (ADAM + MUON.replace("2024},", "2024"), 8, "entry 'jordan2024muon' cannot be read"),
        (ADAM + MUON[: len(MUON) // 2], 8, "entry 'jordan2024muon' cannot be read"),
        (ADAM.replace("  year      = {2015},\n", ""), 1, "entry 'kingma2015' has no year"),
        (ADAM.replace("{2015}", "{MMXV}"), 1, "entry 'kingma2015' has the year 'MMXV'"),
        (ADAM.replace("{1412.6980}", "{arXiv:1412.6980}"), 1, "has the eprint 'arXiv:1412.6980'"),
        (ADAM.replace("  eprint    = {1412.6980},\n", ""), 1, "says nowhere to find it"),
        (ADAM.replace("@inproceedings", "@paper"), 1, "entry 'kingma2015' cannot be read"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, source, line, message):
    with pytest.raises(BadInput) as caught:
        read(tmp_path, source)
    assert caught.value.fault.path == "some.bib"
    assert caught.value.fault.line == line
    assert message in caught.value.fault.message
    assert caught.value.fault.remedy


def test_a_missing_file():
    with pytest.raises(BadInput, match="no such file"):
        read_bibliography(Path("nowhere.bib"))
