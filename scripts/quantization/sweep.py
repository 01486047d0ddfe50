"""The experiments on loss run a Sweep over a model and its text: bits x granularity. Back comes the loss
of each, and what happens to each matrix.

The model's matrices are rounded in place from one untouched copy of them. Under torchrun every
process rounds its own model and takes its share of the windows (see
experiments/quantization/sweep_ranks.py).
"""

from __future__ import annotations

import os
import statistics
from typing import TYPE_CHECKING, Any

from scripts.core.faults import BadInput
from scripts.quantization.rounding import GRANULARITIES, Granularity, round_to_nearest_
from snippets.quantized_size import bits_per_weight

if TYPE_CHECKING:
    from torch import Tensor

    from scripts.quantization.subjects import Subject
    from scripts.records.journal import Journal

BITS = (8, 6, 5, 4, 3, 2)
DRAWN_BITS = 4
HISTOGRAM_BINS = 161


class Sweep:
    """Rounds a model in many ways and measures its loss each time."""

    def __init__(self, subject: Subject, *, windows: int, run: Journal) -> None:
        import torch

        from scripts.models.checkpoints import layer_matrices, matrices_by_arithmetic
        from scripts.quantization.loss import windows_in

        self.subject = subject
        self.run = run
        self.windows = min(windows, windows_in(subject.tokens, context=subject.context))
        self.matrices: dict[str, torch.nn.Parameter] = layer_matrices(subject.model)
        self.originals: dict[str, Tensor] = {
            name: matrix.detach().clone() for name, matrix in self.matrices.items()
        }
        self.weights = sum(original.numel() for original in self.originals.values())
        found, expected = (
            (len(self.originals), self.weights),
            matrices_by_arithmetic(subject.model.config),
        )
        if found != expected:
            raise BadInput(
                "the model",
                0,
                f"has {found[0]} matrices of {found[1]:,} weights in its layers, not {expected[0]} "
                f"of {expected[1]:,} as its configuration says",
                "check that config.json belongs to these weights",
            )
        print(f"{found[0]} matrices in the layers, {found[1]:,} weights")

    def loss(self) -> float:
        """Nats per token of the model as it is now, shared among all processes."""
        from scripts.quantization.loss import nats_per_token

        rank, processes = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        return nats_per_token(
            self.subject.model,
            self.subject.tokens,
            context=self.subject.context,
            windows=range(rank, self.windows, processes),
            total=_summed_over_processes,
            count=self.windows,
        )

    def baseline(self) -> float:
        """The loss without any rounding."""
        return float(self.run.samples("16 bits", self.loss, count=1)[0])

    def rounded(self, granularity: Granularity, bits: int) -> dict[str, Any]:
        """The loss after rounding all matrices, and each matrix's share at zero and error."""
        key = f"{granularity.name}: {bits} bits"
        return dict(self.run.samples(key, lambda: self._take(granularity, bits), count=1)[0])

    def _take(self, granularity: Granularity, bits: int) -> dict[str, Any]:
        from scripts.quantization.statistics import relative_error, share_at_zero

        for name, matrix in self.matrices.items():
            round_to_nearest_(
                matrix.data, self.originals[name], bits=bits, granularity=granularity, name=name
            )
        return {
            "loss": self.loss(),
            "share_at_zero": [share_at_zero(matrix) for matrix in self.matrices.values()],
            "relative_error": [
                relative_error(self.originals[name], matrix)
                for name, matrix in self.matrices.items()
            ],
        }

    def restore(self) -> None:
        """Put the original weights back."""
        for name, matrix in self.matrices.items():
            matrix.data.copy_(self.originals[name])

    def results(
        self,
        *,
        granularities: tuple[Granularity, ...] = GRANULARITIES,
        bits: tuple[int, ...] = BITS,
    ) -> dict[str, Any]:
        """The whole sweep, as a record holds it."""
        self.run.progress(total=1 + len(granularities) * len(bits))
        baseline = self.baseline()
        results: dict[str, Any] = {
            "matrices": len(self.originals),
            "weights": self.weights,
            "windows": self.windows,
            "context_tokens": self.subject.context,
            "tokens": self.windows * self.subject.context,
            "bytes_per_token": self.subject.bytes_per_token,
            "loss": {},
            "bits_per_weight": {},
            "matrix": {"names": list(self.originals)},
        }
        for granularity in granularities:
            name = granularity.name
            found = {each: self.rounded(granularity, each) for each in bits}
            results["loss"][name] = {
                "16": baseline,
                **{str(each): found[each]["loss"] for each in bits},
            }
            scales = sum(
                original.numel() // granularity.group_size(original, name=matrix)
                for matrix, original in self.originals.items()
            )
            results["bits_per_weight"][name] = {
                str(each): bits_per_weight(each, 1, scale_bits=16 * scales / self.weights)
                for each in bits
            }
            results["matrix"][name] = {
                str(each): {
                    measure: {
                        "of_each": found[each][measure],
                        "median": statistics.median(found[each][measure]),
                    }
                    for measure in ("share_at_zero", "relative_error")
                }
                for each in bits
            }
        self.restore()
        results.update(self._outliers(results))
        return results

    def _outliers(self, results: dict[str, Any]) -> dict[str, Any]:
        """How far each matrix's largest weight lies out, and the matrix in the middle of them."""
        from scripts.quantization.statistics import histogram, outlier_deviations

        names = list(self.originals)
        deviations = [outlier_deviations(original) for original in self.originals.values()]
        results["matrix"]["outlier_standard_deviations"] = {
            "of_each": deviations,
            "median": statistics.median(deviations),
            "smallest": min(deviations),
            "largest": max(deviations),
        }
        middle = deviations.index(statistics.median_low(deviations))
        matrix = self.originals[names[middle]]
        row = matrix.float().abs().amax(dim=1).argmax()
        bits = str(DRAWN_BITS)
        return {
            "median_matrix": {
                "name": names[middle],
                "drawn_bits": DRAWN_BITS,
                "largest_outlier_standard_deviations": deviations[middle],
                "largest_magnitude": float(matrix.float().abs().max()),
                "standard_deviation": float(matrix.float().std(correction=0)),
                "histogram": histogram(matrix, bins=HISTOGRAM_BINS),
                "first_group_of_its_widest_row": [float(w) for w in matrix[row, :32]],
                **{
                    f"share_at_zero_{name}": results["matrix"][name][bits]["share_at_zero"][
                        "of_each"
                    ][middle]
                    for name in results["loss"]
                },
            }
        }


def _summed_over_processes(value: float) -> float:
    import torch.distributed as distributed

    if not distributed.is_initialized():
        return value
    import torch

    device = "cuda" if distributed.get_backend() == "nccl" else "cpu"
    total = torch.tensor([value], dtype=torch.float64, device=device)
    distributed.all_reduce(total)
    return float(total)
