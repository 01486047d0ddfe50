"""Qwen 2.5 (biased queries, keys and values) and Qwen 3 (normed queries and keys; experts)."""

from snippets.models.model import Model, config_json


def _qwen2_5(
    *,
    size: str,
    layers: int,
    hidden_size: int,
    heads: int,
    kv_heads: int,
    intermediate_size: int,
    vocabulary: int,
    context: int,
    tied_embeddings: bool = False,
) -> Model:
    return Model(
        name=f"Qwen2.5 {size}",
        layers=layers,
        hidden_size=hidden_size,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=hidden_size // heads,
        intermediate_size=intermediate_size,
        vocabulary=vocabulary,
        context=context,
        tied_embeddings=tied_embeddings,
        query_key_value_bias=True,
        sources=config_json(f"Qwen/Qwen2.5-{size}"),
    )


def _qwen3(
    *,
    size: str,
    layers: int,
    hidden_size: int,
    heads: int,
    intermediate_size: int,
    kv_heads: int = 8,
    context: int = 40960,
    tied_embeddings: bool = False,
    experts: int = 0,
    experts_per_token: int = 0,
    expert_size: int = 0,
) -> Model:
    return Model(
        name=f"Qwen3 {size}",
        layers=layers,
        hidden_size=hidden_size,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=128,
        intermediate_size=intermediate_size,
        vocabulary=151936,
        context=context,
        tied_embeddings=tied_embeddings,
        query_key_norm=256,
        experts=experts,
        experts_per_token=experts_per_token,
        expert_size=expert_size,
        sources=config_json(
            f"Qwen/Qwen3-{size}", experts="num_experts", expert_size="moe_intermediate_size"
        ),
    )


qwen2_5_0_5b = _qwen2_5(
    size="0.5B",
    layers=24,
    hidden_size=896,
    heads=14,
    kv_heads=2,
    intermediate_size=4864,
    vocabulary=151936,
    context=32768,
    tied_embeddings=True,
)
qwen2_5_1_5b = _qwen2_5(
    size="1.5B",
    layers=28,
    hidden_size=1536,
    heads=12,
    kv_heads=2,
    intermediate_size=8960,
    vocabulary=151936,
    context=131072,
    tied_embeddings=True,
)
qwen2_5_3b = _qwen2_5(
    size="3B",
    layers=36,
    hidden_size=2048,
    heads=16,
    kv_heads=2,
    intermediate_size=11008,
    vocabulary=151936,
    context=32768,
    tied_embeddings=True,
)
qwen2_5_7b = _qwen2_5(
    size="7B",
    layers=28,
    hidden_size=3584,
    heads=28,
    kv_heads=4,
    intermediate_size=18944,
    vocabulary=152064,
    context=131072,
)
qwen2_5_14b = _qwen2_5(
    size="14B",
    layers=48,
    hidden_size=5120,
    heads=40,
    kv_heads=8,
    intermediate_size=13824,
    vocabulary=152064,
    context=131072,
)
qwen2_5_32b = _qwen2_5(
    size="32B",
    layers=64,
    hidden_size=5120,
    heads=40,
    kv_heads=8,
    intermediate_size=27648,
    vocabulary=152064,
    context=131072,
)
qwen2_5_72b = _qwen2_5(
    size="72B",
    layers=80,
    hidden_size=8192,
    heads=64,
    kv_heads=8,
    intermediate_size=29568,
    vocabulary=152064,
    context=131072,
)
qwen3_0_6b = _qwen3(
    size="0.6B",
    layers=28,
    hidden_size=1024,
    heads=16,
    intermediate_size=3072,
    tied_embeddings=True,
)
qwen3_1_7b = _qwen3(
    size="1.7B",
    layers=28,
    hidden_size=2048,
    heads=16,
    intermediate_size=6144,
    tied_embeddings=True,
)
qwen3_4b = _qwen3(
    size="4B",
    layers=36,
    hidden_size=2560,
    heads=32,
    intermediate_size=9728,
    tied_embeddings=True,
)
qwen3_8b = _qwen3(
    size="8B",
    layers=36,
    hidden_size=4096,
    heads=32,
    intermediate_size=12288,
)
qwen3_14b = _qwen3(
    size="14B",
    layers=40,
    hidden_size=5120,
    heads=40,
    intermediate_size=17408,
)
qwen3_32b = _qwen3(
    size="32B",
    layers=64,
    hidden_size=5120,
    heads=64,
    intermediate_size=25600,
)
qwen3_30b_a3b = _qwen3(
    size="30B-A3B",
    layers=48,
    hidden_size=2048,
    heads=32,
    kv_heads=4,
    intermediate_size=6144,
    experts=128,
    experts_per_token=8,
    expert_size=768,
)
qwen3_235b_a22b = _qwen3(
    size="235B-A22B",
    layers=94,
    hidden_size=4096,
    heads=64,
    kv_heads=4,
    intermediate_size=12288,
    experts=128,
    experts_per_token=8,
    expert_size=1536,
)
