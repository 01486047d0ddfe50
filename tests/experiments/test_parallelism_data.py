"""DDP and FSDP equal one process, send what the formulas say, and hold 16 bytes over n."""

from typing import Any

import pytest

from scripts.experiments.parallelism_data import measure as parallelism_data
from snippets.parallelism import all_reduce_bytes
from snippets.training_memory import zero_bytes_per_parameter
from tests.parallel.measuring import TOLERANCE, check_wire, measured

RANKS = 2
SHAPE = {"layers": 3, "hidden_size": 64, "heads": 4, "vocabulary": 64}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return measured(
        parallelism_data, tmp_path_factory.mktemp("run"), ranks=[RANKS], shape=SHAPE, sequences=4
    )


@pytest.mark.parametrize("way", ["ddp", "fsdp"])
def test_a_step_equals_one_process(results: dict[str, Any], way: str) -> None:
    step = results["ranks_2"][way]
    assert step["gradient_difference"] < TOLERANCE
    assert step["weight_difference"] < TOLERANCE


def test_ddp_sends_one_all_reduce_of_the_gradients(results: dict[str, Any]) -> None:
    step, gradients = results["ranks_2"]["ddp"], 4 * results["model"]["parameters"]
    (sent,) = step["transfers"].values()
    assert sent["bytes"] == gradients
    assert sent["bytes_sent"] == all_reduce_bytes(gradients, RANKS)
    assert step["wire_bytes"] == pytest.approx(sent["bytes_sent"], rel=0.01)
    check_wire(step, ranks=RANKS)


def test_fsdp_gathers_weights_twice_and_scatters_gradients_once(results: dict[str, Any]) -> None:
    step, weights = results["ranks_2"]["fsdp"], 4 * results["model"]["parameters"]
    assert {kind: sent["bytes"] for kind, sent in step["transfers"].items()} == {
        "forward_all_gather": weights,
        "backward_all_gather": weights,
        "backward_reduce_scatter": weights,
    }
    sent = sum(transfer["bytes_sent"] for transfer in step["transfers"].values())
    assert sent == 3 / 2 * all_reduce_bytes(weights, RANKS)
    check_wire(step, ranks=RANKS)


@pytest.mark.parametrize("stage", [0, 1, 3])
def test_state_between_steps_is_zeros_formula(results: dict[str, Any], stage: int) -> None:
    found = results["ranks_2"]["memory"][f"stage_{stage}"]["between_steps_bytes"]
    expected = zero_bytes_per_parameter(stage=stage, copies=RANKS)
    assert found / results["model"]["parameters"] == pytest.approx(expected, rel=0.02)


def test_every_byte_in_a_forward_pass_has_a_name(results: dict[str, Any]) -> None:
    """State, weights gathered whole, the buffer of one block's gathering, and activations."""
    model, memory = results["model"], results["ranks_2"]["memory"]
    whole = memory["stage_0"]
    activations = whole["in_forward_bytes"] - whole["between_steps_bytes"]
    block, others = 2 * model["block_parameters"], 2 * model["other_parameters"]
    assert memory["stage_2"]["gathered_bytes"] == 2 * model["parameters"]
    assert memory["stage_3"]["gathered_bytes"] == block + others
    for stage in ("stage_2", "stage_3"):
        held = memory[stage]
        named = held["between_steps_bytes"] + held["gathered_bytes"] + block + activations
        assert held["in_forward_bytes"] == named
