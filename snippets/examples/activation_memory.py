"""Activations of 32 layers of width 4096 over one sequence of 4096 tokens, three ways."""

from snippets.training_memory import (
    layer_activation_bytes,
    materialised_activation_bytes,
    recomputed_activation_bytes,
)

layers, heads = 32, 32
shape = {"tokens": 4096, "sequences": 1, "width": 4096}

scores_stored = layers * materialised_activation_bytes(**shape, heads=heads)
linear = layers * layer_activation_bytes(**shape)
recomputed = recomputed_activation_bytes(**shape, layers=layers)

print(f"scores stored:           {scores_stored / 2**30:.1f} GiB")
print(f"linear-memory attention: {linear / 2**30:.1f} GiB")
print(f"recomputed:              {recomputed / 2**30:.1f} GiB, and a layer's working set")
