"""Bytes that training holds: for each parameter, and for each layer's activations."""

from dataclasses import dataclass, field

from snippets.arguments import require_count, require_positive
from snippets.sources import Source

READ = "2026-11-29"


@dataclass(frozen=True, kw_only=True)
class TrainingState:
    """Bytes per parameter that training holds, part by part.

    `gradients` is all copies of them together; `master_weights` is the FP32 copy that the
    optimizer updates, 0 where the weights are FP32 themselves.
    """

    name: str
    weights: float
    gradients: float
    master_weights: float
    first_moments: float
    second_moments: float
    sources: dict[str, Source]


PARTS = ("weights", "gradients", "master_weights", "first_moments", "second_moments")

RAJBHANDARI = Source(
    "Rajbhandari et al. 2020, ZeRO: memory optimizations toward training trillion parameter models",
    "section 3.1",
    "https://arxiv.org/abs/1910.02054",
    READ,
)


def _state(
    name: str, *, weights: float, gradients: float, master_weights: float, source: Source
) -> TrainingState:
    """Adam's two moments are in FP32."""
    return TrainingState(
        name=name,
        weights=weights,
        gradients=gradients,
        master_weights=master_weights,
        first_moments=4,
        second_moments=4,
        sources=dict.fromkeys(PARTS, source),
    )


def _megatron_core(section: str) -> Source:
    return Source(
        "Megatron Core developer guide, distributed optimizer",
        section,
        "https://docs.nvidia.com/megatron-core/developer-guide/latest/api-guide/dist_optimizer.html",
        READ,
    )


MIXED_PRECISION = _state(
    "16-bit weights and gradients, FP32 master weights and moments",
    weights=2,
    gradients=2,
    master_weights=4,
    source=RAJBHANDARI,
)
FP32_GRADIENTS = _state(
    "16-bit weights, FP32 gradients, master weights and moments",
    weights=2,
    gradients=4,
    master_weights=4,
    source=_megatron_core("table: bf16 parameters, fp32 gradients, 18 bytes"),
)
BOTH_GRADIENTS = _state(
    "16-bit weights and gradients, FP32 gradients, master weights and moments",
    weights=2,
    gradients=6,
    master_weights=4,
    source=_megatron_core("table: fp16 parameters, fp16 gradients, 20 bytes"),
)
FULL_PRECISION = _state(
    "FP32 weights, gradients and moments",
    weights=4,
    gradients=4,
    master_weights=0,
    source=_megatron_core("table: fp32 parameters, fp32 gradients, 16 bytes"),
)

TRAINING_STATES: dict[str, TrainingState] = {
    "MIXED_PRECISION": MIXED_PRECISION,
    "FP32_GRADIENTS": FP32_GRADIENTS,
    "BOTH_GRADIENTS": BOTH_GRADIENTS,
    "FULL_PRECISION": FULL_PRECISION,
}


def optimizer_bytes_per_parameter(state: TrainingState = MIXED_PRECISION) -> float:
    """Bytes per parameter of what only the optimizer reads: the master weight and two moments.

    >>> optimizer_bytes_per_parameter(), optimizer_bytes_per_parameter(FULL_PRECISION)
    (12, 8)
    """
    return state.master_weights + state.first_moments + state.second_moments


def bytes_per_parameter(state: TrainingState = MIXED_PRECISION) -> float:
    """Bytes per parameter of weights, gradients and optimizer state together.

    >>> [bytes_per_parameter(state) for state in TRAINING_STATES.values()]
    [16, 18, 20, 16]
    >>> bytes_per_parameter()
    16
    """
    return state.weights + state.gradients + optimizer_bytes_per_parameter(state)


def training_bytes(parameters: float, state: TrainingState = MIXED_PRECISION) -> float:
    """Bytes that training holds for a model, without its activations.

    >>> training_bytes(7e9), training_bytes(7e9, FP32_GRADIENTS)
    (112000000000.0, 126000000000.0)
    """
    require_positive(parameters=parameters)
    return parameters * bytes_per_parameter(state)


def zero_bytes_per_parameter(
    *, stage: int, copies: int, state: TrainingState = MIXED_PRECISION
) -> float:
    """Bytes per parameter on each of `copies` data-parallel GPUs of ZeRO.

    Stage 1 splits the optimizer state over them, stage 2 the gradients too, stage 3 the weights
    too; stage 0 splits nothing (Rajbhandari et al. 2020, section 5).

    >>> [zero_bytes_per_parameter(stage=stage, copies=8) for stage in (0, 1, 2, 3)]
    [16, 5.5, 3.75, 2.0]
    >>> eighteen = {"copies": 8, "state": FP32_GRADIENTS}
    >>> [zero_bytes_per_parameter(stage=stage, **eighteen) for stage in (0, 1, 2, 3)]
    [18, 7.5, 4.0, 2.25]
    >>> zero_bytes_per_parameter(stage=4, copies=8)
    Traceback (most recent call last):
    ValueError: stage must be 0, 1, 2 or 3, not 4
    """
    require_count(copies=copies)
    optimizer = optimizer_bytes_per_parameter(state)
    if stage == 0:
        return state.weights + state.gradients + optimizer
    if stage == 1:
        return state.weights + state.gradients + optimizer / copies
    if stage == 2:
        return state.weights + (state.gradients + optimizer) / copies
    if stage == 3:
        return (state.weights + state.gradients + optimizer) / copies
    raise ValueError(f"stage must be 0, 1, 2 or 3, not {stage}")


