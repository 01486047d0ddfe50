"""The experiment `quantization-methods` runs it on one model: back comes, for each method, the loss, the
bits per weight and the error of the weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from scripts.quantization.calibration import hessians, layer_linears
from scripts.quantization.loss import nats_per_token, windows_in
from scripts.quantization.methods import Method, methods

if TYPE_CHECKING:
    from scripts.quantization.subjects import Subject
    from scripts.records.journal import Journal


class Comparison:
    """Rounds a model by each method and measures its loss."""

    def __init__(
        self,
        subject: Subject,
        *,
        calibration: Tensor,
        calibration_windows: int,
        windows: int,
        run: Journal,
    ) -> None:
        self.subject = subject
        self.run = run
        self.windows = min(windows, windows_in(subject.tokens, context=subject.context))
        self.linears = layer_linears(subject.model)
        self.originals = {name: m.weight.detach().clone() for name, m in self.linears.items()}
        self.hessians = hessians(
            subject.model,
            calibration,
            context=subject.context,
            windows=min(calibration_windows, windows_in(calibration, context=subject.context)),
        )

    def loss(self) -> float:
        """Nats per token of the model as it is now."""
        return nats_per_token(
            self.subject.model,
            self.subject.tokens,
            context=self.subject.context,
            windows=range(self.windows),
        )

    def results(self, *, thresholds: tuple[float, ...]) -> dict[str, Any]:
        """All methods, as a record holds them."""
        chosen = methods()
        self.run.progress(total=1 + len(chosen) + len(thresholds))
        baseline = float(self.run.samples("baseline", self.loss, count=1)[0])
        found = {
            each.name: self.run.samples(each.name, partial(self._take, each), count=1)[0]
            for each in chosen
        }
        self._restore()
        int8 = {
            name: self.run.samples(name, partial(self._take_int8, threshold), count=1)[0]
            for name, threshold in zip(("llm_int8", "int8"), thresholds, strict=True)
        }
        return {
            "windows": self.windows,
            "context_tokens": self.subject.context,
            "tokens": self.windows * self.subject.context,
            "baseline": baseline,
            "method": {
                each.name: {"title": each.title, "bits_per_weight": each.bits, **found[each.name]}
                for each in chosen
            },
            "int8_product": int8,
        }

    def _take(self, method: Method) -> dict[str, float]:
        squared, whole = 0.0, 0.0
        for name, linear in self.linears.items():
            original = self.originals[name].float().cpu()
            rounded = torch.from_numpy(method.apply(original.numpy(), self.hessians[name].numpy()))
            squared += float((rounded - original).double().square().sum())
            whole += float(original.double().square().sum())
            linear.weight.data.copy_(rounded)
        return {"loss": self.loss(), "relative_error": (squared / whole) ** 0.5}

    def _restore(self) -> None:
        for name, linear in self.linears.items():
            linear.weight.data.copy_(self.originals[name])

    def _take_int8(self, threshold: float) -> dict[str, float]:
        """The loss with each product in 8 bits, and the share of columns that were left in 16."""
        kept: list[float] = []
        with int8_products(list(self.linears.values()), threshold=threshold, kept=kept):
            loss = self.loss()
        return {"loss": loss, "share_of_columns_in_16_bits": sum(kept) / len(kept)}


@contextmanager
def int8_products(
    linears: list[nn.Linear], *, threshold: float, kept: list[float]
) -> Iterator[None]:
    """Within this, the modules multiply as `snippets.activation_aware.int8_product` does.

    The shares of columns left in 16 bits are appended to `kept`.
    """

    def multiply(module: nn.Linear, inputs: tuple[Tensor], output: Tensor) -> Tensor:
        rows = inputs[0].flatten(0, -2)
        outliers = rows.abs().amax(dim=0) >= threshold
        kept.append(float(outliers.float().mean()))
        product = _int8_product(rows, module.weight, outliers)
        if module.bias is not None:
            product = product + module.bias
        return product.view_as(output)

    handles = [linear.register_forward_hook(multiply) for linear in linears]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _int8_product(rows: Tensor, weight: Tensor, outliers: Tensor) -> Tensor:
    """The snippet's arithmetic on tensors. Integers up to 127 are exact in FP32."""
    few, weights = rows[:, ~outliers].float(), weight[:, ~outliers].float()
    exact = rows[:, outliers].float() @ weight[:, outliers].float().T
    if not few.shape[1]:
        return exact.to(rows.dtype)
    row_scales = few.abs().amax(dim=1, keepdim=True).clamp_min(1e-30) / 127
    weight_scales = weights.abs().amax(dim=1, keepdim=True).clamp_min(1e-30) / 127
    integers = (few / row_scales).round() @ (weights / weight_scales).round().T
    return (exact + integers * row_scales * weight_scales.T).to(rows.dtype)
