"""Random arguments for the functions of `snippets/`, drawn by their type hints and names."""

import random
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from typing import Any, get_type_hints

from snippets.cluster_choice import FAMILIES
from snippets.clusters import Cluster, PublishedRun, llama_3_cluster
from snippets.formats import FLOAT_FORMATS, FloatFormat
from snippets.gguf_mixtures import BASE, BITS
from snippets.hardware import ACCELERATORS, Accelerator
from snippets.inference_plan import InferencePlan
from snippets.models import MODELS, Layer, Model, Tensor
from snippets.pipeline_schedule import (
    Task,
    TimedTask,
    gpipe,
    one_forward_one_backward,
    play,
    zero_bubble,
)
from snippets.pipeline_stages import Stage, pipeline_stages
from snippets.runtimes import NANOTRON_KEEPS_GATHERED, PYTORCH, Runtime
from snippets.service_plan import ServicePlan
from snippets.serving_constants import SERVING, ServingConstants
from snippets.serving_work import Product, StepWork, Worker
from snippets.training_memory import TRAINING_STATES, TrainingState
from snippets.training_plan import TrainingPlan
from snippets.weight_formats import WEIGHT_FORMATS, WeightFormat

Random = random.Random
EDGES = (0, 1, -1, 0.0, 1.0, -1.0, 0.5, 2.5, -7.5, 2**53, 10**18, 1e300, 1e-300, 5e-324)
EDGES += (float("inf"), float("-inf"), float("nan"), True)
WRONG = (None, "seven")
UNENDING = (
    "micro_batches",
    "mantissa_bits",
    "stages",
    "ranks",
    "chunks",
    "gpus",
    "tokens",
    "largest",
    "bits",
)
SMALL = {"exponent_bits": 11, "mantissa_bits": 60, "ranks": 5, "stages": 5, "micro_batches": 9}
SMALL |= {"chunks": 3, "copies": 512, "pipeline": 16, "flying": 20}
POWERS = (1, 2, 4, 8)


@cache
def small_models() -> list[Model]:
    """Every known model, and each with few layers: what it is made of, in little time."""
    draw = Random(1)
    shallow = [
        replace(model, layers=count, order=model.order[-count:])
        for model in MODELS.values()
        for count in [min(draw.randint(1, 9), model.layers)]
    ]
    return [model for model in MODELS.values() if model.layers <= 32] + 3 * shallow


@cache
def clusters() -> list[Cluster]:
    cards = [card for card in ACCELERATORS.values() if card.dense_bf16 and card.link_bandwidth]
    cards.append(ACCELERATORS["rtx-3060"])
    return [
        replace(llama_3_cluster, accelerator=card, server_gpus=servers, product_operations=5e13)
        for card in cards
        for servers in (1, 4, 8)
    ]


@cache
def runtimes() -> list[Runtime]:
    return [
        PYTORCH,
        NANOTRON_KEEPS_GATHERED,
        replace(PYTORCH, copied_states=3, waiting_states=7, bucket_bytes=5, embedding_bytes=2.5),
    ]


def whole(draw: Random, limit: int = 1000) -> int:
    """Mostly small, seldom near the limit."""
    return max(int(limit ** draw.random()), 1)


def real(draw: Random) -> float:
    """An int or a float over many orders of magnitude, above zero."""
    size = 10 ** draw.uniform(-3, 14)
    return int(size) + 1 if draw.random() < 0.5 else size


def parts(draw: Random, made: type) -> Any:
    return made(**{each.name: draw.choice((0, real(draw))) for each in fields(made)})


def tensor_of(draw: Random, model: Model) -> int:
    splits = [each for each in POWERS if model.heads % each == 0 and model.kv_heads % each == 0]
    return draw.choice(splits) if draw.random() < 0.95 else draw.randint(1, 9)


def inference_plan(draw: Random) -> InferencePlan:
    model = draw.choice(small_models())
    plan = InferencePlan(
        model=model,
        weights=draw.choice(list(WEIGHT_FORMATS.values())),
        tokens=whole(draw, model.context),
        batch=whole(draw),
        tensor=tensor_of(draw, model),
        cache_element_bytes=draw.choice((1, 1.0, 2, 2.0, 4.0, 0.5)),
        chunk=whole(draw, 10000),
        runtime=draw.choice(runtimes()),
    )
    wrong: dict[str, Any] = {"batch": 0, "tokens": 10**7, "cache_element_bytes": -1.5, "chunk": -3}
    return spoiled(draw, plan, wrong)


