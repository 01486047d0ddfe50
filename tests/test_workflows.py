"""The workflows cannot do more than they should, and call what there is."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def read(path: Path) -> dict[Any, Any]:
    document = yaml.safe_load(path.read_text("utf-8"))
    assert isinstance(document, dict)
    return document


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in read(path)["jobs"].values() for step in job["steps"]]


def test_there_are_some() -> None:
    assert {path.stem for path in WORKFLOWS} == {"checks", "pages"}
    assert "my-cards-measurements" in {path.stem for path in TEMPLATES}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    used = [step["uses"] for step in steps(path) if "uses" in step]
    assert used
    for action in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action), action
    lines = [line for line in path.read_text("utf-8").splitlines() if "uses:" in line]
    assert all(re.search(r" # v\d+\.\d+\.\d+$", line) for line in lines)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_nothing_may_write_unless_it_publishes(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in path.read_text("utf-8")
    assert "pull_request_target" not in path.read_text("utf-8")
    for name, job in workflow["jobs"].items():
        assert "timeout-minutes" in job
        may_write = {key for key, level in job.get("permissions", {}).items() if level == "write"}
        assert may_write == ({"pages", "id-token"} if name == "publish" else set())
    checkouts = [step for step in steps(path) if "checkout" in step.get("uses", "")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_no_text_of_a_pull_request_becomes_a_command(path: Path) -> None:
    for step in steps(path):
        assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_is_called_exists(path: Path) -> None:
    targets = re.findall(r"^([\w./-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    commands = "\n".join(step.get("run", "") for step in steps(path))
    assert set(re.findall(r"\bmake ([\w./-]+)", commands)) <= set(targets)
    for script in re.findall(r"\bscripts/\w+\.py", commands):
        assert (ROOT / script).exists()


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_templates_are_forms(path: Path) -> None:
    template = read(path)
    if path.stem == "config":
        return
    assert {"name", "description", "body"} <= set(template)
    assert all(part["type"] in {"markdown", "input", "textarea"} for part in template["body"])
