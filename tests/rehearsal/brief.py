"""Tests and the command line make every experiment small with it: a CPU does here what a card would."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

# What replaces an experiment's parameters, where it has them; of "batches" only those it would take.
SMALLER: dict[str, dict[str, Any]] = {
    "bandwidth": {"copy_bytes": 2**22, "matrix_width": 512, "batches": [1, 4, 64]},
    "staircase": {"bytes": [2**14, 2**18, 2**22]},
    "decoding": {"models": ["100M"], "tokens": 16, "batches": [1]},
    "quantization_speed": {"matrix_width": 512},
    "training_memory": {"sequences": 1, "tokens": 32, "resident": []},
    "activations": {"tokens": 32, "checked_tokens": 16, "layers": 2},
    "serving": {
        "requests": 2,
        "speculation_requests": 1,
        "loss_windows": 1,
        "answer_tokens": [4, 8],
    },
    "quantization": {"windows": 1},
    "quantization_methods": {"windows": 1, "calibration": {"windows": 1}},
}
# A Llama of the ladder's smallest rung: vocabulary, width, layers, heads, heads of keys, intermediate.
LLAMA = (512, 64, 2, 4, 2, 128)


@contextmanager
def brief() -> Iterator[None]:
    """Within it, experiments have smaller parameters, and the models that they build are small."""
    from scripts.accounting import pythia

    small = replace(
        pythia.PYTHIA_160M,
        hidden_size=96,
        num_hidden_layers=2,
        intermediate_size=384,
        vocab_size=512,
    )
    with ExitStack() as stack:
        for name, smaller in SMALLER.items():
            module = importlib.import_module(f"scripts.experiments.{name}.measure")
            stack.enter_context(
                patch.object(module, "parameters", _smaller(module.parameters, smaller))
            )
        decoding = importlib.import_module("scripts.experiments.decoding.measure")
        stack.enter_context(patch.dict(decoding.LADDER, {"100M": LLAMA}))
        stack.enter_context(patch.object(pythia, "PYTHIA_160M", small))
        yield


def _smaller(parameters: Any, smaller: dict[str, Any]) -> Any:
    def brief_parameters(**named: Any) -> dict[str, Any]:
        found: dict[str, Any] = parameters(**named)
        changed = {name: value for name, value in smaller.items() if name in found}
        if isinstance(found.get("batches"), dict):
            changed["batches"] = {
                dtype: [batch for batch in smaller["batches"] if batch in batches]
                for dtype, batches in found["batches"].items()
            }
        return found | changed

    return brief_parameters
