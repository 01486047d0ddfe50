import re
import tomllib
from pathlib import Path

from scripts.handbook.this_book import read_names
from scripts.proof.spelled import read_words
from snippets.hardware import ACCELERATORS

ROOT = Path(__file__).parents[2]
GROUPS = tomllib.loads((ROOT / "docs" / "names.toml").read_text("utf-8"))
NAMES = read_names(ROOT)


def test_each_group_says_why_its_names_may_hold_numerals():
    assert all(set(group) - {"names", "names_of"} == {"reason"} for group in GROUPS.values())
    assert all(group["reason"].endswith(".") for group in GROUPS.values())


def test_each_name_stands_once_and_holds_a_numeral():
    assert len(NAMES) == len(set(NAMES))
    listed = [name for group in GROUPS.values() for name in group.get("names", [])]
    assert all(any(map(str.isdigit, name)) or read_words(name) for name in listed)


def test_no_name_is_a_quantity():
    # A quantity starts with its digits. The names that do so are terms, not amounts.
    assert {name for name in NAMES if name[0].isdigit()} == {"1F1B", "2D", "3D"}


def test_the_names_of_the_registry_are_among_them():
    assert {accelerator.name for accelerator in ACCELERATORS.values()} <= set(NAMES)


def test_software_is_named_with_the_version_that_is_required():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    required = dict(
        re.findall(r"^(\S+)==(\S+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.M)
    )
    required |= {"pytorch": required["torch"], "python": project["requires-python"].strip(">=")}
    for name in GROUPS["software"]["names"]:
        software, version = name.lower().split()
        assert f"{required[software]}.".startswith(f"{version}."), name
