"""Every split of the lab builds the same small transformer from a Shape, and compares its gradients with
those of the one process that it must equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.distributed.tensor import DTensor
from torch.nn import functional as F


@dataclass(frozen=True)
class Shape:
    """Sizes of the model. The heads share `hidden_size`; the MLP is four times as wide."""

    layers: int
    hidden_size: int
    heads: int
    vocabulary: int

    @property
    def mlp_size(self) -> int:
        """Width inside the MLP."""
        return 4 * self.hidden_size


class Attention(nn.Module):
    """Causal self-attention; `heads` may be a rank's share, so it is read off the weights."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.head_size = shape.hidden_size // shape.heads
        self.query = nn.Linear(shape.hidden_size, shape.hidden_size, bias=False)
        self.key = nn.Linear(shape.hidden_size, shape.hidden_size, bias=False)
        self.value = nn.Linear(shape.hidden_size, shape.hidden_size, bias=False)
        self.output = nn.Linear(shape.hidden_size, shape.hidden_size, bias=False)

    def forward(self, hidden: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        split = (*hidden.shape[:-1], -1, self.head_size)
        query, key, value = (
            matrix(hidden).view(split).transpose(1, 2)
            for matrix in (self.query, self.key, self.value)
        )
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(mixed.transpose(1, 2).flatten(2))


class MLP(nn.Module):
    """Two matmuls with GELU between them."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.up = nn.Linear(shape.hidden_size, shape.mlp_size, bias=False)
        self.down = nn.Linear(shape.mlp_size, shape.hidden_size, bias=False)

    def forward(self, hidden: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        return self.down(F.gelu(self.up(hidden)))


class Block(nn.Module):
    """One layer: attention, then MLP, each behind its norm and added to the stream."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.attention_norm = nn.RMSNorm(shape.hidden_size)
        self.attention: nn.Module = Attention(shape)
        self.mlp_norm = nn.RMSNorm(shape.hidden_size)
        self.mlp: nn.Module = MLP(shape)

    def forward(self, hidden: Tensor) -> Tensor:
        """The same shape out: (batch, tokens, hidden_size)."""
        hidden = hidden + self.attention(self.attention_norm(hidden))
        return hidden + self.mlp(self.mlp_norm(hidden))


class Transformer(nn.Module):
    """Token numbers (batch, sequence) to logits (batch, sequence, vocabulary)."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embedding = nn.Embedding(shape.vocabulary, shape.hidden_size)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.hidden_size)
        self.head = nn.Linear(shape.hidden_size, shape.vocabulary, bias=False)

    def layers(self) -> list[Block]:
        """The layers, the lowest first."""
        return [block for block in self.blocks if isinstance(block, Block)]

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (batch, tokens, vocabulary)."""
        hidden = self.embedding(tokens)
        for block in self.blocks:
            hidden = block(hidden)
        return self.head(self.norm(hidden))


def build(shape: Shape, *, device: torch.device, dtype: torch.dtype) -> Transformer:
    """The same weights on every rank and in every split: they come from a fixed seed, in FP32."""
    torch.manual_seed(0)
    return Transformer(shape).to(device=device, dtype=dtype)


def batch(
    shape: Shape, *, sequences: int, sequence_length: int, device: torch.device
) -> tuple[Tensor, Tensor]:
    """The same random tokens on every rank, and the tokens that follow them."""
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randint(
        shape.vocabulary, (sequences, sequence_length + 1), generator=generator
    ).to(device)
    return tokens[:, :-1], tokens[:, 1:]


def loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean cross entropy in nats per token."""
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def whole(tensor: Tensor) -> Tensor:
    """All of a tensor that is split over ranks, on each of them; any other tensor itself."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def gradients(model: nn.Module) -> dict[str, Tensor]:
    """A copy of each whole gradient by the name of its weight."""
    return {
        name: whole(parameter.grad).clone()
        for name, parameter in model.named_parameters()
        if parameter.grad is not None
    }


def weights(model: nn.Module) -> dict[str, Tensor]:
    """A copy of each whole weight by name."""
    return {name: whole(parameter.detach()).clone() for name, parameter in model.named_parameters()}


@dataclass(frozen=True)
class Step:
    """What one training step computes."""

    gradients: dict[str, Tensor]
    weights: dict[str, Tensor]


def one_process(shape: Shape, tokens: Tensor, targets: Tensor, *, device: torch.device) -> Step:
    """One AdamW step on the whole batch in FP32 without any other rank: what splits must equal."""
    model = build(shape, device=device, dtype=torch.float32)
    optimizer = torch.optim.AdamW(model.parameters())
    loss(model(tokens), targets).backward()
    found = gradients(model)
    optimizer.step()
    return Step(found, weights(model))


def difference(found: dict[str, Tensor], expected: dict[str, Tensor]) -> float:
    """The norm of all differences over the norm of what was expected, for the names found.

    A rank that has some of the layers finds some of the names.
    """
    off = sum((found[name] - expected[name]).double().square().sum() for name in found)
    size = sum(expected[name].double().square().sum() for name in found)
    return float((torch.as_tensor(off) / torch.as_tensor(size)).sqrt())
