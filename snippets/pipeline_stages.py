"""Which layers each rank of a pipeline holds, so that all work about equally long."""

from dataclasses import dataclass, replace

from snippets.arguments import require_count
from snippets.model_parameters import (
    all_tensors,
    head_parameters,
    split_parameters,
    used_parameters,
)
from snippets.models import Model, Tensor, layer_of


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One rank's layers (counted from 0), and whether the embedding and the output head are here."""

    layers: list[int]
    embedding: bool
    head: bool


def pipeline_stages(model: Model, stages: int, chunks: int = 1) -> list[Stage]:
    """Each rank's share of the layers, in order.

    Without interleaving, a stage takes layers until all work so far reaches its share, by the
    parameters that a token multiplies by; the output head is work like a layer, the embedding's
    look-up is none. So the last stage holds fewer layers. With `chunks` of layers on every rank,
    each has as many layers, and those that are over go to the ranks after the first.

    >>> from snippets.models import llama_3_2_1b, llama_3_1_8b
    >>> [len(stage.layers) for stage in pipeline_stages(llama_3_2_1b, 4)]
    [6, 5, 5, 0]
    >>> [stage.layers[0] for stage in pipeline_stages(llama_3_1_8b, 5)]
    [0, 7, 14, 21, 28]
    >>> [(stage.embedding, stage.head) for stage in pipeline_stages(llama_3_1_8b, 3)]
    [(True, False), (False, False), (False, True)]
    >>> from dataclasses import replace
    >>> from snippets.models import model_from_config
    >>> config = {"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192}
    >>> config |= {"num_hidden_layers": 16, "num_key_value_heads": 8, "tie_word_embeddings": True}
    >>> config |= {"vocab_size": 118792}  # a head of just four layers' work
    >>> even = model_from_config(config, name="even")
    >>> [len(stage.layers) for stage in pipeline_stages(even, 4)], len(pipeline_stages(even, 16))
    ([5, 5, 5, 1], 16)
    >>> [stage.layers for stage in pipeline_stages(replace(even, layers=8), 3, chunks=2)]
    [[0, 3], [1, 4, 5], [2, 6, 7]]
    >>> pipeline_stages(llama_3_2_1b, 17)
    Traceback (most recent call last):
    ValueError: stages must be at most the model's 16 layers, not 17
    >>> pipeline_stages(llama_3_2_1b, 0)
    Traceback (most recent call last):
    ValueError: stages must be a whole number from 1 up, not 0
    """
    require_count(stages=stages, chunks=chunks)
    if stages > model.layers:
        raise ValueError(f"stages must be at most the model's {model.layers} layers, not {stages}")
    if stages == 1:
        return [Stage(layers=list(range(model.layers)), embedding=True, head=True)]
    held = (
        interleaved_layers(model, stages, chunks) if chunks > 1 else balanced_layers(model, stages)
    )
    return [
        Stage(layers=held[each], embedding=each == 0, head=each == stages - 1)
        for each in range(stages)
    ]


def balanced_layers(model: Model, stages: int) -> list[list[int]]:
    """Consecutive layers for each stage, of about equal work; `pipeline_stages` says how.

    >>> from snippets.models import deepseek_v2_lite
    >>> [len(layers) for layers in balanced_layers(deepseek_v2_lite, 5)]
    [6, 6, 6, 6, 3]
    """
    kinds = [used_parameters(kind) for kind in model.kinds]
    work = [kinds[kind] for kind in model.order]
    total = sum(work) + head_parameters(model)
    held: list[list[int]] = [[] for _ in range(stages)]
    stage = 0
    remaining = total
    for layer in range(model.layers):
        held[stage].append(layer)
        remaining -= work[layer]
        if remaining * stages <= total * (stages - stage - 1):
            stage += 1
    return held


