"""Attention twice, with every load and store counted, and held against plain NumPy."""

import numpy as np

from snippets.counted_kernels import CountedMemory, attention, tiled_attention
from snippets.tiles import attention_elements

tokens, head_dim = 256, 64
queries, keys, values = np.random.default_rng(7).standard_normal((3, tokens, head_dim))
scores = np.exp(queries @ keys.T / np.sqrt(head_dim))
expected = scores @ values / scores.sum(axis=1, keepdims=True)

for name, block in (("scores in memory", 0), ("blocks of 64", 64), ("blocks of 128", 128)):
    memory = CountedMemory()
    if block:
        found = tiled_attention(queries, keys, values, memory, block=block)
    else:
        found = attention(queries, keys, values, memory)
    counted = memory.loaded + memory.stored
    formula = attention_elements(tokens=tokens, head_dim=head_dim, block=block)
    print(f"{name}: {counted} counted, {formula} by formula, same: {np.allclose(found, expected)}")
