"""Is the copy that we measure as fast as a CPU copies? Against NumPy and a C loop, in one run.

    python -m scripts.benchmarks.copy_bandwidth [--bytes N]

Three ways to copy the same number of bytes take turns, so that whatever disturbs one disturbs all:
`torch.Tensor.copy_` and `numpy.copyto`, of which the staircase takes the faster, and STREAM's copy loop
(McCalpin 1995), compiled on the spot for this processor with OpenMP. Prints each one's median, and the
ratio of the way that we take to the best.
"""

import argparse
import ctypes
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from scripts.devices.device import cpu
from scripts.kernels.copying import ways_to_copy
from snippets.bandwidth import copy_bytes

SOURCE = """
void copy(double *restrict to, const double *restrict from, long count) {
    #pragma omp parallel for
    for (long i = 0; i < count; i++) to[i] = from[i];
}
"""
ROUNDS = 31
ELEMENT_BYTES = 8
C_LOOP = "C loop"


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--bytes", type=int, default=2**30, help="size of the buffer")
    size = arguments.parse_args().bytes
    torch.set_num_threads(cpu().cores)
    rates = measure(size)
    for way, rate in rates.items():
        print(f"{way:>8}: {rate / 1e9:6.2f} GB/s")
    ours = max(rate for way, rate in rates.items() if way != C_LOOP)
    print(f"ours over the best: {ours / max(rates.values()):.3f}")


def measure(size: int, *, rounds: int = ROUNDS) -> dict[str, float]:
    """Bytes per second of each way, read and written together, at the median of all rounds."""
    source = torch.ones(size // ELEMENT_BYTES, dtype=torch.float64)
    ways = ways_to_copy(torch.zeros_like(source), source)
    with tempfile.TemporaryDirectory() as folder:
        compiled = _compiled(size, folder=Path(folder))
        if compiled is not None:
            ways[C_LOOP] = compiled
        seconds: dict[str, list[float]] = {way: [] for way in ways}
        for turn in range(rounds + 1):
            for way, copy in ways.items():
                began = time.perf_counter()
                copy()
                if turn:  # the first warms up
                    seconds[way].append(time.perf_counter() - began)
    return {way: copy_bytes(size) / statistics.median(taken) for way, taken in seconds.items()}


def _compiled(size: int, *, folder: Path) -> Callable[[], object] | None:
    """The C loop; None where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    (folder / "copy.c").write_text(SOURCE)
    command = [compiler, "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC"]
    built = subprocess.run(
        [*command, "-o", str(folder / "copy.so"), str(folder / "copy.c")], check=False
    )
    if built.returncode != 0:
        return None
    function = ctypes.CDLL(str(folder / "copy.so")).copy
    count = size // ELEMENT_BYTES
    source, target = np.ones(count), np.zeros(count)

    def copy() -> None:
        function(
            ctypes.c_void_p(target.ctypes.data),
            ctypes.c_void_p(source.ctypes.data),
            ctypes.c_long(count),
        )

    copy()
    if not np.array_equal(source, target):
        raise RuntimeError("the compiled loop copied wrongly")
    return copy


if __name__ == "__main__":
    main()
