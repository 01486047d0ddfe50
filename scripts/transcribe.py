"""Records of measurements taken elsewhere, by the author of the lesson that this site grows from.

    python -m scripts.transcribe

Only what its author stated is here, in base units; no sample was kept, so each is a plain number.
"""

from pathlib import Path
from typing import Any

from scripts.records.record import RECORDS, Record, write_record

READ = "2026-11-29"
SOURCE = "the lesson on GPUs, memory and quantization that this handbook grows from"

RTX_3060 = {
    "slug": "rtx-3060",
    "name": "NVIDIA GeForce RTX 3060",
    "kind": "cuda",
    "memory_bytes": 12 * 2**30,
    "cache_bytes": None,
    "cores": None,
    "dtypes": None,
    "driver": None,
    "clocks": None,
}


def transcribed(
    experiment: str, *, section: str, parameters: dict[str, Any], results: dict[str, Any]
) -> Record:
    """A record of what the lesson states about its author's RTX 3060."""
    return Record(
        experiment=experiment,
        parameters=parameters,
        device=RTX_3060,
        software={"python": None, "torch": None, "cuda": None, "commit": None},
        when=None,
        provenance={
            "kind": "transcribed",
            "source": SOURCE,
            "section": section,
            "read": READ,
        },
        fingerprint=None,
        results=results,
    )


BANDWIDTH = transcribed(
    "bandwidth",
    section="Bandwidth: the ceiling on decoding",
    parameters={"copy_bytes": 2**30, "matrix_width": 16384},
    results={
        "copy": {"buffer_bytes": 2**30, "bytes_per_second": 333e9},
        "matrix": {"rows": 16384, "columns": 16384},
        "fp16": {
            "matrix_vector": {
                "vectors": 1,
                "seconds": 1.57e-3,
                "bytes_per_second": 341e9,
                "operations_per_second": 0.34e12,
            },
            "matrix_batch": {
                "4096": {"vectors": 4096, "operations_per_second": 27.7e12},
            },
            "batch_speedup": 81,
        },
    },
)

TRAINING_MEMORY = transcribed(
    "training-memory",
    section="Training: sixteen bytes per parameter",
    parameters={
        "model": "Pythia-160M",
        "weights": "random",
        "optimizer": "AdamW",
        "phase": "after the first step",
    },
    results={
        "fp32": {"bytes_per_parameter": 16.19},
        "mixed": {"bytes_per_parameter": 16.05},
    },
)

ACTIVATIONS = transcribed(
    "activations",
    section="Training: sixteen bytes per parameter",
    parameters={"formula": "34 s b h bytes per layer, 16 bits, linear-memory attention"},
    results={"measured_over_formula": 0.949},
)

BITS = ("16", "8", "6", "5", "4", "3", "2")
LOSS_PER_GROUP = (2.5805, 2.5806, 2.5858, 2.5975, 2.6565, 3.1589, 11.045)
LOSS_PER_MATRIX = (2.5805, 2.6002, 3.2172, 5.3017, 10.692, 10.445, 21.347)

QUANTIZATION = transcribed(
    "quantization",
    section="Group quantization",
    parameters={
        "model": "Pythia-1.4B",
        "layers": 24,
        "matrices": 96,
        "group_size": 32,
        "text": "WikiText-2",
        "tokens": 287744,
        "rule": "symmetric round-to-nearest, FP16 scales",
    },
    results={
        "weights": 1.208e9,
        "tokens": 287744,
        "loss": {
            "per_group": dict(zip(BITS, LOSS_PER_GROUP, strict=True)),
            "per_matrix": dict(zip(BITS, LOSS_PER_MATRIX, strict=True)),
        },
        "median_matrix": {
            "largest_outlier_standard_deviations": 13,
            "zero_fraction_at_4_bits_per_matrix": 2 / 3,
        },
    },
)


def main() -> None:
    """Write the records into the published ones of the repository."""
    root = Path(__file__).parents[1]
    for record in (BANDWIDTH, TRAINING_MEMORY, ACTIVATIONS, QUANTIZATION):
        write_record(root / RECORDS / f"{record.key}.json", record)


if __name__ == "__main__":
    main()
