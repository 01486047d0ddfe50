"""The versions that pip installs by default are those that the project was checked with."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = "sixteen-bytes["  # one group that holds another
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
GROUPS = {"dependencies": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
CHECKED = {
    line.lower()
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
}


@pytest.mark.parametrize("group", GROUPS)
def test_each_package_has_the_version_of_the_constraints(group: str) -> None:
    free = [each for each in GROUPS[group] if "==" not in each and not each.startswith(OURS)]
    assert free == []
    if group != "smollm2":  # weights that nobody needs who does not measure them
        unknown = [each for each in GROUPS[group] if each.lower() not in CHECKED]
        assert [each for each in unknown if not each.startswith(OURS)] == []
