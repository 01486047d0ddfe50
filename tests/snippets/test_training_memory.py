"""Training memory against values worked by hand and published figures."""

from dataclasses import asdict

import pytest
import torch

from snippets.training_memory import (
    BOTH_GRADIENTS,
    FP32_GRADIENTS,
    FULL_PRECISION,
    MIXED_PRECISION,
    STORED_TENSORS,
    TRAINING_STATES,
    TrainingState,
    bytes_per_hidden,
    bytes_per_parameter,
    bytes_per_score,
    materialised_activation_bytes,
    optimizer_bytes_per_parameter,
    zero_bytes_per_parameter,
)

GiB = 2**30
LLAMA_2_7B = 6_738_415_616


@pytest.mark.parametrize(
    ("state", "terms"),
    [
        (MIXED_PRECISION, (2, 2, 4, 4, 4)),
        (FP32_GRADIENTS, (2, 4, 4, 4, 4)),
        (BOTH_GRADIENTS, (2, 2 + 4, 4, 4, 4)),
        (FULL_PRECISION, (4, 4, 0, 4, 4)),
    ],
)
def test_each_convention_is_named_by_its_terms(
    state: TrainingState, terms: tuple[int, ...]
) -> None:
    parts = {key: value for key, value in asdict(state).items() if key not in ("name", "sources")}
    assert tuple(parts.values()) == terms
    assert bytes_per_parameter(state) == sum(terms)
    assert optimizer_bytes_per_parameter(state) == sum(terms[2:])
    assert set(state.sources) == set(parts)


@pytest.mark.parametrize("copies", [1, 2, 3, 64, 1024])
def test_zero_stages_as_formulas(copies: int) -> None:
    expected = (16, 4 + 12 / copies, 2 + 14 / copies, 16 / copies)
    for stage, value in enumerate(expected):
        assert zero_bytes_per_parameter(stage=stage, copies=copies) == pytest.approx(value)


@pytest.mark.parametrize("copies", [1, 2, 8, 64])
def test_stage_1_is_megatrons_distributed_optimizer(copies: int) -> None:
    def stage_1(state: TrainingState) -> float:
        return zero_bytes_per_parameter(stage=1, copies=copies, state=state)

    assert stage_1(FP32_GRADIENTS) == 6 + 12 / copies
    assert stage_1(FULL_PRECISION) == 8 + 8 / copies
    # Its 4 + 16/d splits the FP32 gradients too, which belong to the optimizer there.
    assert stage_1(BOTH_GRADIENTS) == 8 + 12 / copies


@pytest.mark.parametrize("state", TRAINING_STATES.values(), ids=TRAINING_STATES)
def test_one_copy_has_nothing_to_split_with(state: TrainingState) -> None:
    for stage in (0, 1, 2, 3):
        each = zero_bytes_per_parameter(stage=stage, copies=1, state=state)
        assert each == bytes_per_parameter(state)


def test_full_precision_is_what_adamw_allocates() -> None:
    weight = torch.nn.Parameter(torch.ones(1000))
    optimizer = torch.optim.AdamW([weight])
    weight.sum().backward()
    optimizer.step()
    moments = [
        tensor.nbytes
        for state in optimizer.state.values()
        for name, tensor in state.items()
        if name != "step"
    ]
    assert weight.grad is not None
    held = weight.nbytes + weight.grad.nbytes + sum(moments)
    assert held / weight.numel() == bytes_per_parameter(FULL_PRECISION)


def test_thirty_four_and_five_term_by_term() -> None:
    hidden = {
        part: [
            tensor.bytes_per_hidden
            for tensor in STORED_TENSORS.values()
            if tensor.part == part and tensor.bytes_per_hidden
        ]
        for part in ("attention", "MLP", "layer norms")
    }
    assert hidden == {"attention": [2, 4, 2, 2, 1], "MLP": [2, 8, 8, 1], "layer norms": [2, 2]}
    assert [bytes_per_hidden(part) for part in hidden] == [11, 19, 4]
    assert bytes_per_hidden() == 34
    scores = [t for t in STORED_TENSORS.values() if t.bytes_per_score]
    assert [t.bytes_per_score for t in scores] == [2, 1, 2]
    assert {t.part for t in scores} == {"attention"}
    assert bytes_per_score() == 5


