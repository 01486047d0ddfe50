"""What is alive is counted once, and Adam's twelve bytes are twelve."""

import copy
import threading

import pytest
import torch

from scripts.parallel.adam import MixedPrecisionAdam
from scripts.parallel.memory import live_bytes, settled_bytes, state_bytes, storage_bytes
from scripts.parallel.transformer import Shape, batch, build, difference, loss, weights

CPU = torch.device("cpu")
SHAPE = Shape(layers=2, hidden_size=32, heads=4, vocabulary=64)


def test_a_storage_counts_once_however_many_views_there_are() -> None:
    whole = torch.zeros(100)
    assert storage_bytes([whole, whole[3:], whole.view(10, 10), None]) == 400
    before = live_bytes(CPU)
    kept = torch.zeros(1000)
    view = kept[1:]
    assert live_bytes(CPU) - before == 4000
    del kept
    assert live_bytes(CPU) - before == 4000
    del view
    assert live_bytes(CPU) == before


def test_what_another_thread_is_about_to_let_go_is_not_counted() -> None:
    before, buffers = live_bytes(CPU), [torch.zeros(1000)]
    assert live_bytes(CPU) - before == 4000
    threading.Timer(0.05, buffers.clear).start()
    assert settled_bytes(CPU) == before


@pytest.mark.parametrize(
    ("dtype", "expected"), [(torch.bfloat16, (2, 2, 12)), (torch.float32, (4, 4, 12))]
)
def test_bytes_per_parameter_of_mixed_precision(
    dtype: torch.dtype, expected: tuple[int, int, int]
) -> None:
    model = build(SHAPE, device=CPU, dtype=dtype)
    optimizer = MixedPrecisionAdam(model.parameters())
    tokens, targets = batch(SHAPE, sequences=2, sequence_length=8, device=CPU)
    loss(model(tokens), targets).backward()
    optimizer.step()
    held = state_bytes(model, optimizer.state)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    assert tuple(part / parameters for part in held.values()) == expected


def test_the_optimizer_is_adam() -> None:
    model = build(SHAPE, device=CPU, dtype=torch.float32)
    other = copy.deepcopy(model)
    tokens, targets = batch(SHAPE, sequences=2, sequence_length=8, device=CPU)
    for trained, optimizer in (
        (model, MixedPrecisionAdam(model.parameters(), lr=1e-2)),
        (other, torch.optim.Adam(other.parameters(), lr=1e-2)),
    ):
        for _ in range(3):
            trained.zero_grad()
            loss(trained(tokens), targets).backward()
            optimizer.step()
    assert difference(weights(model), weights(other)) < 1e-6


def test_difference_is_relative_and_over_the_names_found() -> None:
    expected = {"a": torch.tensor([3.0, 4.0]), "b": torch.ones(7)}
    assert difference({"a": torch.tensor([3.0, 4.5])}, expected) == pytest.approx(0.1)
    assert difference(expected, expected) == 0
