"""Mistral and Mixtral: grouped-query attention, head_dim apart from hidden_size, experts."""

from snippets.models.model import Model, config_json

mistral_7b = Model(
    name="Mistral 7B v0.1",
    layers=32,
    hidden_size=4096,
    heads=32,
    kv_heads=8,
    head_dim=128,
    intermediate_size=14336,
    vocabulary=32000,
    context=32768,
    window=4096,
    windowed_layers=32,
    sources=config_json("mistralai/Mistral-7B-v0.1"),
)
mistral_nemo_12b = Model(
    name="Mistral Nemo 12B",
    layers=40,
    hidden_size=5120,
    heads=32,
    kv_heads=8,
    head_dim=128,
    intermediate_size=14336,
    vocabulary=131072,
    context=131072,
    sources=config_json("mistralai/Mistral-Nemo-Base-2407"),
)
mistral_small_24b = Model(
    name="Mistral Small 24B",
    layers=40,
    hidden_size=5120,
    heads=32,
    kv_heads=8,
    head_dim=128,
    intermediate_size=32768,
    vocabulary=131072,
    context=32768,
    sources=config_json("mistralai/Mistral-Small-24B-Base-2501"),
)
mistral_large_123b = Model(
    name="Mistral Large 2 123B",
    layers=88,
    hidden_size=12288,
    heads=96,
    kv_heads=8,
    head_dim=128,
    intermediate_size=28672,
    vocabulary=32768,
    context=131072,
    sources=config_json("mistralai/Mistral-Large-Instruct-2407"),
)
mixtral_8x7b = Model(
    name="Mixtral 8x7B",
    layers=32,
    hidden_size=4096,
    heads=32,
    kv_heads=8,
    head_dim=128,
    intermediate_size=14336,
    vocabulary=32000,
    context=32768,
    experts=8,
    experts_per_token=2,
    expert_size=14336,
    sources=config_json("mistralai/Mixtral-8x7B-v0.1"),
)
mixtral_8x22b = Model(
    name="Mixtral 8x22B",
    layers=56,
    hidden_size=6144,
    heads=48,
    kv_heads=8,
    head_dim=128,
    intermediate_size=16384,
    vocabulary=32000,
    context=65536,
    experts=8,
    experts_per_token=2,
    expert_size=16384,
    sources=config_json("mistralai/Mixtral-8x22B-v0.1"),
)
