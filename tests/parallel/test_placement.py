"""Ranks run on the device that the record names, and on its cards alone."""

from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

import snippets
from scripts.devices.not_run import TooFewCards, too_small_or_old
from scripts.experiments.parallelism_data import tables
from scripts.parallel import launch, placement
from scripts.proof.evaluate import Evaluator
from scripts.proof.namespace import names_of
from tests.experiments.measuring import CARD, SERVER
from tests.parallel import failing
from tests.rendered import published

OTHER = "NVIDIA A100-SXM4-80GB"
FEWEST = {"collectives": 2, "data": 2, "tensor": 2, "pipeline": 2, "mesh": 8}


class Kept:
    """A run that keeps nothing."""

    def once(self, key: str, take: Any, *, weight: float) -> Any:
        return take()


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The cards of a machine, as tests name them."""
    names: list[str] = []
    monkeypatch.setattr(placement, "gpu_names", lambda: names)
    return names


def test_a_rank_has_a_card_of_the_same_kind_the_named_one_first(machine: list[str]) -> None:
    machine += [CARD.name, OTHER, CARD.name, CARD.name]
    assert placement.cards(CARD) == [0, 2, 3]
    assert placement.cards(replace(CARD, index=3)) == [3, 0, 2]
    assert placement.cards(replace(CARD, index=1, name=OTHER)) == [1]
    assert placement.cards(SERVER) == []


@pytest.mark.parametrize("name", FEWEST)
def test_too_few_cards_are_said_and_the_host_does_not_stand_in(
    name: str, machine: list[str]
) -> None:
    module = import_module(f"scripts.experiments.parallelism_{name}.measure")
    machine += [CARD.name] * (FEWEST[name] - 1) + [OTHER]
    with pytest.raises(TooFewCards) as caught:
        module.parameters(preset="quick", device=CARD)
    reason = too_small_or_old(caught.value)
    assert reason is not None
    assert f"{FEWEST[name]} ranks need {FEWEST[name]} cards" in reason
    assert f"shows {FEWEST[name] - 1} {CARD.name}" in reason
    machine.append(CARD.name)
    assert module.parameters(preset="quick", device=CARD)


def test_what_fits_the_cards_is_run(machine: list[str]) -> None:
    machine += [CARD.name] * 3
    assert placement.ranks_that_run(CARD, (1, 2, 4)) == [1, 2]
    assert placement.ranks_that_run(SERVER, (1, 2, 4)) == [1, 2, 4]


def test_ranks_are_launched_on_those_cards(
    machine: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(launch, "launch", lambda work, **rest: asked.append(rest) or [work])
    machine += [OTHER, CARD.name, CARD.name]
    for device in (replace(CARD, index=1), SERVER):
        placement.on_ranks(Kept(), "key", len, 2, device, arguments={})  # type: ignore[arg-type]
    assert [each["devices"] for each in asked] == [["cuda:1", "cuda:2"], ["cpu", "cpu"]]


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


def test_ranks_that_import_torch_for_themselves_work_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a card, where a process forked from one that asked for CUDA cannot use it."""
    configured = launch.LaunchConfig
    asked: list[str] = []

    def spawned(**options: Any) -> Any:
        asked.append(options["start_method"])
        return configured(**{**options, "start_method": "spawn"})

    monkeypatch.setattr(launch, "LaunchConfig", spawned)
    results = launch.launch(failing.sum_of_ranks, devices=["cpu"] * 2, arguments={"factor": 3.0})
    assert results == [3.0, 3.0]
    monkeypatch.setattr(launch, "elastic_launch", lambda *_: lambda *_: None)
    with pytest.raises(KeyError):  # no rank has run that could have left an outcome
        launch.launch(failing.sum_of_ranks, devices=["cuda:1"], arguments={})
    assert asked == ["forkserver", "spawn"]
