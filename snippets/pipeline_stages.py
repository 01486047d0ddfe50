"""Which layers each pipeline stage holds, so that all stages work about equally long."""

from dataclasses import dataclass

from snippets.arguments import require_count
from snippets.layer_parameters import (
    active_layer_parameters,
    split_layer_parameters,
    whole_layer_parameters,
)
from snippets.model_parameters import norm_parameters
from snippets.models import Model


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A run of layers (counted from 0), and whether the embedding and the output head are here."""

    first_layer: int
    layers: int
    embedding: bool
    head: bool


def head_parameters(model: Model) -> int:
    """Parameters that the output head multiplies by, its own or the tied embedding's.

    >>> from snippets.models import llama_3_2_1b, phi_2
    >>> head_parameters(llama_3_2_1b), head_parameters(phi_2)
    (262668288, 131123200)
    """
    return model.vocabulary * model.hidden_size + (model.vocabulary if model.head_bias else 0)


def pipeline_stages(model: Model, stages: int) -> list[Stage]:
    """Stages in order, balanced by the parameters that a token multiplies by.

    A stage takes layers until all work so far reaches its share; the output head is work like a
    layer, the embedding's look-up is none. So the last stage holds fewer layers.

    >>> from snippets.models import llama_3_2_1b, llama_3_1_8b
    >>> [stage.layers for stage in pipeline_stages(llama_3_2_1b, 4)]
    [6, 5, 5, 0]
    >>> [stage.first_layer for stage in pipeline_stages(llama_3_1_8b, 5)]
    [0, 7, 14, 21, 28]
    >>> [(stage.embedding, stage.head) for stage in pipeline_stages(llama_3_1_8b, 3)]
    [(True, False), (False, False), (False, True)]
    >>> pipeline_stages(llama_3_2_1b, 1)
    [Stage(first_layer=0, layers=16, embedding=True, head=True)]
    >>> from dataclasses import replace
    >>> even = replace(llama_3_2_1b, vocabulary=118792)  # a head of just four layers' work
    >>> [stage.layers for stage in pipeline_stages(even, 4)], len(pipeline_stages(even, 16))
    ([5, 5, 5, 1], 16)
    >>> pipeline_stages(llama_3_2_1b, 17)
    Traceback (most recent call last):
    ValueError: stages must be at most the model's 16 layers, not 17
    >>> pipeline_stages(llama_3_2_1b, 0)
    Traceback (most recent call last):
    ValueError: stages must be a whole number from 1 up, not 0
    """
    require_count(stages=stages)
    if stages > model.layers:
        raise ValueError(f"stages must be at most the model's {model.layers} layers, not {stages}")
    work = [active_layer_parameters(model, layer) for layer in range(model.layers)]
    total = sum(work) + head_parameters(model)
    held = [0] * stages
    stage = 0
    remaining = total
    for layer_work in work:
        held[stage] += 1
        remaining -= layer_work
        if remaining * stages <= total * (stages - stage - 1):
            stage += 1
    return [
        Stage(
            first_layer=sum(held[:each]),
            layers=held[each],
            embedding=each == 0,
            head=each == stages - 1,
        )
        for each in range(stages)
    ]


def stage_parameters(model: Model, stage: Stage, *, tensor: int = 1) -> float:
    """Parameters on one GPU of a stage whose matrices are split over `tensor` GPUs.

    Norms and routers are on each of them. A tied output head on another stage than the embedding
    is a copy of it.

    >>> from snippets.models import deepseek_v2_lite, gpt2_xl, llama_3_1_8b, llama_3_2_1b
    >>> [stage_parameters(llama_3_1_8b, stage) for stage in pipeline_stages(llama_3_1_8b, 2)]
    [4451352576.0, 3578908672.0]
    >>> stage_parameters(llama_3_1_8b, pipeline_stages(llama_3_1_8b, 1)[0], tensor=8)
    1004015616.0
    >>> [stage_parameters(llama_3_2_1b, stage) for stage in pipeline_stages(llama_3_2_1b, 2)]
    [931704832.0, 566777856.0]
    >>> stage_parameters(llama_3_2_1b, pipeline_stages(llama_3_2_1b, 1)[0])
    1235814400.0
    >>> stage_parameters(gpt2_xl, pipeline_stages(gpt2_xl, 3)[0], tensor=5)
    121015680.0
    >>> stage_parameters(deepseek_v2_lite, pipeline_stages(deepseek_v2_lite, 3)[1], tensor=7)
    836655542.8571428
    >>> stage_parameters(gpt2_xl, pipeline_stages(gpt2_xl, 3)[0], tensor=0)
    Traceback (most recent call last):
    ValueError: tensor must be a whole number from 1 up, not 0
    """
    require_count(tensor=tensor)
    layers = range(stage.first_layer, stage.first_layer + stage.layers)
    split = sum(split_layer_parameters(model, layer) for layer in layers)
    whole = sum(whole_layer_parameters(model, layer) for layer in layers)
    if stage.embedding:
        split += (model.vocabulary + model.learned_positions) * model.hidden_size
    if stage.head:
        whole += norm_parameters(model)
        if not (model.tied_embeddings and stage.embedding):
            split += head_parameters(model)
    return split / tensor + whole
