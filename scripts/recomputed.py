"""What a measured record's results must be, computed again from its parameters and its samples.

A figure that is not what its samples give was changed, or the code that made it was wrong.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from scripts.devices.noisy_samples import NOISE_LIMIT
from scripts.experiments.bandwidth import measure as bandwidth
from scripts.experiments.decoding import measure as decoding
from scripts.experiments.parallelism_collectives import measure as parallelism_collectives
from scripts.experiments.staircase import measure as staircase
from scripts.records.record import Record
from scripts.records.samples import FEWEST_SAMPLES
from snippets.bandwidth import (
    batched_decode_ceiling,
    copy_bytes,
    product_bytes,
    product_operations,
)
from snippets.parallelism import all_reduce_bytes

Figures = Iterator[tuple[str, float]]

# What an experiment fills whatever its parameters, beside the work that it times.
SECTIONS: dict[str, tuple[str, ...]] = {
    "activations": ("gpt", "llama", "stack", "pythia", "published_shape", "really_run"),
    "bandwidth": ("disturbances_before", "copy", "read", "matrix", "disturbances_after"),
    "decoding": ("disturbances_before", "models", "disturbances_after"),
    "embedded-training": ("held_out_nats_per_token", "held_out_nats_per_byte", "log"),
    "parallelism-collectives": ("ranks", "all_reduce", "all_gather"),
    "parallelism-data": ("model",),
    "parallelism-mesh": ("layout", "model", "transfers", "wire_bytes", "ranks"),
    "parallelism-pipeline": (),
    "parallelism-tensor": ("model",),
    "predictions": ("models", "runs", "errors", "worst", "reported_bytes", "predicted_bytes"),
    "quantization": ("loss", "bits_per_weight", "matrix", "median_matrix"),
    "quantization-methods": ("baseline", "method", "int8_product"),
    "quantization-smollm2": ("loss", "bits_per_weight", "matrix", "median_matrix"),
    "quantization-speed": (),
    "staircase": ("cache_bytes", "disturbances_before", "disturbances_after"),
    "training-memory": ("recipes", "timelines", "resident", "large"),
}

# What is sampled of each piece of work, where it is more or other than its seconds.
SAMPLED = {
    "decoding": ("seconds", "read_seconds", "products_seconds", "dispatch_seconds", "of_ceiling"),
    "parallelism-pipeline": ("step_seconds", "idle_fraction"),
}


def at(results: Any, place: str) -> Any:
    """What stands at a dotted place; None where nothing does."""
    for step in place.split("."):
        if isinstance(results, list):
            results = results[int(step)]
        else:
            results = results.get(step) if isinstance(results, Mapping) else None
    return results


def sections(record: Record) -> Iterator[str]:
    """The places that this experiment always fills; none where it says that it was left out."""
    if "left_out" not in record.results:
        yield from SECTIONS[record.experiment]
        if record.experiment in ("parallelism-data", "parallelism-tensor"):
            yield from (f"ranks_{ranks}" for ranks in record.parameters["ranks"])


def works(record: Record) -> Iterator[str]:
    """The places of all work that this experiment times, as far as the device could do it.

    Raises KeyError, TypeError, AttributeError or ValueError for parameters that do not say it.
    """
    asked = record.parameters
    match record.experiment:
        case "bandwidth":
            yield from ("copy", "read")
            others = [dtype for dtype, batches in asked["batches"].items() if batches]
            for dtype in dict.fromkeys([*record.device["dtypes"], *others]):
                yield f"{dtype}.matrix_vector"
            for dtype, batches in asked["batches"].items():
                yield from (f"{dtype}.matrix_batch.{batch}" for batch in batches if batch > 1)
        case "staircase":
            for kind in asked["kinds"]:
                yield from _until_not_run(
                    record, [f"{kind}.sizes.{size}" for size in asked["bytes"]]
                )
        case "quantization-speed":
            yield from (
                kind for kind in asked["kinds"] if not at(record.results, f"{kind}.left_out")
            )
        case "parallelism-collectives":
            for name in parallelism_collectives.PASSES:
                yield from (f"{name}.bytes_{size}" for size in asked["sizes"])
        case "parallelism-pipeline":
            for ranks, runs in asked["runs"].items():
                for run in runs:
                    batches = f"micro_batches_{run['micro_batches']}"
                    yield f"ranks_{ranks}.{run['schedule']}.{batches}"
        case "decoding":
            for model in _until_not_run(record, [f"models.{name}" for name in asked["models"]]):
                yield from _until_not_run(record, [f"{model}.plain"])
                batches = [f"{model}.batch.{batch}" for batch in asked["batches"]]
                yield from _until_not_run(record, batches)


def sampled(record: Record) -> Iterator[tuple[str, int]]:
    """The place of all that must be sampled, and how often at least. Raises as `works` does."""
    pipeline = record.experiment == "parallelism-pipeline"
    fewest = record.parameters["repeats"] if pipeline else FEWEST_SAMPLES
    for place in works(record):
        for name in SAMPLED.get(record.experiment, ("seconds",)):
            yield f"{place}.{name}", fewest


def _until_not_run(record: Record, places: list[str]) -> Iterator[str]:
    for place in places:
        if at(record.results, f"{place}.not_run"):
            return
        yield place


def figures(record: Record) -> Figures:
    """Each figure that follows from others: its place, and what it must be.

    Raises as `works` does, for a record whose `works` are not all there.
    """
    for place in works(record):
        found = at(record.results, place)
        if "seconds" in found:
            yield from ((f"{place}.{name}", value) for name, value in _rates(found))
    match record.experiment:
        case "bandwidth":
            yield from _bandwidth(record)
        case "staircase":
            yield from _staircase(record)
        case "quantization-speed":
            yield from _quantization_speed(record)
        case "parallelism-collectives":
            yield from _collectives(record)
        case "decoding":
            for place in works(record):
                model = at(record.results, place.split(".plain")[0].split(".batch")[0])
                found = at(record.results, place)
                yield from ((f"{place}.{name}", value) for name, value in _step(found, model))


def _rates(found: Mapping[str, Any]) -> Figures:
    """Rates at the median of the seconds, and how noisy those are."""
    counts = {
        "bytes": "bytes_per_second",
        "weight_bytes": "bytes_per_second",
        "bytes_sent": "bytes_sent_per_second",
        "operations": "operations_per_second",
        "sequences": "tokens_per_second",
    }
    for count, rate in counts.items():
        if count in found:
            yield rate, found[count] / found["seconds"]["median"]
    if "noise" in found and "read_seconds" not in found:
        seconds = found["seconds"]
        spread = seconds["upper_quartile"] - seconds["lower_quartile"]
        yield "noise", spread / seconds["median"]
    if "noise" in found:
        yield "too_noisy", found["noise"] > NOISE_LIMIT


def _bandwidth(record: Record) -> Figures:
    size, width = record.parameters["copy_bytes"], record.parameters["matrix_width"]
    yield "copy.bytes", copy_bytes(size)
    yield "read.bytes", size
    for dtype, batches in record.parameters["batches"].items():
        rates = {}
        for batch in batches:
            place = f"{dtype}.matrix_vector" if batch == 1 else f"{dtype}.matrix_batch.{batch}"
            shape = {"rows": width, "columns": width, "vectors": batch}
            element = bandwidth.BYTES_PER_ELEMENT[dtype]
            yield f"{place}.bytes", product_bytes(**shape, bytes_per_element=element)
            yield f"{place}.operations", product_operations(**shape)
            rates[batch] = at(record.results, place)["operations_per_second"]
        if rates:
            yield f"{dtype}.batch_speedup", max(rates.values()) / rates[1]


def _staircase(record: Record) -> Figures:
    for kind in record.parameters["kinds"]:
        vectors = staircase.VECTORS[kind] * staircase.ELEMENT_BYTES
        for place in works(record):
            of, _, size = place.partition(".sizes.")
            if of == kind:
                yield f"{place}.bytes", int(size) // vectors * vectors
        steps = staircase._steps(
            record.results[kind]["sizes"], cache_bytes=record.results["cache_bytes"]
        )
        yield from ((f"{kind}.{name}", value) for name, value in steps.items())


def _quantization_speed(record: Record) -> Figures:
    times = {kind: at(record.results, f"{kind}.seconds.median") for kind in works(record)}
    sixteen = min(times[kind] for kind in ("fp16", "bf16") if kind in times)
    for kind, seconds in times.items():
        weights = record.parameters["matrix_width"] ** 2
        yield f"{kind}.speedup_over_16_bits", sixteen / seconds
        yield f"{kind}.weight_bytes", record.results[kind]["bits_per_weight"] * weights / 8


def _collectives(record: Record) -> Figures:
    ranks = record.parameters["ranks"]
    for name, passes in parallelism_collectives.PASSES.items():
        for size in record.parameters["sizes"]:
            sent = all_reduce_bytes(size, ranks) * passes / 2
            yield f"{name}.bytes_{size}.bytes_sent", sent


def _step(found: Mapping[str, Any], model: Mapping[str, Any]) -> Figures:
    """A decoding step beside the reading done just before it."""
    weights, cache = model["read_weight_bytes"], model["cache_bytes_per_sequence"]
    buffer = min(weights, decoding.LARGEST_BUFFER_BYTES) // 4 * 4
    read_bytes = round(weights / buffer) * buffer
    reading = read_bytes / found["read_seconds"]["median"]
    yield "bytes", weights + found["sequences"] * cache
    yield "read_bytes_per_second", reading
    yield "products_bytes_per_second", weights / found["products_seconds"]["median"]
    yield (
        "ceiling_tokens_per_second",
        batched_decode_ceiling(
            memory_bandwidth=reading,
            weight_bytes=weights,
            cache_bytes=cache,
            sequences=found["sequences"],
        ),
    )
    pairs = zip(found["seconds"]["samples"], found["read_seconds"]["samples"], strict=True)
    shares = [found["bytes"] / step / (read_bytes / read) for step, read in pairs]
    yield from ((f"of_ceiling.samples.{index}", share) for index, share in enumerate(shares))
