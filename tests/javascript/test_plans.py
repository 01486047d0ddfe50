"""The planner's arithmetic, translated: the same JSON as scripts/plan.py prints, to the byte."""

import contextlib
import json
import random
import shlex
from pathlib import Path

import pytest

from tests.javascript.plans import ask, command, expected, random_plan, random_service, site

ROOT = Path(__file__).parents[2]
SMALL = {
    "model_type": "gpt2",
    "n_embd": 64,
    "n_head": 4,
    "n_layer": 2,
    "n_positions": 128,
    "vocab_size": 100,
}
HUGE = json.dumps(SMALL | {"n_embd": 4 * 10**30})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site(tmp_path_factory.mktemp("site"))


@pytest.mark.parametrize("plans", [100, pytest.param(1000, marks=pytest.mark.thorough)])
def test_random_plans_agree_to_the_byte(folder: Path, plans: int) -> None:
    drawing = random.Random(500)
    asked = [random_plan(drawing) for _ in range(plans)]
    answers = ask(folder, asked)
    wanted = [expected(command(each)) for each in asked]
    for plan_asked, (got, _), want in zip(asked, answers, wanted, strict=True):
        assert got == want, plan_asked
    answered = [each for each in wanted if not each.startswith("refused")]
    assert len(answered) > 0.6 * plans
    assert sum('"nearest": {' in each for each in answered) > 0.1 * plans


@pytest.mark.parametrize("services", [60, pytest.param(1000, marks=pytest.mark.thorough)])
def test_random_services_agree_to_the_byte(folder: Path, services: int) -> None:
    drawing = random.Random(15)
    asked = [random_service(drawing) for _ in range(services)]
    for each, (got, line) in zip(asked, ask(folder, asked), strict=True):
        assert got == expected(command(each)), each
        assert expected(shlex.split(line)[1:]) == got
    answered = [each for each in asked if not expected(command(each)).startswith("refused")]
    assert len(answered) > 0.2 * services


def test_the_command_shown_gives_the_answer_shown(folder: Path) -> None:
    drawing = random.Random(7)
    for got, line in ask(folder, [random_plan(drawing) for _ in range(40)]):
        assert line.startswith("scripts/plan.py ")
        assert expected(shlex.split(line)[1:]) == got


@pytest.mark.parametrize(
    "typed",
    [
        {"context": "+3"},
        {"context": "32k"},
        {"context": "1.5K"},
        {"context": "0.0625 m"},
        {"context": " 4096 "},
        {"batch": "+2", "gpus": "+4"},
        {"train": "", "zero": "+1", "data": "007"},
        {"context": "1,000", "batch": "1e1"},
        {"train": "", "gpus": "1,024", "micro-batches": "1e12"},
    ],
)
def test_what_can_be_typed_can_be_copied(folder: Path, typed: dict[str, str]) -> None:
    ((got, line),) = ask(folder, [{"model": "llama-3.1-8b", **typed}])
    assert json.loads(got)["question"]["model"] == "Llama 3.1 8B"
    assert expected(shlex.split(line)[1:]) == got


@pytest.mark.parametrize("name", ["-x", "--gpu", "a b", "it's", "$HOME", "é", "pasted"])
def test_a_pasted_model_is_called_as_its_folder(folder: Path, tmp_path: Path, name: str) -> None:
    ((got, line),) = ask(folder, [{"config": json.dumps(SMALL), "name": name}])
    _, *words = shlex.split(line)
    assert words == [f"--model={name}/config.json"]
    (tmp_path / name).mkdir()
    (tmp_path / name / "config.json").write_text(json.dumps(SMALL))
    assert json.loads(got)["question"]["model"] == name
    with contextlib.chdir(tmp_path):
        assert expected(words) == got


@pytest.mark.parametrize("text", ["{", "{'a': 1}", ""])
def test_what_is_not_json_is_neither_for_the_page_nor_the_command(
    folder: Path, tmp_path: Path, text: str
) -> None:
    (tmp_path / "config.json").write_text(text)
    assert "is not JSON" in expected(["--model", str(tmp_path / "config.json")])
    ((got, _),) = ask(folder, [{"config": text or " ", "name": "mine"}])
    assert got.startswith("refused: This is not JSON: ")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"gpu": "nonsense"}, "There is no card called nonsense."),
        ({"model": "nonsense"}, "There is no model called nonsense."),
        ({"format": "int8-row"}, "There is no format called int8-row."),
        ({"cache": "fp7"}, "There is no cache format called fp7."),
        ({"train": "", "bytes": "99"}, "There is no number of bytes per parameter called 99."),
        ({"train": "", "zero": "-1"}, "The ZeRO stage must be a whole number from 0 up, not -1."),
        ({"train": "", "zero": "9"}, "the ZeRO stage must be 0, 1, 2 or 3, not 9"),
        ({"gpus": "0"}, "The number of GPUs must be a whole number from 1 up, not 0."),
        ({"batch": "-4"}, "The number of conversations must be a whole number from 1 up, not -4."),
        ({"train": "", "tensor": "0"}, "The tensor split must be a whole number from 1 up, not 0."),
        ({"gpus": "1.5"}, "The number of GPUs must be a whole number from 1 up, not 1.5."),
        (
            {"context": "soon"},
            "The number of tokens is written like 4096, 4,096, 32k or 1e6, not soon.",
        ),
        ({"batch": "1,50"}, "conversations is written like 4096, 4,096, 32k or 1e6, not 1,50."),
        ({"context": "-5"}, "The number of tokens must be a whole number from 1 up, not -5."),
        ({"context": "1.3k"}, "The number of tokens must be a whole number from 1 up, not 1.3k."),
        ({"config": "{}", "name": "a/b"}, "Its name must be one that a folder can have, not a/b."),
        ({"config": "{}", "name": ".."}, "Its name must be one that a folder can have, not ..."),
        ({"batch": "1" + 30 * "0"}, "a number is too large for any plan"),
        ({"gpus": 5000 * "9"}, "a number is too large for any plan"),
        ({"train": "", "micro-batches": 5000 * "9"}, "a number is too large for any plan"),
        ({"gpus": 5000 * "x"}, f"4096, 4,096, 32k or 1e6, not {40 * 'x'}…"),
        ({"gpu": 5000 * "x"}, f"There is no card called {40 * 'x'}…"),
        ({"context": 5000 * "9"}, "a number is too large for any plan"),
        ({"config": HUGE}, "a number is too large for any plan"),
    ],
)
def test_the_page_refuses_in_words_of_its_form(
    folder: Path, asked: dict[str, str], said: str
) -> None:
    ((got, _),) = ask(folder, [{"model": "llama-3.1-8b", **asked}])
    assert got.startswith("refused: ")
    assert got.endswith(said)
    assert "--" not in got
    assert len(got) < 200
