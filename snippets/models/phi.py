"""Phi: from LayerNorm with every bias (1.5 and 2) to Llama's architecture (3 and 4)."""

from snippets.models.model import Model, config_json


def _phi(*, name: str, repository: str, layers: int, hidden_size: int) -> Model:
    """Attention and MLP side by side after one norm; the output head has a bias."""
    return Model(
        name=name,
        layers=layers,
        hidden_size=hidden_size,
        heads=32,
        kv_heads=32,
        head_dim=hidden_size // 32,
        intermediate_size=4 * hidden_size,
        vocabulary=51200,
        context=2048,
        gated_mlp=False,
        query_key_value_bias=True,
        output_bias=True,
        mlp_bias=True,
        head_bias=True,
        norm_bias=True,
        norms_per_layer=1,
        sources=config_json(repository),
    )


phi_1_5 = _phi(name="Phi 1.5", repository="microsoft/phi-1_5", layers=24, hidden_size=2048)
phi_2 = _phi(name="Phi 2", repository="microsoft/phi-2", layers=32, hidden_size=2560)
phi_3_mini = Model(
    name="Phi 3 mini 4K",
    layers=32,
    hidden_size=3072,
    heads=32,
    kv_heads=32,
    head_dim=96,
    intermediate_size=8192,
    vocabulary=32064,
    context=4096,
    window=2047,
    windowed_layers=32,
    sources=config_json("microsoft/Phi-3-mini-4k-instruct"),
)
phi_3_medium = Model(
    name="Phi 3 medium 4K",
    layers=40,
    hidden_size=5120,
    heads=40,
    kv_heads=10,
    head_dim=128,
    intermediate_size=17920,
    vocabulary=32064,
    context=4096,
    window=2047,
    windowed_layers=40,
    sources=config_json("microsoft/Phi-3-medium-4k-instruct"),
)
phi_4 = Model(
    name="Phi 4 14B",
    layers=40,
    hidden_size=5120,
    heads=40,
    kv_heads=10,
    head_dim=128,
    intermediate_size=17920,
    vocabulary=100352,
    context=16384,
    sources=config_json("microsoft/phi-4"),
)
phi_4_mini = Model(
    name="Phi 4 mini",
    layers=32,
    hidden_size=3072,
    heads=24,
    kv_heads=8,
    head_dim=128,
    intermediate_size=8192,
    vocabulary=200064,
    context=131072,
    tied_embeddings=True,
    sources=config_json("microsoft/Phi-4-mini-instruct"),
)
