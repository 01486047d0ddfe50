"""Splits equal one process and send and hold what the formulas say: small ones now, published ones."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from scripts.experiments.parallelism_pipeline.schedules import SCHEDULES
from snippets.parallelism import all_reduce_bytes, tensor_parallel_bytes
from snippets.pipeline_schedule import Task
from snippets.training_memory import zero_bytes_per_parameter
from tests.experiments.measuring import TOLERANCE, check_wire, measured
from tests.rendered import published

SHAPE = {"layers": 3, "hidden_size": 64, "heads": 4, "vocabulary": 64}
RUNS = [
    {"schedule": schedule, "micro_batches": 4, "forward_seconds": 0.001} for schedule in SCHEDULES
]
SMALLER: dict[str, dict[str, Any]] = {
    "collectives": {"sizes": [4096, 65536], "samples": 3},
    "data": {"ranks": [2], "shape": SHAPE, "sequences": 4},
    "tensor": {"ranks": [2], "shape": SHAPE},
    "mesh": {"shape": {"layers": 2, "hidden_size": 32, "heads": 4, "vocabulary": 32}},
    "pipeline": {
        "shape": {"layers": 4, "hidden_size": 32, "heads": 4, "vocabulary": 32},
        "repeats": 2,
        "runs": {"2": RUNS},
    },
}
Results = dict[str, Any]


@cache
def small(name: str) -> Results:
    """An experiment as it measures now, made small."""
    module = import_module(f"scripts.experiments.parallelism_{name}.measure")
    with TemporaryDirectory() as folder:
        return measured(module, Path(folder), **SMALLER[name])


def recorded(name: str) -> Results:
    return published()[f"epyc-2-cores/parallelism-{name}"].results


BOTH = pytest.mark.parametrize("found", [small, recorded], ids=["small", "published"])
Found = Callable[[str], Results]


def steps(results: Results) -> list[Results]:
    """All training steps that were held against one process's."""
    own = [results] if "gradient_difference" in results else []
    inner = (value for value in results.values() if isinstance(value, dict))
    return own + [step for value in inner for step in steps(value)]


def sent(step: Results) -> float:
    return sum(transfer["bytes_sent"] for transfer in step["transfers"].values())


def splits(results: Results) -> list[tuple[int, Results]]:
    return [(found["ranks"], found) for name, found in results.items() if name.startswith("ranks_")]


@BOTH
@pytest.mark.parametrize("name", ["data", "tensor", "pipeline", "mesh"])
def test_a_step_equals_one_process(found: Found, name: str) -> None:
    assert steps(found(name))
    for step in steps(found(name)):
        assert step["gradient_difference"] < TOLERANCE
        assert step.get("weight_difference", 0) < TOLERANCE


@pytest.mark.parametrize(
    ("name", "ranks"), [("data", 2), ("tensor", 2), ("pipeline", 2), ("mesh", 8)]
)
def test_only_headers_are_beyond_the_formula(name: str, ranks: int) -> None:
    for step in steps(small(name)):
        check_wire(step, ranks=ranks)


@pytest.mark.parametrize(("name", "share"), [("all_reduce", 1), ("all_gather", 1 / 2)])
def test_collectives_send_what_the_formula_says(name: str, share: float) -> None:
    results = small("collectives")
    for size in (4096, 65536):
        found = results[name][f"bytes_{size}"]
        assert found["bytes_sent"] == share * all_reduce_bytes(size, results["ranks"])
        assert found["seconds"]["count"] == 3


@BOTH
def test_data_parallelism_sends_what_the_formula_says(found: Found) -> None:
    results = found("data")
    gradients = 4 * results["model"]["parameters"]
    for ranks, step in splits(results):
        assert sent(step["ddp"]) == all_reduce_bytes(gradients, ranks)
        assert sent(step["fsdp"]) == 3 / 2 * all_reduce_bytes(gradients, ranks)


def test_fsdp_gathers_weights_twice_and_scatters_gradients_once() -> None:
    results = small("data")
    weights, found = 4 * results["model"]["parameters"], results["ranks_2"]
    kinds = ("forward_all_gather", "backward_all_gather", "backward_reduce_scatter")
    transfers = found["fsdp"]["transfers"].items()
    assert {kind: each["bytes"] for kind, each in transfers} == dict.fromkeys(kinds, weights)
    (one,) = found["ddp"]["transfers"].values()
    assert one["bytes"] == weights
    assert found["ddp"]["wire_bytes"] == pytest.approx(one["bytes_sent"], rel=0.01)


