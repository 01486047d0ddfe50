"""The experiment `adapters` hands it a model; back comes the same model, frozen, with adapters beside every
matrix of its layers, which alone are trained (LoRA, Hu et al. 2021, arXiv:2106.09685, section 4.1).

The frozen matrices stay in 16 bits, or bitsandbytes keeps them in NF4 with its scales in eight bits and
widens one at a time (QLoRA, Dettmers et al. 2023, arXiv:2305.14314, section 3).
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

STRENGTH = 2.0  # alpha over rank: what the adapters' product is multiplied by


class Adapted(nn.Module):
    """A frozen linear layer and beside it a product of rank `rank`, which begins as zero."""

    def __init__(self, matrix: nn.Linear, *, rank: int, four_bits: bool) -> None:
        super().__init__()
        like = matrix.weight
        self.lower = nn.Parameter(like.new_empty(rank, matrix.in_features))
        self.upper = nn.Parameter(like.new_zeros(matrix.out_features, rank))
        nn.init.kaiming_uniform_(self.lower, a=5**0.5)
        self.matrix = _in_four_bits(matrix) if four_bits else matrix

    def forward(self, x: Tensor) -> Tensor:
        """`x` (…, inputs) in, (…, outputs) out."""
        return self.matrix(x) + STRENGTH * F.linear(F.linear(x, self.lower), self.upper)


def adapt(model: nn.Module, layers: nn.Module, *, rank: int, four_bits: bool = False) -> nn.Module:
    """The model, frozen, with adapters in these of its modules."""
    model.requires_grad_(False)
    for owner in list(layers.modules()):
        for name, module in list(owner.named_children()):
            if isinstance(module, nn.Linear):
                setattr(owner, name, Adapted(module, rank=rank, four_bits=four_bits))
    return model


def _in_four_bits(matrix: nn.Linear) -> nn.Module:
    from bitsandbytes.nn.modules import Linear4bit, Params4bit

    weight = matrix.weight
    made = Linear4bit(
        matrix.in_features,
        matrix.out_features,
        bias=matrix.bias is not None,
        compute_dtype=weight.dtype,
        quant_type="nf4",
        device="meta",
    )
    made.weight = Params4bit(weight.data, requires_grad=False, quant_type="nf4")
    made.bias = matrix.bias
    return made.to(weight.device)  # which is when it is quantized
