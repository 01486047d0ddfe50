"""What the played roofline needs of a card and of a model, computed here for each of them.

scripts/javascript writes it to a file for each, so that a page fetches those that a reader chose.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.experiments.bandwidth.limits import products, registered
from scripts.played.roofline import BATCHES, CONTEXT, FORMATS, PROMPTS
from scripts.records.record import lookup, read_all
from snippets.bandwidth import product_intensity
from snippets.formats import FP16
from snippets.hardware import ACCELERATORS, Accelerator, usable_memory
from snippets.kv_cache import cache_bytes
from snippets.model_parameters import head_parameters
from snippets.models import MODELS, Model
from snippets.operations import (
    forward_operations,
    mean_attention_operations,
    multiplied_operations,
)
from snippets.serving_work import product_rate
from snippets.speed import weights_read
from snippets.weight_bytes import model_bytes
from snippets.weight_formats import WEIGHT_FORMATS, WeightFormat

ROOT = Path(__file__).resolve().parents[2]
WEIGHTS = [next(w for w in WEIGHT_FORMATS.values() if w.name == name) for name in FORMATS]


def figures() -> dict[str, dict[str, dict[str, Any]]]:
    """By kind and slug: the figures that `roofline.draw` takes as `card` and as `model`."""
    measured = _measured()
    return {
        "card": {slug: _card(card, measured.get(slug, [])) for slug, card in ACCELERATORS.items()},
        "model": {slug: _model(model) for slug, model in MODELS.items()},
    }


def _card(card: Accelerator, measured: list[list[float]]) -> dict[str, Any]:
    return {
        "name": card.name,
        "bandwidth": card.memory_bandwidth,
        "memory": usable_memory(card),
        "peaks": [_peak(card, weights) for weights in WEIGHTS],
        "measured": measured,
    }


def _peak(card: Accelerator, weights: WeightFormat) -> float | None:
    try:
        return product_rate(card, 16 if weights.widened else weights.matrix_bits)
    except ValueError:
        return None


def _model(model: Model) -> dict[str, Any]:
    head = 2 * head_parameters(model)
    return {
        "name": model.name,
        "operations": forward_operations(model, context=CONTEXT),
        "cache": cache_bytes(model, tokens=CONTEXT),
        "held": [model_bytes(model, weights) for weights in WEIGHTS],
        "reads": [[weights_read(model, w, tokens=batch) for batch in BATCHES] for w in WEIGHTS],
        "prompts": [
            tokens
            * (multiplied_operations(model) - head + mean_attention_operations(model, tokens))
            + head
            for tokens in PROMPTS
        ],
        "prompt_reads": [
            [weights_read(model, w, tokens=tokens) for tokens in PROMPTS] for w in WEIGHTS
        ],
    }


def _measured() -> Mapping[str, list[list[float]]]:
    """By slug of a card: intensity and operations/s of the FP16 products of its record."""
    found = {}
    for record in read_all(ROOT).values():
        slug = registered(record) if record.experiment == "bandwidth" else None
        if slug:
            rows, columns = (lookup(record, f"matrix.{each}") for each in ("rows", "columns"))
            found[slug] = [
                [
                    product_intensity(
                        rows=rows,
                        columns=columns,
                        vectors=each["vectors"],
                        bytes_per_element=FP16.bytes,
                    ),
                    each["operations_per_second"],
                ]
                for each in products(record, "fp16")
            ]
    return found