def test_every_stored_tensor_has_its_source() -> None:
    for name, tensor in STORED_TENSORS.items():
        assert tensor.name == name
        assert set(tensor.sources) == {"bytes_per_hidden", "bytes_per_score"}
        assert bool(tensor.bytes_per_hidden) != bool(tensor.bytes_per_score)


def saved_bytes(width: int, heads: int, tokens: int, sequences: int) -> int:
    """Bytes of the distinct tensors that torch keeps for the backward pass of one such layer."""
    kept: dict[tuple[int, int], int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        if not isinstance(tensor, torch.nn.Parameter) and tensor.dtype in (
            torch.bfloat16,
            torch.bool,
        ):
            storage = tensor.untyped_storage()
            kept[storage.data_ptr(), 0] = storage.nbytes()
            held.append(tensor)  # so that no later tensor takes its address
        return tensor

    held: list[torch.Tensor] = []
    head = width // heads

    def matrix(rows: int, columns: int) -> torch.nn.Parameter:
        return torch.nn.Parameter(torch.zeros(rows, columns, dtype=torch.bfloat16))

    query, key, value, output = (matrix(width, width) for _ in range(4))
    up, down = matrix(width, 4 * width), matrix(4 * width, width)
    norms = [
        torch.nn.Parameter(torch.full((width,), fill, dtype=torch.bfloat16))
        for fill in (1.0, 0.0, 1.0, 0.0)
    ]
    hidden = torch.randn(sequences, tokens, width, dtype=torch.bfloat16, requires_grad=True)

    def split(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.view(sequences, tokens, heads, head).transpose(1, 2)

    def drop(tensor: torch.Tensor) -> torch.Tensor:
        return torch.native_dropout(tensor, 0.1, True)[0]

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        normed = torch.nn.functional.layer_norm(hidden, (width,), norms[0], norms[1])
        queries, keys, values = (split(normed @ w).contiguous() for w in (query, key, value))
        scores = (queries.flatten(0, 1) @ keys.flatten(0, 1).transpose(1, 2)) * 0.5
        attended = drop(torch.softmax(scores, -1)) @ values.flatten(0, 1)
        merged = attended.view(sequences, heads, tokens, head).transpose(1, 2)
        merged = merged.reshape(sequences, tokens, width)
        hidden = hidden + drop(merged @ output)
        normed = torch.nn.functional.layer_norm(hidden, (width,), norms[2], norms[3])
        hidden = hidden + drop(torch.nn.functional.gelu(normed @ up) @ down)
    return sum(kept.values())


@pytest.mark.parametrize(
    ("width", "heads", "tokens", "sequences"), [(64, 4, 48, 2), (96, 3, 32, 1)]
)
def test_torch_keeps_what_the_terms_say(
    width: int, heads: int, tokens: int, sequences: int
) -> None:
    kept = saved_bytes(width, heads, tokens, sequences)
    predicted = materialised_activation_bytes(
        tokens=tokens, sequences=sequences, width=width, heads=heads
    )
    statistics = 2 * 2 * 2 * tokens * sequences  # a mean and a deviation per token and layer norm
    assert 0 <= kept - predicted <= statistics


@pytest.mark.parametrize(("s", "b", "h", "a"), [(3, 5, 14, 7), (2048, 4, 12288, 96)])
def test_activations_as_the_paper_writes_them(s: int, b: int, h: int, a: int) -> None:
    found = materialised_activation_bytes(tokens=s, sequences=b, width=h, heads=a)
    assert found == pytest.approx(s * b * h * (34 + 5 * a * s / h))
