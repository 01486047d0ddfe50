"""Ranks run on the device that the record names, and on its cards alone."""

from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from scripts.devices.not_run import TooFewCards, too_small_or_old
from scripts.parallel import launch, placement
from tests.experiments.measuring import CARD, SERVER

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
