"""The planner's arithmetic, translated: the same JSON as scripts/plan.py prints, to the byte."""

import contextlib
import json
import random
import shlex
import shutil
from pathlib import Path

import pytest

from scripts.javascript.assets import assets
from tests.javascript.engine import run
from tests.javascript.plans import command, expected, random_plan

ROOT = Path(__file__).parents[2]
PLANS = 500
SMALL = {
    "model_type": "gpt2",
    "n_embd": 64,
    "n_head": 4,
    "n_layer": 2,
    "n_positions": 128,
    "vocab_size": 100,
}
HUGE = json.dumps(SMALL | {"n_embd": 4 * 10**30})
ANSWER = """
import { readFileSync } from "node:fs";
const [folder] = process.argv.slice(-1);
const { answer, command, json, readRegistries, Refusal } = await import(`${folder}/assets/js/plan.js`);
const known = readRegistries(readFileSync(`${folder}/assets/arithmetic/registries.json`, "utf8"));
const asked = JSON.parse(readFileSync(`${folder}/asked.json`, "utf8"));
const answers = asked.map((each) => {
  try {
    return [json(answer(each, known)), command(each)];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [`refused: ${error.message}`, command(each)];
  }
});
console.log(JSON.stringify(answers));
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts as the site serves them."""
    top = tmp_path_factory.mktemp("site")
    for name, text in assets().items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text, encoding="utf-8")
    (top / "assets/js").mkdir(parents=True)
    shutil.copy(ROOT / "docs/assets/js/plan.js", top / "assets/js")
    (top / "package.json").write_text('{"type": "module"}')
    return top


def ask(folder: Path, asked: list[dict[str, str]]) -> list[list[str]]:
    (folder / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    return json.loads(run(ANSWER, str(folder)))  # type: ignore[no-any-return]


def test_random_plans_agree_to_the_byte(folder: Path) -> None:
    drawing = random.Random(500)
    asked = [random_plan(drawing) for _ in range(PLANS)]
    answers = ask(folder, asked)
    wanted = [expected(command(each)) for each in asked]
    for plan_asked, (got, _), want in zip(asked, answers, wanted, strict=True):
        assert got == want, plan_asked
    answered = [each for each in wanted if not each.startswith("refused")]
    assert len(answered) > 0.6 * PLANS
    assert sum('"nearest": {' in each for each in answered) > 0.1 * PLANS


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
        ({"train": "", "zero": "9"}, "the ZeRO stage must be 0, 1, 2 or 3, not 9"),
        ({"gpus": "0"}, "The number of GPUs must be a whole number from 1 up, not 0."),
        ({"batch": "-4"}, "The number of conversations must be a whole number from 1 up, not -4."),
        ({"train": "", "tensor": "0"}, "The tensor split must be a whole number from 1 up, not 0."),
        ({"gpus": "1.5"}, "The number of GPUs must be a whole number, not 1.5."),
        ({"context": "soon"}, "a number of tokens is written like 4096, 32k or 1m, not 'soon'"),
        ({"context": "-5"}, "a number of tokens is a whole number from 1 up, not '-5'"),
        ({"context": "1.3k"}, "a number of tokens is a whole number from 1 up, not '1.3k'"),
        ({"config": "{}", "name": "a/b"}, "Its name must be one that a folder can have, not a/b."),
        ({"config": "{}", "name": ".."}, "Its name must be one that a folder can have, not ..."),
        ({"batch": "1" + 30 * "0"}, "a number is too large for any plan"),
        ({"gpus": 5000 * "9"}, "a number is too large for any plan"),
        ({"train": "", "micro-batches": 5000 * "9"}, "a number is too large for any plan"),
        ({"gpus": 5000 * "x"}, f"The number of GPUs must be a whole number, not {40 * 'x'}…"),
        ({"gpu": 5000 * "x"}, f"There is no card called {40 * 'x'}…"),
        ({"context": 5000 * "9"}, f"written like 4096, 32k or 1m, not '{39 * '9'}…"),
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