def training_plan(draw: Random) -> TrainingPlan:
    model = draw.choice(small_models())
    context = draw.choice(POWERS)
    pipeline = draw.randint(1, min(model.layers, 8))
    chunks = draw.choice((1, 1, max(model.layers // pipeline, 1)))
    plan = TrainingPlan(
        model=model,
        tokens=context * draw.randint(1, model.context // context),
        micro_batch=whole(draw, 50),
        micro_batches=pipeline * whole(draw, 20) if chunks > 1 else whole(draw, 50),
        tensor=tensor_of(draw, model),
        pipeline=pipeline,
        chunks=chunks,
        data=whole(draw),
        context=context,
        zero_stage=draw.randrange(4),
        state=draw.choice(list(TRAINING_STATES.values())),
        sequence_parallel=draw.random() < 0.5,
        recompute=draw.random() < 0.5,
        runtime=draw.choice(runtimes()),
    )
    wrong: dict[str, Any] = {"data": 0, "tokens": 10**7, "zero_stage": 4, "pipeline": 99}
    return spoiled(draw, plan, wrong)


def published_run(draw: Random) -> PublishedRun:
    run = replace(training_plan(draw), runtime=PYTORCH)
    return PublishedRun(
        **vars(run), name="a run", cluster=draw.choice(clusters()), utilisation=0.41, sources={}
    )


def spoiled(draw: Random, plan: Any, wrong: dict[str, Any]) -> Any:
    """A plan as it is, or seldom one that cannot be."""
    if draw.random() < 0.95:
        return plan
    name = draw.choice(list(wrong))
    return replace(plan, **{name: wrong[name]})


def orders(draw: Random) -> list[list[Task]]:
    ranks, count = draw.randint(1, 3), draw.randint(1, 3)
    made = draw.choice((gpipe, one_forward_one_backward, zero_bubble))(ranks, count)
    if draw.random() < 0.03:  # a schedule that waits for ever
        return [list(reversed(tasks)) for tasks in made]
    return made


def blocks(draw: Random) -> list[TimedTask]:
    played = [
        TimedTask(rank, Task("forward", rank, i), start, start + real(draw))
        for i in range(draw.randint(1, 3))
        for rank, start in enumerate((0.0, 1.5, real(draw)))
    ]
    return played if draw.random() < 0.9 else play(gpipe(2, 2))


def stage(draw: Random, model: Model) -> Stage:
    stages = pipeline_stages(model, draw.randint(1, model.layers))
    return draw.choice(stages)


def weight_bits(draw: Random) -> dict[str, float]:
    kinds = draw.sample(("attention", "mlp", "experts", "router"), draw.randint(0, 4))
    return {part: draw.choice((4.5, 8, 8.0, 16)) for part in kinds}


def worker(draw: Random) -> Worker:
    return Worker(
        model=draw.choice(small_models()),
        card=draw.choice(clusters()).accelerator,
        bits=weight_bits(draw),
        weight_only=draw.random() < 0.5,
        tensor=draw.choice(POWERS),
        attention_data=draw.choice(POWERS),
        link=real(draw) if draw.random() < 0.9 else 0,
    )


def accelerator(draw: Random) -> Accelerator:
    """Half of those drawn are among the few of which all figures are known."""
    known = list(ACCELERATORS.values())
    return draw.choice([card for card in known if card.clock] if draw.random() < 0.5 else known)


def service_plan(draw: Random) -> ServicePlan:
    return ServicePlan(
        model=draw.choice(small_models()),
        weights=draw.choice(list(WEIGHT_FORMATS.values())),
        card=draw.choice(clusters()).accelerator,
        prompt=whole(draw),
        answer=whole(draw),
        batch=draw.choice(POWERS),
        tensor=draw.choice(POWERS),
    )


def step_work(draw: Random) -> StepWork:
    products = [parts(draw, Product) for _ in range(draw.randrange(4))]
    made = parts(draw, StepWork)
    return replace(made, products=[replace(each, rows=real(draw)) for each in products])


def constants(draw: Random) -> ServingConstants:
    return replace(SERVING, memory_share=draw.random(), half_rate_rows=real(draw))


BY_TYPE: dict[Any, Callable[[Random], Any]] = {
    bool: lambda draw: draw.random() < 0.5,
    str: lambda draw: draw.choice(("gpt2", "openai/gpt-oss-20b", "Llama's")),
    Model: lambda draw: draw.choice(small_models()),
    Model | None: lambda draw: None,
    Layer: lambda draw: draw.choice(draw.choice(small_models()).kinds),
    Tensor: lambda draw: draw.choice(draw.choice(small_models()).kinds[0].tensors),
    list[Tensor]: lambda draw: draw.choice(small_models()).kinds[0].tensors,
    Accelerator: accelerator,
    WeightFormat: lambda draw: draw.choice(list(WEIGHT_FORMATS.values())),
    FloatFormat: lambda draw: draw.choice(list(FLOAT_FORMATS.values())),
    TrainingState: lambda draw: draw.choice(list(TRAINING_STATES.values())),
    Cluster: lambda draw: draw.choice(clusters()),
    InferencePlan: inference_plan,
    TrainingPlan: training_plan,
    PublishedRun: published_run,
    Worker: worker,
    ServicePlan: service_plan,
    StepWork: step_work,
    ServingConstants: constants,
    dict[str, float]: weight_bits,
    list[list[Task]]: orders,
    list[Task]: lambda draw: draw.choice(orders(draw)),
    list[TimedTask]: blocks,
    list[TrainingPlan]: lambda draw: [training_plan(draw) for _ in range(draw.randrange(3))],
}


def argument(draw: Random, function: str, name: str, hint: Any, drawn: dict[str, Any]) -> Any:
    """A value that the parameter is meant to take."""
    model = drawn.get("model")
    if function == "require_count":
        return draw.choice((int, float))(whole(draw))
    if name == "layer" and function == "spread":
        return draw.randrange(100)
    if name == "layer" and model and hint is int:
        return draw.randrange(model.layers)
    if name == "index":
        return draw.randrange(max(drawn["plan"].pipeline, 1)) if drawn["plan"].pipeline < 99 else 0
    if hint is Stage:
        return stage(draw, model or drawn["plan"].model)
    if name == "stage":
        return draw.randrange(4)
    if name == "tensor" and model and hint is int:
        return tensor_of(draw, model)
    if name in ("stages", "ranks", "pipeline") and model:
        return draw.randint(1, model.layers)
    if name == "gpus" and "cluster" in drawn:
        return draw.choice((1, 2, 3, 4))
    if name == "micro_batches" and drawn.get("chunks", 1) > 1:
        return drawn.get("ranks", 1) * draw.randint(1, 2)
    if name in ("acceptance", "bubble"):
        return draw.random()
    if name in ("value", "weight", "update", "gradient"):
        return draw.choice((-1, 1)) * 2 ** draw.uniform(-30, 18) * draw.choice((1, 1, 1, 0.001))
    if name == "part":
        return draw.choice((None, "attention", "MLP", "layer norms"))
    if name == "name" and function == "fastest_plan":
        return draw.choice((None, *FAMILIES))
    if name in SMALL:
        return draw.randint(2 if name == "exponent_bits" else 1, SMALL[name])
    if name == "used":
        return drawn["experts"] * draw.random()
    if name in ("mixture", "kind"):
        return draw.choice(sorted(BITS if name == "kind" else BASE))
    if hint is int:
        return whole(draw)
    if hint is float:
        return real(draw)
    return BY_TYPE[hint](draw)


@cache
def parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """Names and types, those first that others depend on."""
    hints = get_type_hints(function)
    hints.pop("return")
    if list(hints) == ["arguments"]:
        return {"rows": float, "columns": float}
    first = [name for name in ("model", "plan", "cluster", "chunks") if name in hints]
    return {name: hints[name] for name in (*first, *hints)}


def arguments(draw: Random, function: Callable[..., Any]) -> tuple[dict[str, Any], bool]:
    """Arguments by name, and whether one of them is of a wrong type."""
    drawn: dict[str, Any] = {}
    hints = parameters(function)
    for name, hint in hints.items():
        drawn[name] = argument(draw, function.__name__, name, hint, drawn)
    if not hints or draw.random() < 0.9:
        return drawn, False
    name = draw.choice(list(hints))
    if draw.random() < 0.1:
        drawn[name] = draw.choice(WRONG)
        return drawn, True
    if hints[name] in (int, float):
        edges = [each for each in EDGES if name not in UNENDING or not abs(each) > 2**20]
        drawn[name] = draw.choice(edges)
    return drawn, False
