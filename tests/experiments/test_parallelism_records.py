"""The published records of the parallelism lab show what chapter four says of them."""

from pathlib import Path
from typing import Any

import pytest

from scripts.records.record import read_all
from snippets.parallelism import all_reduce_bytes, tensor_parallel_bytes
from snippets.training_memory import zero_bytes_per_parameter
from tests.parallel.measuring import TOLERANCE

RESULTS = {
    name.partition("/parallelism-")[2]: record.results
    for name, record in read_all(Path(__file__).parents[2]).items()
    if name.startswith("epyc-2-cores/parallelism-")
}
DATA, TENSOR = RESULTS["data"], RESULTS["tensor"]


def differences(results: Any) -> list[float]:
    """All differences from one process that stand anywhere in a record."""
    if not isinstance(results, dict):
        return []
    own = [value for key, value in results.items() if key.endswith("_difference")]
    return own + [found for value in results.values() for found in differences(value)]


def sent(step: dict[str, Any]) -> float:
    return sum(transfer["bytes_sent"] for transfer in step["transfers"].values())


@pytest.mark.parametrize("experiment", ["data", "tensor", "pipeline", "mesh"])
def test_every_split_equals_one_process(experiment: str) -> None:
    found = differences(RESULTS[experiment])
    assert found
    assert max(found) < TOLERANCE


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_data_parallelism_sends_what_the_formula_says(ranks: int) -> None:
    gradients = 4 * DATA["model"]["parameters"]
    found = DATA[f"ranks_{ranks}"]
    assert sent(found["ddp"]) == all_reduce_bytes(gradients, ranks)
    assert sent(found["fsdp"]) == 3 / 2 * all_reduce_bytes(gradients, ranks)


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("way", ["written_out", "parallelize_module"])
def test_a_tensor_split_sends_what_the_formula_says(ranks: int, way: str) -> None:
    model, step = TENSOR["model"], TENSOR[f"ranks_{ranks}"][way]
    assert {sums["count"] for sums in step["transfers"].values()} == {2 * model["layers"]}
    assert sent(step) == model["layers"] * tensor_parallel_bytes(
        tokens=model["sequence_length"],
        sequences=model["sequences"],
        width=model["hidden_size"],
        bytes_per_element=model["bytes_per_element"],
        ranks=ranks,
    )


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_a_rank_holds_its_part_and_what_is_named(ranks: int, stage: int) -> None:
    """Within a fiftieth: state by ZeRO's formula, the weights gathered, one block on its way."""
    model, memory = DATA["model"], DATA[f"ranks_{ranks}"]["memory"]
    held, whole = memory[f"stage_{stage}"], memory["stage_0"]
    # FSDP2 as stage two keeps a part of the weights as in stage three, and all of them gathered.
    state = zero_bytes_per_parameter(stage=3 if stage == 2 else stage, copies=ranks)
    activations = whole["in_forward_bytes"] - whole["between_steps_bytes"]
    buffer = 2 * model["block_parameters"] if stage > 1 and ranks > 1 else 0
    parameters = model["parameters"]
    assert held["between_steps_bytes"] == pytest.approx(state * parameters, rel=0.02)
    named = state * parameters + held["gathered_bytes"] + buffer + activations
    assert held["in_forward_bytes"] == pytest.approx(named, rel=0.02)
