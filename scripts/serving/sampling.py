"""The engine and its drafts hand it logits and positions of one request; back come the next tokens.

A token is the largest of logit / temperature + noise, with Gumbel noise (Gumbel 1954; Maddison et al.
2014, arXiv:1411.0030, section 2): so it is drawn from the softmax, and with noise that depends on the
request's seed and the token's position alone, the same however steps were scheduled. A draft draws with
the same noise, so a guess is right just when the model itself would have drawn it.
"""

from __future__ import annotations

import torch
from torch import Tensor


def next_tokens(logits: Tensor, *, temperature: float, seed: int, first: int) -> list[int]:
    """The token behind each row of `logits` (tokens, vocab_size); the first has position `first`.

    `temperature` 0 takes the likeliest.
    """
    if temperature > 0:
        noise = torch.stack([_gumbel(logits.shape[1], seed, first + i) for i in range(len(logits))])
        logits = logits.double() / temperature + noise.to(logits.device)
    tokens: list[int] = logits.argmax(dim=-1).tolist()
    return tokens


def _gumbel(size: int, seed: int, position: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed * 1_000_003 + position)
    uniform = torch.rand(size, dtype=torch.float64, generator=generator)
    return -torch.log(-torch.log(uniform.clamp(1e-300, 1 - 1e-16)))
