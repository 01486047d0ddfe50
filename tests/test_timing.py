"""Timing: warmed up, samples long enough, buffers prepared only when something is measured.

The clock is a pretended one that only the timed work moves, so a busy machine changes nothing.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from scripts.devices import timing
from scripts.devices.device import cpu
from scripts.devices.timing import Timer, seconds_per_call


class Clock:
    """A clock that stands still until work moves it."""

    def __init__(self) -> None:
        self.nanoseconds = 0

    def perf_counter_ns(self) -> int:
        return self.nanoseconds

    def monotonic(self) -> float:
        return self.nanoseconds * 1e-9

    def work(self, *seconds: float) -> Callable[[], None]:
        """Work whose calls take so long, in turn; the last of them from then on."""
        left = list(seconds)

        def call() -> None:
            self.nanoseconds += round((left.pop(0) if left[1:] else left[0]) * 1e9)

        return call


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(timing, "time", clock)
    return clock


def test_long_work_is_called_once_per_sample(clock: Clock) -> None:
    timer = Timer(lambda: clock.work(0.5), device=cpu())
    assert timer() == 0.5
    before = clock.nanoseconds
    assert timer() == 0.5
    assert clock.nanoseconds - before == 5e8


def test_short_work_is_repeated_until_a_sample_is_long_enough(clock: Clock) -> None:
    timer = Timer(lambda: clock.work(0.003), device=cpu())
    timer()
    before = clock.nanoseconds
    assert timer() == 0.003
    assert clock.nanoseconds - before == 7 * 3e6  # the fewest calls that fill 20 ms


def test_the_work_is_warmed_up_before_the_first_sample(clock: Clock) -> None:
    assert Timer(lambda: clock.work(3, 2, 0.25), device=cpu())() == 0.25
    assert Timer(lambda: clock.work(*[0.009] * 22, 0.001), device=cpu())() == 0.001


def test_one_slow_call_while_warming_up_does_not_shorten_the_samples(clock: Clock) -> None:
    timer = Timer(lambda: clock.work(0.1, 0.01, 0.09, 0.01), device=cpu())
    timer()
    before = clock.nanoseconds
    timer()
    assert clock.nanoseconds - before == 2e7


def test_preparation_waits_for_the_first_sample_and_happens_once(clock: Clock) -> None:
    prepared = []

    def prepare() -> Callable[[], None]:
        prepared.append("buffers")
        return clock.work(0.1)

    timer = Timer(prepare, device=cpu())
    assert prepared == []
    timer(), timer()
    assert prepared == ["buffers"]


def test_seconds_are_per_call_to_the_picosecond(clock: Clock) -> None:
    assert seconds_per_call(clock.work(0.1, 0.2, 0.3), repeats=3, device=cpu()) == 0.2
    assert seconds_per_call(clock.work(2e-9, 2e-9, 1e-9), repeats=3, device=cpu()) == 1.667e-9


@pytest.mark.parametrize(
    ("stretches", "taken"),
    [
        ([3.0, 2.0, 1.0, 1.01, 0.5], 4),  # until one is as fast as the one before
        ([1.0, 1.0], 2),
        ([0.5**index for index in range(40)], timing.MOST_STRETCHES),
    ],
)
def test_a_card_is_warm_when_its_clocks_have_settled(
    monkeypatch: pytest.MonkeyPatch, stretches: list[float], taken: int
) -> None:
    left = iter(stretches)
    monkeypatch.setattr(timing, "seconds_per_call", lambda *_, **__: 1.0)
    monkeypatch.setattr(timing, "_stretch", lambda *_, **__: next(left))
    card = replace(cpu(), kind="cuda")
    assert timing._warm_up(lambda: None, device=card) == stretches[taken - 1]
    assert len(list(left)) == len(stretches) - taken
    left = iter(stretches)
    assert timing._warm_up(lambda: None, device=cpu()) == stretches[0]


def test_a_real_clock_moves() -> None:
    assert seconds_per_call(lambda: sum(range(1000)), repeats=3, device=cpu()) > 0
