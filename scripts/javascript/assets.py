"""The files that the site's pages load beside those in docs/assets."""

from scripts.javascript.bundle import bundle
from scripts.javascript.registry_data import registries

FOLDER = "assets/arithmetic"
PLANNER = {
    "answer_inference": "scripts.planner.inference.answer",
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


def assets() -> dict[str, str]:
    """Path within the site to text; the same for the same sources."""
    return {
        f"{FOLDER}/planner.js": bundle(PLANNER, also=RUNTIME),
        f"{FOLDER}/registries.json": registries(),
    }
