"""Every route to a GPU's memory gives the same bytes: pages, figures, planner, page, predictions."""

import csv
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

import snippets
from scripts.predictions.published_runs import MODELS as PUBLISHED
from scripts.predictions.published_runs import TOKENS, Run
from scripts.predictions.training_memory import bytes_with
from scripts.proof.evaluate import Evaluator
from scripts.proof.namespace import names_of
from snippets.cluster_choice import fastest_plan, feasible_plans, plan_family
from snippets.clusters import llama_3_cluster
from snippets.hardware import ACCELERATORS
from snippets.inference_plan import InferencePlan, inference_memory
from snippets.models import MODELS, llama_3_1_8b
from snippets.runtimes import PYTORCH
from snippets.stage_memory import fullest_stage, stage_memory
from snippets.training_memory import BOTH_GRADIENTS, FP32_GRADIENTS, MIXED_PRECISION
from snippets.training_plan import TrainingPlan
from snippets.weight_formats import WEIGHT_FORMATS
from tests.javascript.plans import Asked, ask, command, expected, random_plan, site

ROOT = Path(__file__).parents[2]
NAMED: Asked = {
    "model": "llama-3.1-8b",
    "train": "",
    "context": "8192",
    "tensor": "2",
    "pipeline": "2",
    "data": "2",
    "zero": "1",
    "micro-batches": "4",
}
STATES = {"16": MIXED_PRECISION, "18": FP32_GRADIENTS, "20": BOTH_GRADIENTS}
CACHES = {"fp32": 4, "fp16": 2, "bf16": 2, "fp8": 1, "int8": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site(tmp_path_factory.mktemp("site"))


def by_hand(asked: Asked) -> dict[str, float]:
    """What the snippets give for what a reader asks, without the planner between them."""
    model = MODELS[asked["model"]]
    tokens = int(asked.get("context", min(4096, model.context)))
    if "train" not in asked:
        weights = WEIGHT_FORMATS[asked["format"]]
        scales = 2 / model.head_dim if asked["cache"] == "int8" else 0
        plan = InferencePlan(
            model=model,
            weights=weights,
            tokens=tokens,
            batch=int(asked["batch"]),
            tensor=int(asked["gpus"]) // int(asked["pipeline"]),
            pipeline=int(asked["pipeline"]),
            cache_element_bytes=CACHES[asked["cache"]] + scales,
        )
        return vars(inference_memory(plan))
    tensor, pipeline = int(asked["tensor"]), int(asked["pipeline"])
    context = int(asked.get("context-ranks", 1))
    copies = int(asked.get("gpus", 1)) // (tensor * pipeline * context)
    plan = TrainingPlan(
        model=model,
        tokens=tokens,
        micro_batch=int(asked.get("micro-batch", 1)),
        micro_batches=int(asked.get("micro-batches", pipeline)),
        tensor=tensor,
        pipeline=pipeline,
        data=int(asked.get("data", max(copies, 1))),
        context=context,
        zero_stage=int(asked["zero"]),
        state=STATES[asked.get("bytes", "16")],
        sequence_parallel="whole-states" not in asked,
        recompute="recompute" in asked,
        adapter_rank=int(asked.get("adapters", 0)),
        frozen=WEIGHT_FORMATS[asked.get("frozen", "bf16")],
    )
    return vars(fullest_stage(plan))


def parts(memory: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in memory.items() if value}


def test_the_named_case_is_the_same_everywhere(folder: Path) -> None:
    """Llama 3.1 8B, two ways each, ZeRO-1, eight sequences of 8,192: once 39.2 GiB in chapter 4."""
    held = sum(by_hand(NAMED).values())
    assert held / 2**30 == pytest.approx(45.9, abs=0.05)
    command_says = json.loads(expected(command(NAMED)))
    ((page_says, _),) = ask(folder, [NAMED])
    assert json.loads(page_says) == command_says
    assert command_says["total_bytes"] == held
    expression = (
        "fullest_stage(TrainingPlan(model=llama_3_1_8b, tokens=2**13, micro_batches=4, tensor=2,"
        " pipeline=2, data=2, zero_stage=1)).total"
    )
    assert Evaluator(names_of(snippets), {}, {}).calc(expression) == held
    plans = feasible_plans(
        model=llama_3_1_8b, cluster=llama_3_cluster, gpus=8, tokens=8192, sequences=8
    )
    (drawn,) = [
        p for p in plans if (p.tensor, p.pipeline, p.zero_stage, p.recompute) == (2, 2, 1, 0)
    ]
    assert fullest_stage(replace(drawn, chunks=1)).total == held


def test_random_plans_are_the_same_everywhere(folder: Path) -> None:
    drawing = random.Random(12)
    asked = [random_plan(drawing) for _ in range(300)]
    compared = 0
    for each, (page, _) in zip(asked, ask(folder, asked), strict=True):
        assert page == expected(command(each))
        if not page.startswith("refused"):
            compared += 1
            cuda = ACCELERATORS[each.get("gpu", "h100-sxm")].kind == "cuda"
            held = by_hand(each) if cuda else by_hand(each) | {"driver": 0}
            assert json.loads(page)["memory_bytes"] == parts(held), each
    assert compared > 150


def test_predictions_are_the_sum_for_their_first_stage() -> None:
    drawing = random.Random(4)
    for _ in range(50):
        name = drawing.choice(list(PUBLISHED))
        splits = {each: 2 ** drawing.randrange(4) for each in ("mbs", "grad_acc", "dp", "pp", "tp")}
        zero = drawing.randrange(2)
        run = Run(name, 1, gbs=1, zero=zero, memory=1.0, **splits)
        plan = TrainingPlan(
            model=PUBLISHED[name],
            tokens=TOKENS,
            micro_batch=run.mbs,
            micro_batches=run.grad_acc,
            tensor=run.tp,
            pipeline=run.pp,
            data=run.dp,
            zero_stage=zero,
            state=FP32_GRADIENTS,
        )
        assert bytes_with(run, PYTORCH) == stage_memory(plan, 0).total


def test_the_figure_draws_what_the_planner_answers() -> None:
    """Of plans that are not interleaved, which the planner cannot be asked for."""
    with (ROOT / "docs/figures/which-split.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    drawn = {float(row["GB held by a GPU"]) for row in rows if row.get("GB held by a GPU")}
    plans = feasible_plans(
        model=llama_3_1_8b, cluster=llama_3_cluster, gpus=64, tokens=8192, sequences=2048
    )
    best = fastest_plan(plans, llama_3_cluster)
    assert best is not None
    assert (plan_family(best), best.chunks) == ("data", 1)
    asked = {
        "model": "llama-3.1-8b",
        "train": "",
        "context": "8192",
        "data": "64",
        "zero": str(best.zero_stage),
        "micro-batches": str(best.micro_batches),
    }
    total = json.loads(expected(command(asked)))["total_bytes"]
    assert any(total / 1e9 == pytest.approx(each, rel=1e-6) for each in drawn)
