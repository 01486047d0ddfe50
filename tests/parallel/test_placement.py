"""Where ranks run: each on a card of its own from the chosen one on, or not at all."""

from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.distributed as dist

import snippets
from scripts.devices import cuda_driver
from scripts.devices.not_run import NotRun
from scripts.experiments.parallelism_collectives import measure as collectives
from scripts.experiments.parallelism_data import measure as data
from scripts.experiments.parallelism_data import tables
from scripts.experiments.parallelism_mesh import measure as mesh
from scripts.experiments.parallelism_pipeline import measure as pipeline
from scripts.experiments.parallelism_tensor import measure as tensor
from scripts.parallel import launch, worker
from scripts.parallel.placement import that_fit
from scripts.proof.evaluate import Evaluator
from scripts.proof.namespace import names_of
from tests.experiments.measuring import CARD, SERVER
from tests.parallel import failing
from tests.rendered import published

ALL = (collectives, data, mesh, pipeline, tensor)


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(dist, "is_nccl_available", lambda: True)
    return lambda count: monkeypatch.setattr(cuda_driver, "device_count", lambda: count)


@pytest.mark.parametrize("experiment", ALL)
def test_one_card_runs_no_ranks_and_nothing_of_the_host_is_called_the_cards(
    cards: Any, experiment: Any
) -> None:
    cards(1)
    with pytest.raises(NotRun, match=r"cards, and from cuda:0 on there is one; --device cpu"):
        experiment.parameters(preset="full", device=CARD)
    experiment.parameters(preset="full", device=SERVER)


def test_as_many_ranks_as_there_are_cards(cards: Any) -> None:
    cards(2)
    assert data.parameters(preset="quick", device=CARD)["ranks"] == [1, 2]
    assert tensor.parameters(preset="quick", device=CARD)["ranks"] == [2]
    assert list(pipeline.parameters(preset="quick", device=CARD)["runs"]) == ["2"]
    with pytest.raises(NotRun, match="8 ranks need 8 cards, and from cuda:0 on there are 2"):
        mesh.parameters(preset="quick", device=CARD)
    cards(8)
    assert collectives.parameters(preset="quick", device=CARD)["ranks"] == 8
    assert mesh.parameters(preset="quick", device=CARD)["ranks_on"] == "cuda"


def test_cards_are_counted_from_the_chosen_one(cards: Any) -> None:
    cards(3)
    second = replace(CARD, index=1)
    assert that_fit(second, (1, 2, 4)) == [1, 2]
    assert collectives.parameters(preset="quick", device=second)["ranks"] == 2
    with pytest.raises(NotRun, match="from cuda:2 on there is one"):
        that_fit(replace(CARD, index=2), (2, 4))


def test_ranks_have_the_cards_from_the_chosen_one_on(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[torch.device] = []
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    for rank in ("0", "1"):
        monkeypatch.setenv("LOCAL_RANK", rank)
        worker._device("cuda:1")
    assert [device.index for device in chosen] == [1, 2]
    assert worker._device("cpu") == torch.device("cpu")


def test_amds_cards_are_counted_by_torch(cards: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cards(0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    assert that_fit(CARD, (2, 4)) == [2, 4]


def test_a_torch_without_nccl_says_so(cards: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cards(8)
    monkeypatch.setattr(dist, "is_nccl_available", lambda: False)
    with pytest.raises(NotRun, match="NCCL"):
        that_fit(CARD, (2, 4))


def test_ranks_of_cards_have_longer_to_start() -> None:
    assert launch.patience("cuda:0") * worker.SILENCE_SECONDS > 120
    assert launch.patience("cuda:0") == launch.CUDA_PATIENCE * launch.patience("cpu")


def test_ranks_that_import_torch_for_themselves_work_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a card, where a process forked from one that asked for CUDA cannot use it."""
    configured = launch.LaunchConfig
    asked: list[str] = []

    def spawned(**options: Any) -> Any:
        asked.append(options["start_method"])
        return configured(**{**options, "start_method": "spawn"})

    monkeypatch.setattr(launch, "LaunchConfig", spawned)
    results = launch.launch(failing.sum_of_ranks, world_size=2, arguments={"factor": 3.0})
    assert results == [3.0, 3.0]
    monkeypatch.setattr(launch, "elastic_launch", lambda *_: lambda *_: None)
    launch.launch(failing.sum_of_ranks, world_size=0, arguments={}, device="cuda:0")
    assert asked == ["forkserver", "spawn"]


def test_a_record_over_nccl_has_no_bytes_on_the_wire_and_is_shown() -> None:
    record = published()["epyc-2-cores/parallelism-data"]
    results = {
        name: {
            way: {key: value for key, value in step.items() if key != "wire_bytes"}
            if isinstance(step, dict)
            else step
            for way, step in found.items()
        }
        for name, found in record.results.items()
    }
    key = "h100-sxm/parallelism-data"
    over_nccl = replace(record, device=record.device | {"slug": "h100-sxm"}, results=results)
    table = tables.sent(Evaluator(names_of(snippets), {key: over_nccl}, {}))
    assert table.rows
    assert all(row[6] == [""] for row in table.rows)
