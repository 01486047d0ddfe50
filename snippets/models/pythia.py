"""Pythia (GPT-NeoX): rotary positions, LayerNorm, biases, plain MLP, untied embeddings."""

from snippets.models.model import Model, config_json


def _pythia(
    *, size: str, layers: int, hidden_size: int, heads: int, vocabulary: int = 50304
) -> Model:
    return Model(
        name=f"Pythia {size}",
        layers=layers,
        hidden_size=hidden_size,
        heads=heads,
        kv_heads=heads,
        head_dim=hidden_size // heads,
        intermediate_size=4 * hidden_size,
        vocabulary=vocabulary,
        context=2048,
        gated_mlp=False,
        query_key_value_bias=True,
        output_bias=True,
        mlp_bias=True,
        norm_bias=True,
        sources=config_json(f"EleutherAI/pythia-{size.lower()}"),
    )


pythia_70m = _pythia(size="70M", layers=6, hidden_size=512, heads=8)
pythia_160m = _pythia(size="160M", layers=12, hidden_size=768, heads=12)
pythia_410m = _pythia(size="410M", layers=24, hidden_size=1024, heads=16)
pythia_1b = _pythia(size="1B", layers=16, hidden_size=2048, heads=8)
pythia_1_4b = _pythia(size="1.4B", layers=24, hidden_size=2048, heads=16)
pythia_2_8b = _pythia(size="2.8B", layers=32, hidden_size=2560, heads=32)
pythia_6_9b = _pythia(size="6.9B", layers=32, hidden_size=4096, heads=32, vocabulary=50432)
pythia_12b = _pythia(size="12B", layers=36, hidden_size=5120, heads=40, vocabulary=50688)
