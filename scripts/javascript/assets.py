"""The files that the site's pages load beside those in docs/assets."""

import json

from scripts.javascript.bundle import bundle
from scripts.javascript.programs import ENTRIES, entry, programs
from scripts.javascript.registry_data import registries
from scripts.played import PLAYED, guess, served

FOLDER = "assets/arithmetic"
PLANNER = {
    "answer_inference": "scripts.planner.inference.answer",
    "answer_service": "scripts.planner.service.answer",
    "Wish": "scripts.planner.service.Wish",
    "answer_training": "scripts.planner.training.answer",
    "settled_inference": "scripts.planner.plans.settled_inference",
    "settled_training": "scripts.planner.plans.settled_training",
    "InferencePlan": "snippets.inference_plan.InferencePlan",
    "TrainingPlan": "snippets.training_plan.TrainingPlan",
    "model_from_config": "snippets.models.reader.model_from_config",
    "CACHE_FORMATS": "scripts.planner.plans.CACHE_FORMATS",
    "SPEEDS": "scripts.planner.answer.SPEEDS",
    "FROZEN": "scripts.planner.plans.FROZEN",
    "STATES": "scripts.planner.plans.STATES",
    "WEIGHT_FORMATS": "snippets.weight_formats.WEIGHT_FORMATS",
    "Accelerator": "snippets.hardware.Accelerator",
}
RUNTIME = ("$keywords", "OverflowError", "ValueError", "dumps", "loads")


def play() -> dict[str, str]:
    """The figures that are played, a module each; the cards and models that they follow; guesses."""
    made = {f"{FOLDER}/play/guess.js": bundle({"verdict": f"{guess.__name__}.verdict"})}
    for name, module in PLAYED.items():
        exported = [each for each in ("draw", "drag", "FOLLOWS") if hasattr(module, each)]
        made[f"{FOLDER}/play/{name}.js"] = bundle(
            {each: f"{module.__name__}.{each}" for each in exported},
            also=("loads",) if "FOLLOWS" in exported else (),
            refusals=False,
        )
    for kind, held in served.figures().items():
        for slug, figures in held.items():
            made[f"{FOLDER}/play/{kind}/{slug}.json"] = json.dumps(figures)
    return made


def changed() -> dict[str, str]:
    """The programs that can be changed, a module each; the entries for them, and their names."""
    folder = f"{FOLDER}/programs"
    made = {f"{folder}/{name}.js": each.module for name, each in programs().items() if each.fields}
    names: dict[str, dict[str, str]] = {}
    for module, entries in ENTRIES.items():
        names[module] = {name: value.name for name, value in entries.items()}
        for name, value in entries.items():
            made[f"{folder}/entries/{module}/{name}.js"] = entry(value)
    return made | {f"{folder}/names.json": json.dumps(names, ensure_ascii=False)}


def assets() -> dict[str, str]:
    """Path within the site to text; the same for the same sources."""
    return {
        f"{FOLDER}/planner.js": bundle(PLANNER, also=RUNTIME),
        f"{FOLDER}/registries.json": registries(),
        **play(),
        **changed(),
    }
