"""Fine-tuning with adapters: weights stay as they are, and two thin matrices beside each are trained.

Beside a matrix of inputs × outputs stand one of inputs × rank and one of rank × outputs (LoRA, Hu et al.
2021, section 4.1). `snippets/stage_memory.py` counts with it what a plan holds that has a rank.
"""

from snippets.arguments import require_positive
from snippets.model_parameters import elements
from snippets.models import Layer, Model, Tensor, layer_counts
from snippets.operations import mean_attention_operations, multiplied_operations
from snippets.weight_formats import WeightFormat

# All matrices of attention and MLPs (QLoRA, Dettmers et al. 2023, section 4); experts and routers none.
ADAPTED = ("attention", "mlp")
CUT_ALONG_INPUTS = ("output", "down")


def adapted_matrices(layer: Layer) -> list[Tensor]:
    """The matrices of a layer that have adapters.

    >>> from snippets.models import llama_3_1_8b, mixtral_8x7b
    >>> [tensor.name for tensor in adapted_matrices(llama_3_1_8b.kinds[0])]
    ['query', 'key', 'value', 'output', 'gate', 'up', 'down']
    >>> len(adapted_matrices(mixtral_8x7b.kinds[0]))
    4
    """
    return [tensor for tensor in layer.tensors if tensor.inputs and tensor.part in ADAPTED]


def pair_parameters(rank: float, inputs: float, outputs: float) -> float:
    """Parameters of the two thin matrices beside one of inputs × outputs (Hu et al. 2021, section 4.1).

    >>> pair_parameters(8, 3, 5)
    64
    """
    return rank * (inputs + outputs)


def layer_adapter_parameters(layer: Layer, rank: int, *, tensor: int = 1) -> float:
    """Parameters of a layer's adapters on each of `tensor` GPUs: rank × (inputs + outputs) a matrix.

    A split cuts of each pair the matrix on the side where it cuts the weights; the other is whole
    on every GPU.

    >>> from snippets.models import llama_3_1_8b
    >>> layer = llama_3_1_8b.kinds[0]
    >>> layer_adapter_parameters(layer, 16) == 16 * (
    ...     2 * (4096 + 4096) + 2 * (4096 + 1024) + 3 * (4096 + 14336))
    True
    >>> layer_adapter_parameters(layer, 16, tensor=8) == 16 * (
    ...     (4096 + 512) + 2 * (4096 + 128) + (512 + 4096) + 3 * (4096 + 1792))
    True
    """
    held = 0.0
    for each in adapted_matrices(layer):
        pieces = min(tensor, each.pieces or tensor)
        cut, whole = each.outputs, each.inputs
        if each.name in CUT_ALONG_INPUTS:
            cut, whole = whole, cut
        held += each.count * pair_parameters(rank, cut / pieces, whole)
    return held


def adapter_parameters(model: Model, rank: int, *, tensor: int = 1) -> float:
    """Parameters of a model's adapters on each of `tensor` GPUs.

    >>> from snippets.models import llama_2_7b, llama_3_1_8b
    >>> adapter_parameters(llama_3_1_8b, 16), adapter_parameters(llama_2_7b, 64)
    (41943040.0, 159907840.0)
    """
    require_positive(rank=rank)
    return sum(
        layers * layer_adapter_parameters(layer, rank, tensor=tensor)
        for layer, layers in layer_counts(model)
    )


def adapter_kept_bytes(layer: Layer, rank: int, *, tokens: float) -> float:
    """Bytes that a layer's adapters keep for the backward pass beside what the layer keeps: rank
    elements of 16 bits between the two matrices of each pair, for each token.

    >>> from snippets.models import llama_3_1_8b
    >>> adapter_kept_bytes(llama_3_1_8b.kinds[0], 16, tokens=10)
    2240.0
    """
    matrices = sum(each.count for each in adapted_matrices(layer))
    return 2.0 * tokens * rank * matrices


def widened_bytes(model: Model, weights: WeightFormat, *, tensor: int = 1) -> float:
    """Bytes of the largest matrix in 16 bits, where a format is widened before it is multiplied.

    QLoRA widens one matrix at a time, forward and again backward (Dettmers et al. 2023, section 3).

    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.weight_formats import bf16_weights, nf4
    >>> widened_bytes(llama_3_1_8b, nf4), widened_bytes(llama_3_1_8b, bf16_weights)
    (117440512.0, 0.0)
    """
    if not weights.widened:
        return 0.0
    largest = max(elements(each) for layer in model.kinds for each in adapted_matrices(layer))
    return 2.0 * largest / tensor


def adapter_training_operations_per_token(model: Model, rank: int, *, tokens: float) -> float:
    """Operations of one token in training adapters on sequences of `tokens`.

    Forward and the gradients of each product's inputs, as in training all weights; the gradients of
    the weights themselves are those of the adapters alone. Four operations a frozen weight, not six.

    >>> from snippets.models import llama_3_1_8b
    >>> from snippets.operations import training_operations_per_token
    >>> whole = training_operations_per_token(llama_3_1_8b, tokens=4096)
    >>> round(adapter_training_operations_per_token(llama_3_1_8b, 16, tokens=4096) / whole, 3)
    0.694
    """
    return tuning_operations(
        multiplied_operations(model) / 2,
        adapter_parameters(model, rank),
        3 * mean_attention_operations(model, tokens),
    )


def tuning_operations(frozen: float, adapters: float, attention: float) -> float:
    """Operations of one token: four for each frozen weight that it is multiplied by, six for each of the
    adapters, and those of attention.

    >>> tuning_operations(1000, 10, 7)
    4067
    """
    return 4 * frozen + 6 * adapters + attention
