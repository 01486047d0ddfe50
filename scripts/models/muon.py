"""The training of the shipped model gives it the matrices inside a model's layers; each step moves them
along the orthogonalized momentum of their gradients.
"""

import math

import torch
from torch import Tensor, nn


class Muon:
    """Momentum, orthogonalised by a Newton-Schulz iteration; for the matrices of the layers.

    Jordan et al. 2024, "Muon: an optimizer for hidden layers in neural networks". torch.optim.Muon
    iterates in BF16, which many CPUs emulate slowly; this one stays in FP32.
    """

    def __init__(self, parameters: list[nn.Parameter], *, weight_decay: float) -> None:
        self.parameters = parameters
        self.weight_decay = weight_decay
        self.momenta = [torch.zeros_like(parameter) for parameter in parameters]

    @torch.no_grad()
    def step(self, *, learning_rate: float, momentum: float = 0.95) -> None:
        """One update from the gradients that the parameters hold."""
        for parameter, average in zip(self.parameters, self.momenta, strict=True):
            assert parameter.grad is not None
            average.lerp_(parameter.grad, 1 - momentum)
            update = orthogonalised(parameter.grad.lerp(average, momentum))
            parameter.mul_(1 - learning_rate * self.weight_decay)
            scale = math.sqrt(max(1.0, parameter.shape[0] / parameter.shape[1]))
            parameter.add_(update, alpha=-learning_rate * scale)


def orthogonalised(matrix: Tensor, *, iterations: int = 5) -> Tensor:
    """All singular values moved close to 1 by an odd quintic polynomial."""
    x = matrix.T if matrix.shape[0] > matrix.shape[1] else matrix
    x = x / (x.norm() + 1e-7)
    for _ in range(iterations):
        square = x @ x.T
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return x.T if matrix.shape[0] > matrix.shape[1] else x