KORTHIKANTI = Source(
    "Korthikanti et al. 2022, Reducing activation recomputation in large transformer models",
    "section 4.1",
    "https://arxiv.org/abs/2205.05198",
    READ,
)


@dataclass(frozen=True)
class StoredTensor:
    """A tensor that a transformer layer keeps for its backward pass, 16 bits an element.

    `bytes_per_hidden` times tokens x sequences x width, or `bytes_per_score` times
    heads x tokens^2 x sequences. A dropout mask takes one byte an element.
    """

    part: str
    name: str
    bytes_per_hidden: float = 0
    bytes_per_score: float = 0
    sources: dict[str, Source] = field(
        default_factory=lambda: dict.fromkeys(("bytes_per_hidden", "bytes_per_score"), KORTHIKANTI)
    )


STORED_TENSORS = {
    tensor.name: tensor
    for tensor in (
        StoredTensor("layer norms", "input of the first layer norm", bytes_per_hidden=2),
        StoredTensor("attention", "input of the attention products", bytes_per_hidden=2),
        StoredTensor("attention", "queries and keys", bytes_per_hidden=4),
        StoredTensor("attention", "softmax output", bytes_per_score=2),
        StoredTensor("attention", "softmax dropout mask", bytes_per_score=1),
        StoredTensor("attention", "softmax dropout output", bytes_per_score=2),
        StoredTensor("attention", "values", bytes_per_hidden=2),
        StoredTensor("attention", "input of the output product", bytes_per_hidden=2),
        StoredTensor("attention", "attention dropout mask", bytes_per_hidden=1),
        StoredTensor("layer norms", "input of the second layer norm", bytes_per_hidden=2),
        StoredTensor("MLP", "input of the first MLP product", bytes_per_hidden=2),
        StoredTensor("MLP", "input of the activation function", bytes_per_hidden=8),
        StoredTensor("MLP", "input of the second MLP product", bytes_per_hidden=8),
        StoredTensor("MLP", "MLP dropout mask", bytes_per_hidden=1),
    )
}


def bytes_per_hidden(part: str | None = None) -> float:
    """Bytes that one layer keeps per token and unit of width: the 34 of 34sbh, or a part's share.

    >>> bytes_per_hidden()
    34
    >>> bytes_per_hidden("attention"), bytes_per_hidden("MLP"), bytes_per_hidden("layer norms")
    (11, 19, 4)
    >>> bytes_per_hidden("mlp")
    Traceback (most recent call last):
    ValueError: part must be one of attention, layer norms, MLP, not mlp
    """
    if part not in (None, "attention", "layer norms", "MLP"):
        raise ValueError(f"part must be one of attention, layer norms, MLP, not {part}")
    tensors = STORED_TENSORS.values()
    return sum(tensor.bytes_per_hidden for tensor in tensors if part in (None, tensor.part))


def bytes_per_score() -> float:
    """Bytes that one layer keeps per head and pair of tokens: the 5 of 5as/h.

    >>> bytes_per_score()
    5
    """
    return sum(tensor.bytes_per_score for tensor in STORED_TENSORS.values())


def layer_activation_bytes(*, tokens: float, sequences: float, width: float) -> float:
    """Bytes one layer keeps for backward when attention never stores its scores: 34sbh.

    Korthikanti et al. 2022, section 4.1, without the terms in s^2: a 16-bit layer with an MLP of
    4 widths and attention whose memory is linear in the tokens.

    >>> layer_activation_bytes(tokens=3, sequences=5, width=7)
    3570
    """
    require_positive(tokens=tokens, sequences=sequences, width=width)
    return bytes_per_hidden() * tokens * sequences * width


def score_activation_bytes(*, tokens: float, sequences: float, heads: float) -> float:
    """Bytes one layer keeps more when attention stores its scores: 5as^2b.

    >>> score_activation_bytes(tokens=3, sequences=5, heads=7)
    1575
    """
    require_positive(tokens=tokens, sequences=sequences, heads=heads)
    return bytes_per_score() * heads * tokens**2 * sequences


def materialised_activation_bytes(
    *, tokens: float, sequences: float, width: float, heads: float
) -> float:
    """Bytes one layer keeps for backward with every score stored: sbh(34 + 5as/h).

    Korthikanti et al. 2022, equation 1.

    >>> materialised_activation_bytes(tokens=3, sequences=5, width=14, heads=7)
    8715
    """
    return layer_activation_bytes(
        tokens=tokens, sequences=sequences, width=width
    ) + score_activation_bytes(tokens=tokens, sequences=sequences, heads=heads)


def recomputed_activation_bytes(
    *, tokens: float, sequences: float, width: float, layers: float
) -> float:
    """Bytes that full recomputation keeps: each layer's 16-bit input, 2sbhL.

    Korthikanti et al. 2022, section 5. The layer at work keeps its 34sbh beside these.

    >>> recomputed_activation_bytes(tokens=3, sequences=5, width=7, layers=11)
    2310
    """
    require_positive(tokens=tokens, sequences=sequences, width=width, layers=layers)
    return 2 * tokens * sequences * width * layers
