"""The experiment `decoding` hands it a Llama with random weights; back come functions that decode greedily,
one step at a time, and what a step must read.

Speed does not depend on what the weights are, only on how many there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor, nn

from scripts.devices.graphs import replayed
from scripts.devices.not_run import NotRun
from scripts.models.llama_fused import KVCache, Llama, LlamaConfig

if TYPE_CHECKING:
    from scripts.devices.device import Device

CHECKED_TOKENS = 8
# Root mean square of the differences between logits step by step and all at once, in units of the
# logits' deviation. Rounding alone gives 1e-6, 2e-3 and 2e-2, growing with depth (the 8B model in
# BF16: about 5e-2); a cache with one wrong position gives 0.2 and more. Of a largest difference
# nothing so clear can be said: it grows with the number of logits too.
TOLERANCE = {torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}


class WrongLogits(NotRun):
    """Decoding step by step gives other logits than reading all tokens at once."""


def random_llama(config: LlamaConfig, *, dtype: torch.dtype, device: str) -> Llama:
    """A model with random matrices, made in place: nothing is ever held twice."""
    with torch.device("meta"):
        model = Llama(config)
    model = model.to(dtype).to_empty(device=device)
    generator = torch.Generator(device).manual_seed(0)
    for weight in model.parameters():
        if weight.dim() == 1:
            nn.init.ones_(weight)
        else:
            # Small, so that hidden states stay finite in 16 bits through every layer.
            nn.init.normal_(weight, std=0.02, generator=generator)
    return model.requires_grad_(False).eval()


def read_bytes(model: Llama) -> tuple[int, int]:
    """Bytes of weights that one step reads, and of the input embedding, of which it looks up rows.

    Of a model whose matrices are not packed yet.
    """
    embedding = model.embed_tokens.weight.nbytes
    return sum(weight.nbytes for weight in model.parameters()) - embedding, embedding


class PackedLinear(nn.Module):
    """A linear layer whose matrix lies as oneDNN's kernels read it, for so many vectors at a time.

    This is what `torch.compile` does with frozen weights on a CPU. PyTorch's own call multiplies by
    MKL, which reads a matrix at two thirds of the rate, and with four vectors at a quarter.
    """

    def __init__(self, matrix: Tensor, *, sequences: int) -> None:
        super().__init__()
        self.packed = torch.ops.mkldnn._reorder_linear_weight(matrix, sequences)

    def forward(self, x: Tensor) -> Tensor:
        """`x` (…, columns) in, (…, rows) out."""
        out = torch.ops.mkldnn._linear_pointwise(x, self.packed, None, "none", [], "")
        return cast(Tensor, out)

    def plain(self) -> Tensor:
        """The weight as PyTorch keeps it, (rows, columns)."""
        return cast(Tensor, self.packed.to_dense())


def pack(model: Llama, *, sequences: int) -> bool:
    """Pack every matrix of a model on a CPU, one after the other; whether that can be done here."""
    dtype = model.norm.weight.dtype
    on_cpu = model.norm.weight.device.type == "cpu"
    if not on_cpu or not torch.backends.mkldnn.is_available() or dtype != torch.float32:
        return False
    for owner in list(model.modules()):
        for name, module in list(owner.named_children()):
            if isinstance(module, PackedLinear):
                setattr(owner, name, PackedLinear(module.plain(), sequences=sequences))
            elif isinstance(module, nn.Linear):
                setattr(owner, name, PackedLinear(module.weight.detach(), sequences=sequences))
    return True


class Decoder:
    """A model at work on some sequences. `step` adds one token to each, and starts over when full.

    All that a step needs is on the device and stays in place, so that a CUDA graph can replay it.
    `compiled`: by Inductor, which merges a layer's dozens of small kernels into a few.
    """

    def __init__(
        self, model: Llama, *, sequences: int, tokens: int, compiled: bool = False
    ) -> None:
        self._step = torch.compile(model.step, dynamic=False) if compiled else model.step
        like = model.norm.weight
        self.cache = KVCache.empty(model.config, sequences=sequences, tokens=tokens, like=like)
        self.tables = model.rotary_tables(tokens, like=like)
        self.tokens = torch.zeros(sequences, 1, dtype=torch.long, device=like.device)
        self.position = torch.zeros(1, dtype=torch.long, device=like.device)

    @torch.inference_mode()
    def logits(self) -> Tensor:
        """Logits (sequences, vocab_size) after the tokens at hand, whose keys and values are kept."""
        cosines, sines = self.tables
        return self._step(
            self.tokens, cache=self.cache, position=self.position, cosines=cosines, sines=sines
        )

    @torch.inference_mode()
    def step(self) -> None:
        """One token more for each sequence: the likeliest."""
        self.tokens.copy_(self.logits().argmax(-1, keepdim=True))
        self.position.add_(1).remainder_(self.cache.keys.shape[3])


def check(model: Llama, *, compiled: bool = False) -> None:
    """Raise WrongLogits unless decoding step by step agrees with reading all tokens at once."""
    like = model.norm.weight
    generator = torch.Generator(like.device).manual_seed(1)
    text = torch.randint(
        model.config.vocab_size, (2, CHECKED_TOKENS), generator=generator, device=like.device
    )
    decoder = Decoder(model, sequences=2, tokens=CHECKED_TOKENS, compiled=compiled)
    for place in range(CHECKED_TOKENS):
        decoder.tokens.copy_(text[:, place : place + 1])
        decoder.position.fill_(place)
        stepped = decoder.logits()
    with torch.inference_mode():
        whole = model(text)[:, -1]
    off = float((stepped - whole).float().square().mean().sqrt() / whole.float().std())
    if not off < TOLERANCE[like.dtype]:  # so that NaN fails too
        raise WrongLogits(f"wrong result: decoding is off by {off:.2g} deviations")


def products(model: Llama, *, sequences: int, device: Device) -> Callable[[], object]:
    """Only the products of one step: every matrix with vectors of its width."""
    like = model.norm.weight
    layers = [module for module in model.modules() if isinstance(module, nn.Linear | PackedLinear)]
    inputs = [
        torch.randn(sequences, 1, _width(layer), dtype=like.dtype, device=like.device)
        for layer in layers
    ]

    @torch.inference_mode()
    def multiply() -> None:
        for layer, vectors in zip(layers, inputs, strict=True):
            layer(vectors)

    return replayed(multiply, device=device)


def _width(layer: nn.Module) -> int:
    matrix = layer.packed if isinstance(layer, PackedLinear) else layer.weight
    return int(cast(Tensor, matrix).shape[1])


def reading(*, buffer_bytes: int, times: int, device: Device) -> Callable[[], object]:
    """Reading a buffer so many times: its sum."""
    buffer = torch.ones(buffer_bytes // 4, device=device.torch_name)

    @torch.inference_mode()
    def read() -> None:
        for _ in range(times):
            buffer.sum()

    return replayed(read, device=device)


def stepper(decoder: Decoder, *, device: Device) -> Callable[[], object]:
    """What to call for one step."""
    return replayed(decoder.step, device=device)
