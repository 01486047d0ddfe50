"""Eight ranks split by data, stages and tensors: one step equals one process, traffic is theirs."""

from typing import Any

import pytest

from scripts.experiments.parallelism_mesh import measure as parallelism_mesh
from snippets.parallelism import tensor_parallel_bytes
from tests.parallel.measuring import TOLERANCE, check_wire, measured


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    shape = {"layers": 2, "hidden_size": 32, "heads": 4, "vocabulary": 32}
    return measured(parallelism_mesh, tmp_path_factory.mktemp("run"), shape=shape)


def test_one_step_equals_one_process(results: dict[str, Any]) -> None:
    assert results["gradient_difference"] < TOLERANCE
    assert results["weight_difference"] < TOLERANCE
    check_wire(results, ranks=8)


def test_neighbours_share_tensors_and_copies_are_farthest(results: dict[str, Any]) -> None:
    for number, rank in results["ranks"].items():
        place = rank["place"]
        assert int(number) == 4 * place["data"] + 2 * place["pipeline"] + place["tensor"]


def test_each_group_carries_its_own_traffic(results: dict[str, Any]) -> None:
    model, transfers = results["model"], results["transfers"]
    layers = model["layers"] // 2
    assert transfers["tensor_all_reduce"]["bytes_sent"] == layers * tensor_parallel_bytes(
        tokens=model["sequence_length"],
        sequences=model["micro_batches"],
        width=model["hidden_size"],
        bytes_per_element=4,
        ranks=2,
    )
    hidden = model["sequence_length"] * model["hidden_size"] * 4
    assert transfers["pipeline_send"]["bytes"] == model["micro_batches"] * hidden
    gathered = transfers["data_all_gather"]["bytes"]
    assert gathered == transfers["data_reduce_scatter"]["bytes"]
    assert gathered == 2 * results["ranks"]["0"]["weight_bytes"]
    assert set(transfers) == {
        "tensor_all_reduce",
        "pipeline_send",
        "data_all_gather",
        "data_reduce_scatter",
    }


def test_a_rank_holds_an_eighth_of_what_is_split(results: dict[str, Any]) -> None:
    held = sum(rank["weight_bytes"] for rank in results["ranks"].values())
    model = results["model"]
    # The norms, the embedding and the head are whole on each rank of a tensor split.
    whole = 2 * model["vocabulary"] * model["hidden_size"] + (2 * model["layers"] + 1) * 32
    assert held == 4 * (model["parameters"] + whole)
