"""Tensor parallelism equals one process and sums hidden states four times a layer and step."""

from typing import Any

import pytest

from scripts.experiments.parallelism_tensor import measure as parallelism_tensor
from snippets.parallelism import tensor_parallel_bytes
from tests.parallel.measuring import TOLERANCE, check_wire, measured

RANKS = 2


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    shape = {"layers": 3, "hidden_size": 64, "heads": 4, "vocabulary": 64}
    return measured(parallelism_tensor, tmp_path_factory.mktemp("run"), ranks=[RANKS], shape=shape)


@pytest.mark.parametrize("way", ["written_out", "parallelize_module", "sequence_parallel"])
def test_gradients_equal_one_process(results: dict[str, Any], way: str) -> None:
    step = results["ranks_2"][way]
    assert step["gradient_difference"] < TOLERANCE
    check_wire(step, ranks=RANKS)


@pytest.mark.parametrize("way", ["written_out", "parallelize_module"])
def test_two_sums_per_layer_and_direction(results: dict[str, Any], way: str) -> None:
    model, transfers = results["model"], results["ranks_2"][way]["transfers"]
    for direction in ("forward", "backward"):
        sums = transfers[f"{direction}_all_reduce"]
        assert sums["count"] == 2 * model["layers"]
        assert sums["bytes"] == 2 * model["layers"] * model["hidden_state_bytes"]
    sent = sum(sums["bytes_sent"] for sums in transfers.values())
    assert sent == model["layers"] * tensor_parallel_bytes(
        tokens=model["sequence_length"],
        sequences=model["sequences"],
        width=model["hidden_size"],
        bytes_per_element=model["bytes_per_element"],
        ranks=RANKS,
    )


def test_sequence_parallelism_sends_the_same_and_one_gathering_each_way(
    results: dict[str, Any],
) -> None:
    found, model = results["ranks_2"], results["model"]
    sums = sum(sent["bytes_sent"] for sent in found["written_out"]["transfers"].values())
    parts = found["sequence_parallel"]["transfers"]
    assert parts["forward_all_gather"]["count"] == 2 * model["layers"] + 1
    assert parts["forward_reduce_scatter"]["count"] == 2 * model["layers"]
    # At the ends, tokens are split after the embedding and gathered before the head.
    ends = model["hidden_state_bytes"] * (RANKS - 1) / RANKS * 2
    assert sum(sent["bytes_sent"] for sent in parts.values()) == sums + ends
