"""A transformer as its published configuration describes it."""

from dataclasses import dataclass

from snippets.sources import Source


@dataclass(frozen=True, kw_only=True)
class Model:
    """What decides a decoder's parameters, its cache and its work.

    Zero means "none of these". Widths and counts are in elements. `windowed_layers` keep only the
    last `window` tokens. With experts, the first `dense_layers` have one MLP of `intermediate_size`;
    the others have `experts` MLPs of `expert_size`, of which a token uses `experts_per_token`, and a
    shared one of `shared_expert_size`. With latent attention (`latent_size`), `head_dim` is the part
    of a query or key without rotary positions and `rotary_dim` the part with.

    >>> plain = Model(
    ...     name="plain",
    ...     layers=3,
    ...     hidden_size=10,
    ...     heads=5,
    ...     kv_heads=5,
    ...     head_dim=2,
    ...     intermediate_size=40,
    ...     vocabulary=7,
    ...     context=11,
    ...     sources={},
    ... )
    >>> [name for name, value in vars(plain).items() if value is True]
    ['gated_mlp']
    >>> {name: value for name, value in vars(plain).items() if value in (2, 16) and name[-1] != "m"}
    {'norms_per_layer': 2, 'stored_bits': 16, 'stored_expert_bits': 16}
    >>> sum(value == 0 for value in vars(plain).values())
    21
    """

    name: str
    layers: int
    hidden_size: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate_size: int
    vocabulary: int
    context: int
    gated_mlp: bool = True
    tied_embeddings: bool = False
    query_key_value_bias: bool = False
    output_bias: bool = False
    mlp_bias: bool = False
    head_bias: bool = False
    router_bias: bool = False
    norm_bias: bool = False
    norms_per_layer: int = 2
    query_key_norm: int = 0
    attention_sinks: bool = False
    learned_positions: int = 0
    window: int = 0
    windowed_layers: int = 0
    experts: int = 0
    experts_per_token: int = 0
    expert_size: int = 0
    shared_expert_size: int = 0
    dense_layers: int = 0
    latent_size: int = 0
    query_latent_size: int = 0
    rotary_dim: int = 0
    value_dim: int = 0
    stored_bits: float = 16
    stored_expert_bits: float = 16
    sources: dict[str, Source]


READ_IN_CODE = {
    "gated_mlp": "model class: matrices of the MLP",
    "query_key_value_bias": "model class: biases of the attention's inputs",
    "output_bias": "model class: bias of the attention's output",
    "mlp_bias": "model class: biases of the MLP",
    "head_bias": "model class: bias of the output head",
    "router_bias": "model class: bias of each expert's score",
    "norm_bias": "model class: LayerNorm has a bias, RMSNorm has none",
    "norms_per_layer": "model class: norms of a layer",
    "query_key_norm": "model class: norms of queries and keys",
    "attention_sinks": "model class: one learned logit per head",
    "windowed_layers": "layer_types, or the model class's rule for them",
}
KEYS = {
    "layers": "num_hidden_layers",
    "hidden_size": "hidden_size",
    "heads": "num_attention_heads",
    "kv_heads": "num_key_value_heads; the heads where it is absent",
    "head_dim": "head_dim; hidden_size / num_attention_heads where it is absent",
    "intermediate_size": "intermediate_size",
    "vocabulary": "vocab_size",
    "context": "max_position_embeddings",
    "tied_embeddings": "tie_word_embeddings",
    "learned_positions": "max_position_embeddings; none with rotary positions",
    "window": "sliding_window",
    "experts": "num_local_experts",
    "experts_per_token": "num_experts_per_tok",
    "expert_size": "intermediate_size",
    "shared_expert_size": "no shared expert in the model class",
    "dense_layers": "no dense layers in the model class",
    "latent_size": "kv_lora_rank",
    "query_latent_size": "q_lora_rank",
    "rotary_dim": "qk_rope_head_dim",
    "value_dim": "v_head_dim",
    "stored_bits": "torch_dtype",
    "stored_expert_bits": "torch_dtype",
} | READ_IN_CODE


def config_json(repository: str, **keys: str) -> dict[str, Source]:
    """Field to its place in a repository's config.json; `keys` where a family names it otherwise.

    >>> read = config_json("openai-community/gpt2", layers="n_layer")
    >>> read["layers"].section, read["heads"].section
    ('n_layer', 'num_attention_heads')
    >>> read["layers"].title, read["layers"].url
    ('openai-community/gpt2: config.json', \
'https://huggingface.co/openai-community/gpt2/blob/main/config.json')
    """
    return {
        field: Source(
            f"{repository}: config.json",
            key,
            f"https://huggingface.co/{repository}/blob/main/config.json",
            "",
        )
        for field, key in (KEYS | keys).items()
    }
