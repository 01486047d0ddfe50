"""Experiments hand a Timer a function that prepares some work on a device; each call of it gives the
seconds of one call of the work: warmed up, each sample long enough to trust.
"""

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from scripts.devices import under_load

if TYPE_CHECKING:
    from scripts.devices.device import Device

WARM_UP_SECONDS = 0.2
# A GPU that was idle raises its clocks over some tenths of a second: it is warm when the fastest call
# of one stretch is that of the stretch before, to this part, or after so many stretches.
SETTLED = 0.02
MOST_STRETCHES = 15
# CUDA events resolve half a microsecond (cudaEventElapsedTime): a 40,000th of this.
SHORTEST_SAMPLE_SECONDS = 0.02


class Timer:
    """Takes samples of how long a call takes: CUDA events on a GPU, the monotonic clock on a CPU.

    `prepare` allocates the buffers, checks the result against a reference and returns the call.
    It runs when the first sample is taken, so a resumed run prepares only what it still measures.
    """

    def __init__(self, prepare: Callable[[], Callable[[], object]], *, device: "Device") -> None:
        self._prepare = prepare
        self._device = device
        self._call: Callable[[], object] | None = None
        self._repeats = 1

    def __call__(self) -> float:
        """One sample: seconds per call, averaged over enough calls to fill a sample."""
        if self._call is None:
            self._call = self._prepare()
            seconds = _warm_up(self._call, device=self._device)
            self._repeats = max(1, math.ceil(SHORTEST_SAMPLE_SECONDS / seconds))
        return seconds_per_call(self._call, repeats=self._repeats, device=self._device)


def _warm_up(call: Callable[[], object], *, device: "Device") -> float:
    """Call until caches, clocks and lazily chosen kernels have settled; the fastest call's seconds."""
    until = time.monotonic() + WARM_UP_SECONDS
    seconds_per_call(call, repeats=1, device=device)
    fastest = _stretch(call, until=until, device=device)
    if device.kind == "cuda":
        for _ in range(MOST_STRETCHES - 1):
            before = fastest
            fastest = _stretch(call, until=time.monotonic() + WARM_UP_SECONDS, device=device)
            if abs(fastest - before) <= SETTLED * before:
                break
    return fastest


def _stretch(call: Callable[[], object], *, until: float, device: "Device") -> float:
    fastest = seconds_per_call(call, repeats=1, device=device)
    while time.monotonic() < until:
        fastest = min(fastest, seconds_per_call(call, repeats=1, device=device))
    return fastest


def seconds_per_call(call: Callable[[], object], *, repeats: int, device: "Device") -> float:
    """Seconds per call over `repeats` calls in a row, to the picosecond."""
    if device.kind == "cuda":
        import torch

        with torch.cuda.device(device.index):
            start = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            # On the current stream, on which all that is timed runs too: what is between two events on
            # one stream is what they time (torch.cuda.Event).
            start.record()
            for _ in range(repeats):
                call()
            end.record()
            under_load.look(device)
            end.synchronize()
            seconds = start.elapsed_time(end) * 1e-3  # elapsed_time is in milliseconds
    else:
        began = time.perf_counter_ns()
        for _ in range(repeats):
            call()
        seconds = (time.perf_counter_ns() - began) * 1e-9
    return round(seconds / repeats, 12)