@BOTH
@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_a_rank_holds_its_part_and_what_is_named(found: Found, stage: int) -> None:
    """Within a fiftieth: state by ZeRO's formula, the weights gathered, one block on its way."""
    model = found("data")["model"]
    for ranks, each in splits(found("data")):
        held, whole = each["memory"][f"stage_{stage}"], each["memory"]["stage_0"]
        # FSDP2 as stage two keeps a part of the weights as in stage three, all of them gathered.
        state = zero_bytes_per_parameter(stage=3 if stage == 2 else stage, copies=ranks)
        activations = whole["in_forward_bytes"] - whole["between_steps_bytes"]
        block = 2 * model["block_parameters"] if stage > 1 and ranks > 1 else 0
        expected = state * model["parameters"]
        assert held["between_steps_bytes"] == pytest.approx(expected, rel=0.02)
        named = held["gathered_bytes"] + block + activations
        assert held["in_forward_bytes"] == pytest.approx(expected + named, rel=0.02)
        if found is small and stage > 1:  # to the byte
            gathered = model["parameters"] if stage == 2 else block / 2 + model["other_parameters"]
            assert held["gathered_bytes"] == 2 * gathered
            assert held["in_forward_bytes"] == held["between_steps_bytes"] + named


def hidden_states(model: Results, **shape: int) -> float:
    """Bytes that the sums of a layer of a tensor split send."""
    return tensor_parallel_bytes(
        tokens=model["sequence_length"], width=model["hidden_size"], bytes_per_element=4, **shape
    )


@BOTH
@pytest.mark.parametrize("way", ["written_out", "parallelize_module"])
def test_a_tensor_split_sums_hidden_states_twice_a_layer_and_way(found: Found, way: str) -> None:
    model = found("tensor")["model"]
    for ranks, each in splits(found("tensor")):
        for direction in ("forward", "backward"):
            sums = each[way]["transfers"][f"{direction}_all_reduce"]
            assert sums["count"] == 2 * model["layers"]
            assert sums["bytes"] == 2 * model["layers"] * model["hidden_state_bytes"]
        layer = hidden_states(model, sequences=model["sequences"], ranks=ranks)
        assert sent(each[way]) == model["layers"] * layer


def test_sequence_parallelism_sends_the_same_and_one_gathering_each_way() -> None:
    found, model = small("tensor")["ranks_2"], small("tensor")["model"]
    parts = found["sequence_parallel"]["transfers"]
    assert parts["forward_all_gather"]["count"] == 2 * model["layers"] + 1
    assert parts["forward_reduce_scatter"]["count"] == 2 * model["layers"]
    # At the ends, tokens are split after the embedding and gathered before the head.
    ends = model["hidden_state_bytes"] * (2 - 1) / 2 * 2
    assert sent(found["sequence_parallel"]) == sent(found["written_out"]) + ends


def test_each_group_of_a_mesh_carries_its_own_traffic() -> None:
    results = small("mesh")
    model, transfers = results["model"], dict(results["transfers"])
    layer = hidden_states(model, sequences=model["micro_batches"], ranks=2)
    assert transfers.pop("tensor_all_reduce")["bytes_sent"] == model["layers"] // 2 * layer
    hidden = model["sequence_length"] * model["hidden_size"] * 4
    assert transfers.pop("pipeline_send")["bytes"] == model["micro_batches"] * hidden
    weights = 2 * results["ranks"]["0"]["weight_bytes"]
    assert {kind: each["bytes"] for kind, each in transfers.items()} == {
        "data_all_gather": weights,
        "data_reduce_scatter": weights,
    }


def test_ranks_of_a_mesh_stand_by_their_splits_and_hold_an_eighth() -> None:
    model, ranks = small("mesh")["model"], small("mesh")["ranks"]
    for number, place in ((int(number), rank["place"]) for number, rank in ranks.items()):
        assert number == 4 * place["data"] + 2 * place["pipeline"] + place["tensor"]
    # The norms, the embedding and the head are whole on each rank of a tensor split.
    whole = 2 * model["vocabulary"] * model["hidden_size"] + (2 * model["layers"] + 1) * 32
    held = sum(rank["weight_bytes"] for rank in ranks.values())
    assert held == 4 * (model["parameters"] + whole)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_ranks_run_the_schedule_that_is_simulated(schedule: str) -> None:
    found = small("pipeline")["ranks_2"][schedule]["micro_batches_4"]
    ran = [[Task(*task[:3]) for task in rank] for rank in found["timeline"]]
    assert ran == SCHEDULES[schedule][1](2, 4)
    for rank in found["timeline"]:
        for before, after in pairwise(rank):
            assert before[3] <= before[4] <= after[3]
    boundaries = 2 * (2 if schedule == "interleaved" else 1) - 1
    assert found["sends"] == 2 * boundaries * 4
    assert found["sent_bytes"] == found["sends"] * 32 * 32 * 4


def test_idle_time_is_what_is_left_of_the_step() -> None:
    found = small("pipeline")["ranks_2"]["gpipe"]["micro_batches_4"]
    assert 0 < found["idle_fraction"]["median"] < 1
    assert found["step_seconds"]["count"] == found["idle_fraction"]["count"] == 2
    assert min(found["task_seconds"]["backward"]["samples"]) >= 0.002
