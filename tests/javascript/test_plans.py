"""The planner's arithmetic, translated: the same JSON as scripts/plan.py prints, to the byte."""

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
