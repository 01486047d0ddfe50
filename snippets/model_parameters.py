"""How many parameters a model has, part by part, to the last one: sums over its tensors."""

from dataclasses import dataclass

from snippets.models import Layer, Model, Tensor, layer_counts, layer_of
from snippets.models.model import PARTS


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """A model's parameters by part, in elements, summed over its layers."""

    embedding: int
    positions: int
    attention: int
    mlp: int
    experts: int
    router: int
    norms: int
    head: int


def elements(tensor: Tensor) -> int:
    """Parameters of one of the tensors that a Tensor stands for.

    >>> elements(Tensor(name="up", part="mlp", inputs=3, outputs=5, count=7))
    15
    >>> elements(Tensor(name="norm", part="norms", outputs=5, count=7))
    5
    """
    return (tensor.inputs or 1) * tensor.outputs


def all_tensors(model: Model) -> list[tuple[Tensor, int]]:
    """Each kind of tensor of a model, and how many layers have it; 1 for what stands around them.

    >>> from snippets.models import llama_3_2_1b
    >>> [(tensor.name, layers) for tensor, layers in all_tensors(llama_3_2_1b)][:3]
    [('embedding', 1), ('norm', 1), ('query', 16)]
    """
    found = [(tensor, 1) for tensor in model.around]
    for layer, layers in layer_counts(model):
        found += [(tensor, layers) for tensor in layer.tensors]
    return found


def count_parameters(model: Model) -> Parameters:
    """All parameters, by part.

    >>> from snippets.models import deepseek_v2_lite, gpt2_xl, mixtral_8x7b, phi_2
    >>> count_parameters(deepseek_v2_lite)  # doctest: +NORMALIZE_WHITESPACE
    Parameters(embedding=209715200, positions=0, attention=371602944, mlp=517079040,
               experts=14394851328, router=3407872, norms=112640, head=209715200)
    >>> count_parameters(gpt2_xl)  # doctest: +NORMALIZE_WHITESPACE
    Parameters(embedding=80411200, positions=1638400, attention=491827200, mlp=983424000,
               experts=0, router=0, norms=310400, head=0)
    >>> count_parameters(phi_2).head
    131123200
    >>> count_parameters(mixtral_8x7b).mlp, count_parameters(mixtral_8x7b).router
    (0, 1048576)
    """
    held = dict.fromkeys(PARTS, 0)
    for tensor, layers in all_tensors(model):
        held[tensor.part] += layers * tensor.count * elements(tensor)
    return Parameters(**held)


def total_parameters(model: Model) -> int:
    """All parameters, each counted once (a tied output head is the input embedding).

    >>> from snippets.models import deepseek_v3, llama_3_1_70b, gpt2_xl, phi_2, qwen3_0_6b
    >>> total_parameters(llama_3_1_70b)
    70553706496
    >>> total_parameters(qwen3_0_6b)
    596049920
    >>> total_parameters(gpt2_xl), total_parameters(phi_2), total_parameters(deepseek_v3)
    (1557611200, 2779683840, 671026419200)
    """
    return sum(layers * tensor.count * elements(tensor) for tensor, layers in all_tensors(model))


def active_parameters(model: Model) -> int:
    """Parameters that one token uses: all but the experts that its router passes over.

    >>> from snippets.models import llama_2_7b, mixtral_8x7b
    >>> active_parameters(mixtral_8x7b)
    12879925248
    >>> active_parameters(llama_2_7b)
    6738415616
    """
    return sum(
        layers * (tensor.count - tensor.idle) * elements(tensor)
        for tensor, layers in all_tensors(model)
    )


def split_parameters(tensors: list[Tensor], tensor_split: int = 1) -> float:
    """Parameters on each of `tensor_split` GPUs, which hold copies of what cannot be cut so often.

    Keys and values are cut at most into their heads, the projections to latent vectors, routers and
    norms not at all: of Llama 3.1 70B's keys, sixteen GPUs hold an eighth each.

    >>> from snippets.models import llama_3_1_70b
    >>> query, key = llama_3_1_70b.kinds[0].tensors[:2]
    >>> split_parameters([query], 16) * 16, split_parameters([key], 16) * 8
    (67108864.0, 8388608.0)
    """
    return sum(
        tensor.count * elements(tensor) / min(tensor_split, tensor.pieces or tensor_split)
        for tensor in tensors
    )


def layer_parameters(model: Model, layer: int) -> int:
    """Parameters of one layer (counted from 0), its norms with it.

    >>> from snippets.models import deepseek_v3, llama_2_7b, mixtral_8x7b
    >>> layer_parameters(llama_2_7b, 5), layer_parameters(mixtral_8x7b, 5)
    (202383360, 1451270144)
    >>> layer_parameters(deepseek_v3, 2), layer_parameters(deepseek_v3, 3)
    (583483392, 11507286272)
    """
    return sum(tensor.count * elements(tensor) for tensor in layer_of(model, layer).tensors)


def active_layer_parameters(model: Model, layer: int) -> int:
    """Parameters of a layer that one token uses: of the experts only those it is sent to.

    >>> from snippets.models import deepseek_v3, mixtral_8x7b
    >>> active_layer_parameters(mixtral_8x7b, 5)
    394305536
    >>> active_layer_parameters(deepseek_v3, 2), active_layer_parameters(deepseek_v3, 3)
    (583483392, 585318656)
    """
    return used_parameters(layer_of(model, layer))


def used_parameters(layer: Layer) -> int:
    """Parameters of a layer that one token uses.

    >>> from snippets.models import mixtral_8x7b
    >>> used_parameters(mixtral_8x7b.kinds[0])
    394305536
    """
    return sum((tensor.count - tensor.idle) * elements(tensor) for tensor in layer.tensors)


def has_experts(model: Model, layer: int) -> bool:
    """Whether a layer (counted from 0) has experts.

    >>> from snippets.models import deepseek_v3, llama_2_7b
    >>> [has_experts(deepseek_v3, layer) for layer in (0, 2, 3)], has_experts(llama_2_7b, 31)
    ([False, False, True], False)
    """
    return any(tensor.part == "experts" for tensor in layer_of(model, layer).tensors)


def head_parameters(model: Model) -> int:
    """Parameters that the output head multiplies by, its own or the tied embedding's.

    >>> from snippets.models import llama_3_2_1b, phi_2
    >>> head_parameters(llama_3_2_1b), head_parameters(phi_2)
    (262668288, 131123200)
    """
    shared = "embedding" if model.tied_embeddings else "head"
    return sum(elements(tensor) for tensor in model.around if tensor.part in (shared, "head"))
