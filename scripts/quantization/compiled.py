"""C that is compiled for this processor when it is first called, where there is a compiler.

`rounding.py` and the benchmarks call `library` with the text of a C file; back comes what was compiled,
or None where there is no compiler, and then slower code does the same.
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

# Everything that changes no result; never -ffast-math, and no fused multiply-add.
FLAGS = ("-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-shared", "-fPIC")


@functools.cache
def library(source: str, *flags: str) -> ctypes.CDLL | None:
    """The C program `source` as a library of this process, or None where it cannot be compiled."""
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        written, built = Path(folder, "source.c"), Path(folder, "library.so")
        written.write_text(source)
        command = [compiler, *FLAGS, *flags, "-march=native", "-o", str(built), str(written), "-lm"]
        try:
            subprocess.run(command, check=True, capture_output=True)
            return ctypes.CDLL(str(built))
        except (OSError, subprocess.CalledProcessError):
            return None
