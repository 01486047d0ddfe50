"""The experiments on memory ask it for Pythia-160M with random weights, the model of the recorded
measurements, and for what it keeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from scripts.accounting.fake import tensors
from scripts.accounting.saved_tensors import (
    ModuleSpans,
    SavedTensor,
    once_by_storage,
    once_by_tensor,
    saved_tensors,
    total_bytes,
)
from scripts.models.attention import Kernel, causal_attention
from scripts.models.gpt_neox import GPTNeoX, GPTNeoXConfig

# Biderman et al. 2023 (arXiv:2304.01373), table 1; vocabulary padded as published.
PYTHIA_160M = GPTNeoXConfig(
    vocab_size=50304,
    hidden_size=768,
    num_hidden_layers=12,
    num_attention_heads=12,
    intermediate_size=3072,
    max_position_embeddings=2048,
)
PYTHIA_160M_PARAMETERS = 162_322_944


class AttentionKernel(TorchFunctionMode):
    """Within it, PyTorch's scaled dot-product attention is the kernel named."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__()
        self.kernel = kernel

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is F.scaled_dot_product_attention and self.kernel != "sdpa":
            return causal_attention(*args, kernel=self.kernel)
        return func(*args, **(kwargs or {}))


@dataclass(frozen=True)
class KeptByModel:
    """Bytes kept inside the layers, and the two tensors that are kept beside them."""

    layers_by_tensor: int
    layers_by_storage: int
    final_norm_input: int
    head_input: int
    norm_statistics: int


def kept_by_pythia(
    *,
    precision: str,
    kernel: Kernel,
    sequences: int,
    tokens: int,
    device: str = "cpu",
    real: bool = False,
) -> KeptByModel:
    """Run Pythia-160M forward to its logits and count what backward would need, without the loss."""
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    kind = torch.device(device).type
    with tensors(real=real, device=device, dtype=dtype):
        model = GPTNeoX(PYTHIA_160M)
        text = torch.zeros(sequences, tokens, dtype=torch.long)
        spans = ModuleSpans()
        with (
            torch.autocast(kind, torch.bfloat16, enabled=precision == "autocast"),
            spans.watch(model),
            AttentionKernel(kernel),
        ):
            logits = model(text)
        saved = saved_tensors([logits], model=model, spans=spans)
    by_tensor, by_storage = once_by_tensor(saved), once_by_storage(saved)
    return KeptByModel(
        layers_by_tensor=total_bytes(_inside_layers(by_tensor)),
        layers_by_storage=total_bytes(_inside_layers(by_storage)),
        final_norm_input=_bytes_of(by_tensor, "gpt_neox.final_layer_norm", "input"),
        head_input=_bytes_of(by_tensor, "embed_out", "self"),
        norm_statistics=total_bytes(
            tensor
            for tensor in _inside_layers(by_tensor)
            if tensor.operation == "NativeLayerNormBackward0" and tensor.name != "input"
        ),
    )


def _inside_layers(saved: list[SavedTensor]) -> list[SavedTensor]:
    return [tensor for tensor in saved if tensor.module.startswith("gpt_neox.layers.")]


def _bytes_of(saved: list[SavedTensor], module: str, name: str) -> int:
    return sum(t.bytes for t in saved if t.module == module and t.name == name)
