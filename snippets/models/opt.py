"""OPT: learned positions (with two rows of padding), LayerNorm, biases, tied embeddings."""

from snippets.models.model import Model, config_json


def _opt(*, size: str, layers: int, hidden_size: int, heads: int) -> Model:
    return Model(
        name=f"OPT {size}",
        layers=layers,
        hidden_size=hidden_size,
        heads=heads,
        kv_heads=heads,
        head_dim=hidden_size // heads,
        intermediate_size=4 * hidden_size,
        vocabulary=50272,
        context=2048,
        gated_mlp=False,
        tied_embeddings=True,
        query_key_value_bias=True,
        output_bias=True,
        mlp_bias=True,
        norm_bias=True,
        learned_positions=2050,
        sources=config_json(
            f"facebook/opt-{size.lower()}",
            intermediate_size="ffn_dim",
            learned_positions="max_position_embeddings, and an offset of 2 in the model class",
        ),
    )


opt_125m = _opt(size="125M", layers=12, hidden_size=768, heads=12)
opt_1_3b = _opt(size="1.3B", layers=24, hidden_size=2048, heads=32)
opt_2_7b = _opt(size="2.7B", layers=32, hidden_size=2560, heads=32)
opt_6_7b = _opt(size="6.7B", layers=32, hidden_size=4096, heads=32)
opt_13b = _opt(size="13B", layers=40, hidden_size=5120, heads=40)
opt_30b = _opt(size="30B", layers=48, hidden_size=7168, heads=56)
opt_66b = _opt(size="66B", layers=64, hidden_size=9216, heads=72)
