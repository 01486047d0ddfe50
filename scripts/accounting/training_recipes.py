"""The accounting of training steps builds a Training of one recipe: model, gradients and optimizer, with a
method for each phase of a step.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import Optimizer

LEARNING_RATE = 1e-4


@dataclass(frozen=True)
class Recipe:
    """What is stored in which format.

    `precision`: fp32, autocast (FP32 weights, BF16 products) or bf16 (BF16 weights and gradients).
    `master`: none, streamed (an FP32 copy of the weights, whose gradients exist one at a time) or
    gradients (FP32 gradients kept beside it too). `optimizer`: a name in OPTIMIZERS.
    """

    precision: str
    optimizer: str
    master: str = "none"

    @property
    def dtype(self) -> torch.dtype:
        """The element type that the model's weights have under this recipe."""
        return torch.bfloat16 if self.precision == "bf16" else torch.float32


RECIPES = {
    "fp32_adamw_foreach": Recipe("fp32", "adamw_foreach"),
    "fp32_adamw_fused": Recipe("fp32", "adamw_fused"),
    "autocast_adamw_foreach": Recipe("autocast", "adamw_foreach"),
    "autocast_adamw_fused": Recipe("autocast", "adamw_fused"),
    "bf16_master": Recipe("bf16", "adamw_fused", master="streamed"),
    "bf16_master_gradients": Recipe("bf16", "adamw_fused", master="gradients"),
    "fp32_sgd_momentum": Recipe("fp32", "sgd_momentum"),
    "fp32_adafactor": Recipe("fp32", "adafactor"),
    "fp32_muon": Recipe("fp32", "muon"),
    "fp32_adamw_8bit": Recipe("fp32", "adamw_8bit"),
}


def _adamw_8bit(weights: list[nn.Parameter]) -> list[Optimizer]:
    from torchao.optim import AdamW8bit

    return [AdamW8bit(weights, lr=LEARNING_RATE)]


def _muon(weights: list[nn.Parameter]) -> list[Optimizer]:
    """Muon for the matrices inside the layers, AdamW for the rest (Jordan et al. 2024)."""
    # Embeddings are matrices too, but of a vocabulary's height; Muon is not meant for them.
    widest = max(weight.shape[0] for weight in weights)
    hidden = [weight for weight in weights if weight.dim() == 2 and weight.shape[0] < widest]
    chosen = {id(weight) for weight in hidden}
    rest = [weight for weight in weights if id(weight) not in chosen]
    return [
        torch.optim.Muon(hidden, lr=LEARNING_RATE),
        torch.optim.AdamW(rest, lr=LEARNING_RATE, fused=True),
    ]


OPTIMIZERS: dict[str, Callable[[list[nn.Parameter]], list[Optimizer]]] = {
    "adamw_foreach": lambda w: [torch.optim.AdamW(w, lr=LEARNING_RATE, foreach=True)],
    "adamw_fused": lambda w: [torch.optim.AdamW(w, lr=LEARNING_RATE, fused=True)],
    "sgd_momentum": lambda w: [torch.optim.SGD(w, lr=LEARNING_RATE, momentum=0.9, foreach=True)],
    "adafactor": lambda w: [torch.optim.Adafactor(w, lr=LEARNING_RATE)],
    "muon": _muon,
    "adamw_8bit": _adamw_8bit,
}


def obstacle(recipe: Recipe) -> str | None:
    """Why a recipe cannot be run here; None if it can."""
    if recipe.optimizer == "adamw_8bit" and importlib.util.find_spec("torchao") is None:
        return "no 8-bit Adam is installed: pip install torchao"
    return None


class Training:
    """A model and what trains it. Steps are those of any training loop, called one by one."""

    def __init__(self, recipe: Recipe, model: nn.Module, *, vocab_size: int) -> None:
        self.recipe, self.model, self.vocab_size = recipe, model, vocab_size
        self.weights = [weight for weight in model.parameters() if weight.requires_grad]
        self.frozen = [weight for weight in model.parameters() if not weight.requires_grad]
        self.masters: list[nn.Parameter] = []
        self.text: Tensor | None = None
        self._loss: Tensor | None = None
        if recipe.master != "none":
            self.masters = [nn.Parameter(weight.detach().float()) for weight in self.weights]
        trained = self.masters or self.weights
        # One optimizer per weight, so that each can be stepped while it alone has FP32 gradients.
        groups = [[weight] for weight in trained] if recipe.master == "streamed" else [trained]
        self.optimizers = [
            optimizer for group in groups for optimizer in OPTIMIZERS[recipe.optimizer](group)
        ]

    def read(self, *, sequences: int, tokens: int) -> None:
        """The batch that every step uses."""
        self.text = torch.zeros(sequences, tokens, dtype=torch.long)

    def forward(self) -> None:
        """The forward pass of one step: the loss is kept."""
        assert self.text is not None
        with torch.autocast(
            self.text.device.type, torch.bfloat16, enabled=self.recipe.precision == "autocast"
        ):
            logits = self.model(self.text)
            self._loss = F.cross_entropy(logits.flatten(0, 1).float(), self.text.flatten())

    def backward(self) -> None:
        """The backward pass: gradients are left on the parameters."""
        assert self._loss is not None
        self._loss.backward()
        self._loss = None

    # An optimizer that compiles its step cannot be traced; what it keeps is the same either way.
    @torch.compiler.set_stance("force_eager")
    @torch.no_grad()
    def step(self) -> None:
        """Update the weights; the FP32 master copy first, where there is one."""
        if self.recipe.master == "streamed":
            for weight, master, optimizer in zip(
                self.weights, self.masters, self.optimizers, strict=True
            ):
                master.grad = _wide(weight.grad)
                optimizer.step()
                master.grad = None
                weight.copy_(master)
            return
        if self.masters:
            for weight, master in zip(self.weights, self.masters, strict=True):
                master.grad = _wide(weight.grad)
        for optimizer in self.optimizers:
            optimizer.step()
        for weight, master in zip(self.weights, self.masters, strict=False):
            weight.copy_(master)

    def clear(self) -> None:
        """Drop the gradients, as before each further step."""
        for weight in (*self.weights, *self.masters):
            weight.grad = None

    def tensors(self) -> dict[str, list[Tensor]]:
        """All that is held between steps, by what it is for."""
        states = [
            value
            for optimizer in self.optimizers
            for state in optimizer.state.values()
            for value in state.values()
            if isinstance(value, Tensor)
        ]
        return {
            "frozen_weights": list[Tensor](self.frozen),
            "weights": [*self.weights, *self.model.buffers()],
            "master_weights": list(self.masters),
            "gradients": _gradients(self.weights),
            "master_gradients": _gradients(self.masters),
            "optimizer": states,
            "batch": [] if self.text is None else [self.text],
        }


def _wide(gradient: Tensor | None) -> Tensor:
    assert gradient is not None
    return gradient.float()


def _gradients(weights: Iterable[nn.Parameter]) -> list[Tensor]:
    return [weight.grad for weight in weights if weight.grad is not None]
