"""The lab's data parallelism trains with it: Adam as mixed precision runs it, with the twelve bytes
beside a 16-bit weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor


class MixedPrecisionAdam(torch.optim.Optimizer):
    """Keeps an FP32 master weight and two FP32 moments for each parameter of any type.

    The state is shaped and split as the parameter is, so under FSDP it is the shard's alone.
    """

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """One step over the parameters that have gradients."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._update(parameter, group)

    def _update(self, parameter: Tensor, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:
            state["step"] = 0
            state["master"] = parameter.to(torch.float32, copy=True)
            state["first_moment"] = torch.zeros_like(state["master"])
            state["second_moment"] = torch.zeros_like(state["master"])
        state["step"] += 1
        (beta1, beta2), gradient = group["betas"], parameter.grad.to(torch.float32)  # type: ignore[union-attr]
        first = state["first_moment"].lerp_(gradient, 1 - beta1)
        second = state["second_moment"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        scale = (second / (1 - beta2 ** state["step"])).sqrt_().add_(group["eps"])
        state["master"].addcdiv_(first, scale, value=-group["lr"] / (1 - beta1 ** state["step"]))
        parameter.copy_(state["master"])
