"""The sweep and the training hand it a causal model and a text as tokens; back comes the loss in nats
per token over windows that do not overlap.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from scripts.core.faults import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from scripts.models.checkpoints import CausalModel

# Logits of one forward pass: 64 Mi numbers, 256 MiB in FP32.
LOGITS_AT_ONCE = 2**26


def windows_in(tokens: Tensor, *, context: int) -> int:
    """How many whole windows a text of so many tokens has; each predicts `context` tokens.

    The last token of a window is predicted's next one, so the text needs one token more.
    Raises BadInput when there is not even one window.
    """
    count = (len(tokens) - 1) // context
    if count < 1:
        raise BadInput(
            "the text",
            0,
            f"has {len(tokens)} tokens, fewer than the {context + 1} of one window",
            "give a longer text",
        )
    return count


def nats_per_token(
    model: CausalModel,
    tokens: Tensor,
    *,
    context: int,
    windows: range,
    total: Callable[[float], float] = lambda nats: nats,
    count: int | None = None,
) -> float:
    """Mean cross-entropy, in nats, over the tokens that `windows` predict.

    Where several processes share a text, each gives its own `windows`, the `count` of them all, and
    a `total` that adds up what all have summed.
    """
    summed = total(_summed_nats(model, tokens, context=context, windows=windows))
    if not math.isfinite(summed):
        raise BadInput(
            "the model",
            0,
            "its loss is infinite or not a number",
            "compute in BF16 or FP32: activations may leave the range of FP16; or check the weights",
        )
    return summed / ((count or len(windows)) * context)


@torch.inference_mode()
def _summed_nats(model: CausalModel, tokens: Tensor, *, context: int, windows: range) -> float:
    vocabulary = model.config.vocab_size
    together = max(1, LOGITS_AT_ONCE // (context * vocabulary))
    summed = 0.0
    for first in range(0, len(windows), together):
        starts = [window * context for window in windows[first : first + together]]
        inputs = torch.stack([tokens[start : start + context] for start in starts])
        targets = torch.stack([tokens[start + 1 : start + context + 1] for start in starts])
        # One window at a time in FP32: 16-bit logits would round the loss itself.
        for logits, target in zip(model(inputs), targets, strict=True):
            losses = F.cross_entropy(logits.float(), target, reduction="none")
            summed += float(losses.double().sum())
    return summed
