"""The lab that plans a training run settles its plan here and asks the planner about each ZeRO stage."""

from dataclasses import replace

from scripts.planner import plans, training
from scripts.planner.answer import Answer
from snippets.hardware import Accelerator
from snippets.training_plan import TrainingPlan


def settle(plan: TrainingPlan, *, gpus: int) -> TrainingPlan:
    """The plan with as many copies as `gpus` make; ValueError where its splits do not divide them."""
    return plans.settled_training(plan, gpus=gpus)


def answer_each_stage(plan: TrainingPlan, card: Accelerator) -> dict[int, Answer]:
    """The planner's answer for each ZeRO stage, 0 to 3: bytes on the fullest GPU, rates, assumptions.

    Raises ValueError for a plan that cannot be run.
    """
    return {stage: training.answer(replace(plan, zero_stage=stage), card) for stage in range(4)}


def possible(plan: TrainingPlan) -> bool:
    """Whether a plan can be run at all, memory aside."""
    return training.possible(plan)
