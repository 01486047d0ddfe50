"""The comparison of methods hands it a model and calibration text; back comes, for each matrix, the Gram
matrix X^T X of its inputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor, nn

    from scripts.models.checkpoints import CausalModel


@torch.inference_mode()
def hessians(
    model: CausalModel, tokens: Tensor, *, context: int, windows: int
) -> dict[str, Tensor]:
    """X^T X for each matrix of the layers, in FP32 on the CPU, summed over the first `windows`.

    Names as `layer_matrices` gives them. Inputs are those of the model as it is, unrounded.
    """
    sums: dict[str, Tensor] = {}

    def watch(name: str) -> None:
        def add(module: nn.Module, inputs: tuple[Tensor], output: Tensor) -> None:
            rows = inputs[0].float().flatten(0, -2)
            gram = (rows.T @ rows).cpu()
            sums[name] = sums[name] + gram if name in sums else gram

        handles.append(linears[name].register_forward_hook(add))

    linears = layer_linears(model)
    handles: list[torch.utils.hooks.RemovableHandle] = []
    for name in linears:
        watch(name)
    try:
        for window in range(windows):
            model(tokens[window * context : (window + 1) * context].unsqueeze(0))
    finally:
        for handle in handles:
            handle.remove()
    return sums


def layer_linears(model: CausalModel) -> dict[str, nn.Linear]:
    """The linear modules of the layers, by the names of their matrices."""
    return {
        f"layers.{name}.weight": module
        for name, module in model.layers.named_modules()
        if isinstance(module, torch.nn.Linear)
    }
