"""Random plans, as a reader would ask for them, and what the command and the page answer."""

import json
import random
import shlex
import shutil
from pathlib import Path
from typing import Any

from scripts import plan
from scripts.javascript.assets import assets
from scripts.planner import service
from scripts.planner.names import Refusal
from scripts.planner.plans import FROZEN
from snippets.hardware import ACCELERATORS
from snippets.models import MODELS
from snippets.weight_formats import WEIGHT_FORMATS
from tests.javascript.engine import run

ROOT = Path(__file__).parents[2]
Asked = dict[str, str]
FLAGS = ("recompute", "whole-states")


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


def random_plan(draw: random.Random) -> Asked:
    """Option to value, as on the command line of scripts/plan.py; most plans can be."""
    name = draw.choice(list(MODELS))
    model = MODELS[name]
    gpu = draw.choice(list(ACCELERATORS))
    asked = {"model": name, "gpu": gpu}
    if draw.random() < 0.8:
        asked["context"] = str(draw.randint(1, 2 * model.context // draw.choice((2, 2, 8, 64))))
    if draw.random() < 0.5:
        asked["format"] = draw.choice(list(WEIGHT_FORMATS))
        asked["cache"] = draw.choice(("fp32", "fp16", "bf16", "fp8", "int8"))
        asked["batch"] = str(int(2 ** draw.uniform(0, 9)))
        asked["gpus"] = draw.choice(("1", "2", "4", "8", "3"))
        asked["pipeline"] = draw.choice(("1", "1", "2", "3"))
        return asked
    asked["train"] = ""
    if draw.random() < 0.7:
        asked["context"] = str(2 ** draw.randint(6, 13))
    asked["tensor"] = draw.choice(("1", "1", "2", "4", "8"))
    asked["pipeline"] = draw.choice(("1", "1", "2", "3", "4"))
    asked["context-ranks"] = draw.choice(("1", "1", "1", "2"))
    asked["zero"] = str(draw.randrange(4))
    asked["bytes"] = draw.choice(("16", "18", "20"))
    asked["micro-batch"] = draw.choice(("1", "1", "2", "4", "7"))
    if draw.random() < 0.4:
        asked["adapters"] = draw.choice(("1", "8", "64"))
        asked["frozen"] = draw.choice(list(FROZEN))
    if draw.random() < 0.5:
        asked["data"] = str(int(2 ** draw.uniform(0, 7)))
    elif draw.random() < 0.5:
        asked["gpus"] = draw.choice(("8", "16", "64", "96"))
    if draw.random() < 0.5:
        asked["micro-batches"] = str(draw.randint(1, 40))
    return asked | {flag: "" for flag in FLAGS if draw.random() < 0.4}


def random_service(draw: random.Random) -> Asked:
    """The same for `scripts/plan.py serve`."""
    asked = {
        "serve": "",
        "model": draw.choice(list(MODELS)),
        "gpu": draw.choice(list(ACCELERATORS)),
    }
    asked["prompt"] = f"{int(2 ** draw.uniform(0, 14)):,}"
    asked["answer"] = draw.choice(("1", "64", "500", "1e3", "2k"))
    if draw.random() < 0.5:
        asked["format"] = draw.choice(list(WEIGHT_FORMATS))
    if draw.random() < 0.6:
        asked["rate"] = draw.choice(("0.3", "2", "25", "1,000"))
    if draw.random() < 0.4:
        asked["tpot"] = draw.choice(("25ms", "0.05", "0.2s", "5 ms"))
    if draw.random() < 0.4:
        asked["ttft"] = draw.choice(("500ms", "2", "10s"))
    if draw.random() < 0.5:
        asked["price"] = draw.choice(("2.5", "0.99"))
    return asked


def command(asked: Asked) -> list[str]:
    """The arguments of scripts/plan.py."""
    return [*(["serve"] if "serve" in asked else []), asked["model"], *options(asked)]


def options(asked: Asked) -> list[str]:
    words = []
    for name, value in asked.items():
        if name not in ("model", "serve"):
            words += [f"--{name}"] if not value else [f"--{name}", value]
    return words


def taken(asked: Asked, changes: dict[str, Any]) -> Asked:
    """What was asked, with the changes of the nearest plan."""
    named = {
        {"zero_stage": "zero"}.get(name, name).replace("_", "-"): value
        for name, value in changes.items()
    }
    return asked | {name: "" if value is True else str(value) for name, value in named.items()}


def shell(asked: Asked) -> str:
    return shlex.join(command(asked))


def expected(words: list[str]) -> str:
    """What the command prints, or why it refuses."""
    try:
        if words[0] == "serve":
            wish = plan.wish(plan.serving_parser().parse_args(words[1:]))
            return json.dumps(service.answer(wish), indent=2)
        answered = plan.respond(plan.parser().parse_args(words))
    except ValueError as error:
        return f"refused: {error}"
    except Refusal as refusal:
        return f"refused: {refusal}"
    return json.dumps(answered.to_json(), indent=2)


def site(top: Path) -> Path:
    """The planner's scripts as the site serves them, written to a folder."""
    for name, text in assets().items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text, encoding="utf-8")
    (top / "assets/js").mkdir(parents=True)
    shutil.copy(ROOT / "docs/assets/js/plan.js", top / "assets/js")
    (top / "package.json").write_text('{"type": "module"}')
    return top


def ask(folder: Path, asked: list[Asked]) -> list[list[str]]:
    """What the page answers to each, as JSON or why it refuses, and the command it shows."""
    (folder / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    return json.loads(run(ANSWER, str(folder)))  # type: ignore[no-any-return]
