"""Memory of cards in use, predicted beside printed: the rows of docs/data/serving-memory.csv.

The experiment "serving-predictions" records their errors by format. Weights and cache alone are
predicted; nothing is fitted.
"""

import csv
from collections.abc import Mapping
from pathlib import Path

from scripts.predictions.serving import Errors, errors
from scripts.predictions.serving_runs import ROOT, Unpredictable, model_named
from snippets.hardware import h100_sxm
from snippets.kv_cache import cache_bytes
from snippets.model_parameters import head_parameters
from snippets.serving_work import Worker, weights_on_card

ROWS = ROOT / "docs/data/serving-memory.csv"
UNITS = {"MB": 2**20, "GB": 10**9}  # what they turn out to mean: nvidia-smi's MiB, and PyTorch's GB
# Bits of a matrix element with its scale and zero point; AWQ and GPTQ share them by 128 elements.
BITS = {
    "BF16": 16.0,
    "bf16": 16.0,
    "FP8": 8.0,
    "GPTQ-Int8": 8 + 24 / 128,
    "AWQ-INT4": 4 + 20 / 128,
}


def predicted_bytes(row: Mapping[str, str]) -> float:
    """Weights and the cache of all tokens. Raises Unpredictable for what is not known here."""
    model = model_named(row["model"])
    if row["format"] not in BITS:
        raise Unpredictable(f"the format {row['format']} is not known")
    bits = dict.fromkeys(("attention", "mlp", "experts"), BITS[row["format"]])
    weights = weights_on_card(Worker(model=model, card=h100_sxm, bits=bits))
    if row["format"] == "FP8" and model.tied_embeddings:
        weights += 2 * head_parameters(model)  # these checkpoints store the output head again
    tokens = int(row["prompt_tokens"] or 0) + int(row["output_tokens"] or 0)
    return weights + int(row["batch"]) * cache_bytes(model, tokens=tokens)


def memory_errors(path: Path = ROWS) -> tuple[dict[str, Errors], int]:
    """Errors over all rows and by format, and how many rows have no prediction."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    pairs: dict[str, list[tuple[float, float]]] = {"all": []}
    for row in rows:
        try:
            pair = (predicted_bytes(row), float(row["memory"]) * UNITS[row["unit"].split()[0]])
        except Unpredictable:
            continue
        for group in ("all", row["format"].upper()):
            pairs.setdefault(group, []).append(pair)
    return {name: errors(some) for name, some in pairs.items()}, len(rows) - len(pairs["all"])
