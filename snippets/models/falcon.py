"""Falcon 7B: multi-query attention (one key-value head), attention and MLP side by side."""

from snippets.models.model import Model, config_json

falcon_7b = Model(
    name="Falcon 7B",
    layers=32,
    hidden_size=4544,
    heads=71,
    kv_heads=1,
    head_dim=64,
    intermediate_size=18176,
    vocabulary=65024,
    context=2048,
    gated_mlp=False,
    tied_embeddings=True,
    norm_bias=True,
    norms_per_layer=1,
    sources=config_json(
        "tiiuae/falcon-7b",
        kv_heads="multi_query",
        intermediate_size="4 hidden_size in the model class",
        context="model card: sequence length",
    ),
)
