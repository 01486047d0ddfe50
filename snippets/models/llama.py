"""Llama 1 to 3.3: rotary positions, RMSNorm, gated MLP; grouped-query attention from 2 70B on."""

from snippets.models.model import Model, config_json


def llama(
    *,
    name: str,
    repository: str,
    layers: int,
    hidden_size: int,
    heads: int,
    intermediate_size: int,
    context: int,
    kv_heads: int = 8,
    vocabulary: int = 128256,
    tied_embeddings: bool = False,
) -> Model:
    """A Llama of any generation: what the family has in common is filled in.

    >>> small = llama(
    ...     name="small", repository="me/small", layers=3, hidden_size=70, heads=7,
    ...     intermediate_size=110, context=130)
    >>> small.head_dim, small.kv_heads, small.vocabulary, small.tied_embeddings
    (10, 8, 128256, False)
    >>> small.gated_mlp, small.sources["layers"].title
    (True, 'me/small: config.json')
    """
    return Model(
        name=name,
        layers=layers,
        hidden_size=hidden_size,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=hidden_size // heads,
        intermediate_size=intermediate_size,
        vocabulary=vocabulary,
        context=context,
        tied_embeddings=tied_embeddings,
        sources=config_json(repository),
    )


llama_7b = llama(
    name="Llama 7B",
    repository="huggyllama/llama-7b",
    layers=32,
    hidden_size=4096,
    heads=32,
    intermediate_size=11008,
    context=2048,
    kv_heads=32,
    vocabulary=32000,
)
llama_13b = llama(
    name="Llama 13B",
    repository="huggyllama/llama-13b",
    layers=40,
    hidden_size=5120,
    heads=40,
    intermediate_size=13824,
    context=2048,
    kv_heads=40,
    vocabulary=32000,
)
llama_30b = llama(
    name="Llama 30B",
    repository="huggyllama/llama-30b",
    layers=60,
    hidden_size=6656,
    heads=52,
    intermediate_size=17920,
    context=2048,
    kv_heads=52,
    vocabulary=32000,
)
llama_65b = llama(
    name="Llama 65B",
    repository="huggyllama/llama-65b",
    layers=80,
    hidden_size=8192,
    heads=64,
    intermediate_size=22016,
    context=2048,
    kv_heads=64,
    vocabulary=32000,
)
llama_2_7b = llama(
    name="Llama 2 7B",
    repository="meta-llama/Llama-2-7b-hf",
    layers=32,
    hidden_size=4096,
    heads=32,
    intermediate_size=11008,
    context=4096,
    kv_heads=32,
    vocabulary=32000,
)
llama_2_13b = llama(
    name="Llama 2 13B",
    repository="meta-llama/Llama-2-13b-hf",
    layers=40,
    hidden_size=5120,
    heads=40,
    intermediate_size=13824,
    context=4096,
    kv_heads=40,
    vocabulary=32000,
)
llama_2_70b = llama(
    name="Llama 2 70B",
    repository="meta-llama/Llama-2-70b-hf",
    layers=80,
    hidden_size=8192,
    heads=64,
    intermediate_size=28672,
    context=4096,
    vocabulary=32000,
)
llama_3_8b = llama(
    name="Llama 3 8B",
    repository="meta-llama/Meta-Llama-3-8B",
    layers=32,
    hidden_size=4096,
    heads=32,
    intermediate_size=14336,
    context=8192,
)
llama_3_70b = llama(
    name="Llama 3 70B",
    repository="meta-llama/Meta-Llama-3-70B",
    layers=80,
    hidden_size=8192,
    heads=64,
    intermediate_size=28672,
    context=8192,
)
llama_3_1_8b = llama(
    name="Llama 3.1 8B",
    repository="meta-llama/Llama-3.1-8B",
    layers=32,
    hidden_size=4096,
    heads=32,
    intermediate_size=14336,
    context=131072,
)
llama_3_1_70b = llama(
    name="Llama 3.1 70B",
    repository="meta-llama/Llama-3.1-70B",
    layers=80,
    hidden_size=8192,
    heads=64,
    intermediate_size=28672,
    context=131072,
)
llama_3_1_405b = llama(
    name="Llama 3.1 405B",
    repository="meta-llama/Llama-3.1-405B",
    layers=126,
    hidden_size=16384,
    heads=128,
    intermediate_size=53248,
    context=131072,
)
llama_3_2_1b = llama(
    name="Llama 3.2 1B",
    repository="meta-llama/Llama-3.2-1B",
    layers=16,
    hidden_size=2048,
    heads=32,
    intermediate_size=8192,
    context=131072,
    tied_embeddings=True,
)
llama_3_2_3b = llama(
    name="Llama 3.2 3B",
    repository="meta-llama/Llama-3.2-3B",
    layers=28,
    hidden_size=3072,
    heads=24,
    intermediate_size=8192,
    context=131072,
    tied_embeddings=True,
)
llama_3_3_70b = llama(
    name="Llama 3.3 70B",
    repository="meta-llama/Llama-3.3-70B-Instruct",
    layers=80,
    hidden_size=8192,
    heads=64,
    intermediate_size=28672,
    context=131072,
)
