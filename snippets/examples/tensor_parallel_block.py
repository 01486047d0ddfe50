import torch
import torch.distributed as dist
from torch import Tensor, nn


class Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: object, hidden: Tensor) -> Tensor:
        return hidden.view_as(hidden)  # every rank has it already

    @staticmethod
    def backward(ctx: object, gradient: Tensor) -> Tensor:
        dist.all_reduce(gradient := gradient.clone())  # backward: b * s * h elements
        return gradient


class Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: object, partial: Tensor) -> Tensor:
        dist.all_reduce(total := partial.clone())  # forward: b * s * h elements
        return total

    @staticmethod
    def backward(ctx: object, gradient: Tensor) -> Tensor:
        return gradient  # every rank has it already


class TensorParallel(nn.Module):
    """An MLP or attention: `first` matrices split by columns (heads), `last` by rows."""

    def __init__(self, part: nn.Module, *, first: list[nn.Linear], last: nn.Linear) -> None:
        super().__init__()
        ranks, rank = dist.get_world_size(), dist.get_rank()
        for matrix, dimension in [*((matrix, 0) for matrix in first), (last, 1)]:
            own = matrix.weight.detach().chunk(ranks, dimension)[rank]  # weight: (out, in)
            matrix.weight = nn.Parameter(own.clone())
        self.part = part

    def forward(self, hidden: Tensor) -> Tensor:
        return Sum.apply(self.part(Copy.apply(hidden)))
