"""GPT-2: learned positions, LayerNorm, biases everywhere, plain MLP, tied embeddings."""

from snippets.models.model import Model, config_json


def _gpt2(*, name: str, repository: str, layers: int, hidden_size: int, heads: int) -> Model:
    return Model(
        name=name,
        layers=layers,
        hidden_size=hidden_size,
        heads=heads,
        kv_heads=heads,
        head_dim=64,
        intermediate_size=4 * hidden_size,
        vocabulary=50257,
        context=1024,
        gated_mlp=False,
        tied_embeddings=True,
        query_key_value_bias=True,
        output_bias=True,
        mlp_bias=True,
        norm_bias=True,
        learned_positions=1024,
        stored_bits=32,
        stored_expert_bits=32,
        sources=config_json(
            repository,
            layers="n_layer",
            hidden_size="n_embd",
            heads="n_head",
            kv_heads="n_head",
            head_dim="n_embd / n_head",
            intermediate_size="4 n_embd (n_inner is absent)",
            context="n_positions",
            learned_positions="n_positions",
        ),
    )


gpt2_small = _gpt2(
    name="GPT-2", repository="openai-community/gpt2", layers=12, hidden_size=768, heads=12
)
gpt2_medium = _gpt2(
    name="GPT-2 medium",
    repository="openai-community/gpt2-medium",
    layers=24,
    hidden_size=1024,
    heads=16,
)
gpt2_large = _gpt2(
    name="GPT-2 large",
    repository="openai-community/gpt2-large",
    layers=36,
    hidden_size=1280,
    heads=20,
)
gpt2_xl = _gpt2(
    name="GPT-2 XL", repository="openai-community/gpt2-xl", layers=48, hidden_size=1600, heads=25
)
