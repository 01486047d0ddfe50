"""A row of the report, and how times are taken for it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

ROUNDS = 7


@dataclass(frozen=True)
class Row:
    """What was measured, in words; `takes` beside `beside` in seconds, where that is what it is."""

    what: str
    takes: float | str
    beside: float | str = ""
    aim: str = ""

    def cells(self) -> tuple[str, str, str, str, str]:
        takes, beside = self.takes, self.beside
        numbers = isinstance(takes, float) and isinstance(beside, float)
        ratio = f"{takes / beside:.2f}" if numbers else ""  # type: ignore[operator]
        return self.what, _shown(takes), _shown(beside), ratio, self.aim


def _shown(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value * 1e3:,.1f} ms" if value < 1 else f"{value:,.2f} s"


def fastest(calls: Mapping[str, Callable[[], object]], *, rounds: int = ROUNDS) -> dict[str, float]:
    """Seconds of each call's fastest round. They take turns, so that what disturbs one disturbs all."""
    best = dict.fromkeys(calls, float("inf"))
    for turn in range(rounds + 1):
        for name, call in calls.items():
            began = time.perf_counter()
            call()
            if turn:  # the first warms up
                best[name] = min(best[name], time.perf_counter() - began)
    return best