def interleaved_layers(model: Model, ranks: int, chunks: int) -> list[list[int]]:
    """Each rank's layers, chunk by chunk from rank to rank; short chunks come first.

    >>> from snippets.models import llama_3_1_405b
    >>> held = interleaved_layers(llama_3_1_405b, 16, 8)
    >>> [len(layers) for layers in held]
    [7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7]
    >>> held[0]
    [14, 30, 46, 62, 78, 94, 110]
    """
    each, over = model.layers // ranks, model.layers % ranks
    counts = [each + (1 if 1 <= rank <= over else 0) for rank in range(ranks)]
    held: list[list[int]] = [[] for _ in range(ranks)]
    layer = 0
    for chunk in range(chunks):
        for rank in range(ranks):
            size = counts[rank] // chunks
            if chunk >= chunks - counts[rank] % chunks:
                size += 1
            held[rank] += range(layer, layer + size)
            layer += size
    return held


def stage_model(model: Model, stage: Stage) -> Model:
    """What a stage holds, as a model of its own: its layers, and what stands around them there.

    A tied output head on another stage than the embedding is a copy of it.

    >>> from snippets.models import llama_3_2_1b
    >>> stages = pipeline_stages(llama_3_2_1b, 2)
    >>> first, last = (stage_model(llama_3_2_1b, stage) for stage in stages)
    >>> first.layers, [tensor.name for tensor in first.around]
    (11, ['embedding'])
    >>> last.layers, [tensor.name for tensor in last.around]
    (5, ['embedding', 'norm'])
    """
    first = ("embedding", "positions")
    copied = ("embedding",) if stage.head and model.tied_embeddings else ()
    last = ("norms", "head") if stage.head else ()
    here = (*first, *last) if stage.embedding else (*copied, *last)
    return replace(
        model,
        layers=len(stage.layers),
        order=[model.order[layer] for layer in stage.layers],
        around=[tensor for tensor in model.around if tensor.part in here],
    )


def stage_units(model: Model, stage: Stage) -> list[list[Tensor]]:
    """What a stage holds, in the units that are gathered at once: embedding, layers, head.

    >>> from snippets.models import gpt2_xl, llama_3_1_8b
    >>> len(stage_units(gpt2_xl, Stage(layers=[5, 7], embedding=True, head=True)))
    4
    >>> len(stage_units(llama_3_1_8b, Stage(layers=[5, 7], embedding=False, head=False)))
    2
    """
    around = stage_model(model, stage).around
    ends = ("norms", "head")
    first = [each for each in around if stage.embedding and each.part not in ends]
    last = [each for each in around if not stage.embedding or each.part in ends]
    units = [first, *(layer_of(model, layer).tensors for layer in stage.layers), last]
    return [unit for unit in units if unit]


def stage_parameters(model: Model, stage: Stage, *, tensor: int = 1) -> float:
    """Parameters on one GPU of a stage that is split over `tensor` GPUs.

    >>> from snippets.models import deepseek_v2_lite, gpt2_xl, llama_3_1_8b, llama_3_2_1b
    >>> [stage_parameters(llama_3_1_8b, stage) for stage in pipeline_stages(llama_3_1_8b, 2)]
    [4451352576.0, 3578908672.0]
    >>> [stage_parameters(llama_3_1_8b, pipeline_stages(llama_3_1_8b, 1)[0], tensor=split)
    ...  for split in (8, 16)]
    [1004015616.0, 518918144.0]
    >>> [stage_parameters(llama_3_2_1b, stage) for stage in pipeline_stages(llama_3_2_1b, 2)]
    [931704832.0, 566777856.0]
    >>> stage_parameters(llama_3_2_1b, pipeline_stages(llama_3_2_1b, 1)[0])
    1235814400.0
    >>> stage_parameters(gpt2_xl, pipeline_stages(gpt2_xl, 3)[0], tensor=5)
    121059200.0
    """
    held = all_tensors(stage_model(model, stage))
    return sum(layers * split_parameters([each], tensor) for each, layers in held)
