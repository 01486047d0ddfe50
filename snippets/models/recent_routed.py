"""Decoders with experts since 2024: AFMoE, EXAONE, Hunyuan 3, MiniMax-M3, Laguna, LongCat and others."""

from dataclasses import replace

from snippets.models.blocks import Block, experts, matrix, mlp, vector
from snippets.models.configuration import (
    Configuration,
    each_layer,
    flag,
    section,
    value,
    whole,
    whole_or_zero,
)
from snippets.models.decoder import (
    FULL,
    SLIDING,
    Decoder,
    Shape,
    compose,
    every,
    layer_types,
    shape,
    tied,
    windowed,
    windows,
)
from snippets.models.deepseek import latent
from snippets.models.dense import flag_is_whole
from snippets.models.routed import first_layers, granitemoe, grouped, olmoe, routed

SPARSE = "minimax_m3_sparse"


def biased(config: Configuration, found: Shape, *, gate: int = 0, normed: bool = True) -> Block:
    """Attention with norms of a head's queries and keys; biases in all of it or nowhere."""
    bias = flag(config, "attention_bias")
    return grouped(config, found, biased=bias, output_biased=bias, normed=normed, gate=gate)


def shared_experts(config: Configuration, found: Shape) -> Block:
    """Experts with a correction of each one's score, and shared ones of the same width."""
    count = whole(config, "num_experts")
    width = whole(config, "moe_intermediate_size", "expert_hidden_dim")
    return experts(
        found.hidden,
        count,
        whole(config, "num_experts_per_tok"),
        width,
        router_vectors=count,
        shared=whole_or_zero(config, "num_shared_experts") * width,
    )


def afmoe(config: Configuration) -> Decoder:
    """Trinity: gated attention, windows in three of four layers, norms after attention and MLP too."""
    found = shape(config)
    block = biased(config, found, gate=found.heads * found.head_dim)
    step = whole(config, "global_attn_every_n_layers", default=4)
    window, types = windows(config, found.layers, step=step)
    dense = whole_or_zero(config, "num_dense_layers")
    return routed(
        config,
        found,
        windowed(block, window),
        types,
        shared_experts(config, found),
        dense=[i < dense for i in range(found.layers)],
        norms=4,
    )


def exaone_moe(config: Configuration) -> Decoder:
    """K-EXAONE: EXAONE 4's attention, and experts after the first layers."""
    found = shape(config)
    step = whole(config, "sliding_window_pattern", default=4) if flag_is_whole(config) else 4
    window, types = windows(config, found.layers, step=step)
    return routed(
        config,
        found,
        windowed(grouped(config, found, normed=True), window),
        types,
        shared_experts(config, found),
        dense=first_layers(config, found, "first_k_dense_replace"),
    )


def hy_v3(config: Configuration) -> Decoder:
    """Hunyuan 3: norms of queries and keys; one dense layer, where the file does not say which."""
    found = shape(config)
    if flag(config, "mlp_bias"):
        raise ValueError("mlp_bias: biases of Hunyuan 3's experts are not known here")
    kinds = each_layer(config, found.layers, "mlp_layer_types")
    first = whole(config, "first_k_dense_replace", default=1)
    dense = [kinds[i] == "dense" if kinds else i < first for i in range(found.layers)]
    block = biased(config, found)
    return routed(
        config,
        found,
        {FULL: block},
        [FULL] * found.layers,
        shared_experts(config, found),
        dense=dense,
    )


def laguna(config: Configuration) -> Decoder:
    """A gate for each head, or for each of its elements; layers may differ in their heads."""
    base = shape(config)
    window = whole_or_zero(config, "sliding_window")
    types = layer_types(config, base.layers, [FULL] * base.layers)
    heads = each_layer(config, base.layers, "num_attention_heads_per_layer")
    heads = heads or [base.heads] * base.layers
    gating = value(config, "gating")
    each = 1 if gating in (None, True, "per-head") else base.head_dim
    mixers = {}
    for count in heads:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ValueError(f"num_attention_heads_per_layer must be whole numbers, not {count!r}")
        block = biased(config, replace(base, heads=count), gate=count * each)
        for kind, made in windowed(block, window).items():
            mixers[f"{kind} {count}"] = made
    kinds = each_layer(config, base.layers, "mlp_layer_types")
    count = whole(config, "num_experts")
    sparse = experts(
        base.hidden,
        count,
        whole(config, "num_experts_per_tok"),
        whole(config, "moe_intermediate_size"),
        router_vectors=count,
        shared=whole_or_zero(config, "shared_expert_intermediate_size"),
    )
    return routed(
        config,
        base,
        mixers,
        [f"{types[i]} {heads[i]}" for i in range(base.layers)],
        sparse,
        dense=[kinds[i] == "dense" if kinds else i == 0 for i in range(base.layers)],
    )


def mellum(config: Configuration) -> Decoder:
    """Qwen 3's experts, and windows where the file names them."""
    found = shape(config)
    window = whole_or_zero(config, "sliding_window")
    types = layer_types(config, found.layers, [FULL] * found.layers)
    kinds = each_layer(config, found.layers, "mlp_layer_types") or ["sparse"] * found.layers
    sparse = experts(
        found.hidden,
        whole(config, "num_local_experts", "num_experts"),
        whole(config, "num_experts_per_tok"),
        whole(config, "moe_intermediate_size"),
    )
    dense = [each == "dense" for each in kinds]
    mixers = windowed(biased(config, found), window)
    return routed(config, found, mixers, types, sparse, dense=dense)


def flex_olmo(config: Configuration) -> Decoder:
    """OLMoE with its norms after attention and experts."""
    made = olmoe(config)
    kinds = {name: replace(kind, normed=0) for name, kind in made.kinds.items()}
    return replace(made, kinds=kinds)


def granitemoe_swa(config: Configuration) -> Decoder:
    """Granite's experts with a sink for each head; three of four layers have a window."""
    made = granitemoe(config)
    found = made.shape
    window, _ = windows(config, found.layers)
    rule = [SLIDING if i % 4 else FULL for i in range(found.layers)]
    types = layer_types(config, found.layers, rule if window else [FULL] * found.layers)
    plain = made.kinds[made.order[0]]
    sinks = vector("sinks", "attention", found.heads, pieces=0)
    full = replace(plain, tensors=[*plain.tensors, sinks])
    kinds = {FULL: full, SLIDING: replace(full, window=window)}
    return replace(made, kinds={each: kinds[each] for each in kinds if each in types}, order=types)


def cohere2_moe(config: Configuration) -> Decoder:
    """Command A's layers with experts, after one norm; dense layers may have another width."""
    found = shape(config)
    first = whole_or_zero(config, "first_k_dense_replace")
    step = whole(config, "sliding_window_pattern", "_sliding_window_pattern", default=4)
    before = whole(config, "prefix_dense_sliding_window_pattern", default=1)
    rule = every(first, before) + every(found.layers - first, step)
    window = whole_or_zero(config, "sliding_window")
    kinds = each_layer(config, found.layers, "mlp_layer_types")
    sparse = experts(
        found.hidden,
        whole(config, "num_experts"),
        whole(config, "num_experts_per_tok"),
        found.width,
        shared=whole_or_zero(config, "num_shared_experts") * found.width,
    )
    width = whole(config, "prefix_dense_intermediate_size", default=found.width)
    return routed(
        config,
        replace(found, width=width),
        windowed(biased(config, found, normed=False), window),
        layer_types(config, found.layers, rule),
        sparse,
        dense=[kinds[i] == "dense" if kinds else i < first for i in range(found.layers)],
        norms=1,
    )


def minimax_m3(config: Configuration) -> Decoder:
    """Shared experts, and in most layers an indexer that picks blocks of tokens to attend to."""
    found = replace(shape(config), width=whole(config, "dense_intermediate_size"))
    inner = Configuration("sparse_attention_config", section(config, "sparse_attention_config"), {})
    heads = whole(config, "index_n_heads") if "index_n_heads" in config.given else 0
    heads = heads or whole(inner, "sparse_num_index_heads", default=4)
    size = whole(inner, "sparse_index_dim", default=whole(config, "index_head_dim"))
    block = whole(inner, "sparse_block_size", default=whole(config, "index_block_size"))
    value(config, "index_local_blocks")  # among those picked
    blocks = whole(inner, "sparse_topk_blocks", default=whole(config, "index_topk_blocks"))
    frequency = each_layer(inner, found.layers, "sparse_attention_freq") or [0] * found.layers
    rule = [SPARSE if each else FULL for each in frequency]
    full = grouped(config, found, normed=True)
    indexer = matrix("index_query", "attention", found.hidden, heads * size, pieces=1)
    indexer += matrix("index_key", "attention", found.hidden, size, pieces=1)
    indexer += [vector("index_norm", "attention", size, count=2)]
    sparse = replace(
        full,
        tensors=full.tensors + indexer,
        cache=full.cache + size,
        attends=blocks * block,
        choosing=heads * size,
    )
    count = whole(config, "num_local_experts", "num_experts")
    width = whole(config, "intermediate_size")
    shared = whole(config, "shared_intermediate_size")
    shared *= whole(config, "n_shared_experts", default=1)
    kinds = each_layer(config, found.layers, "mlp_layer_types")
    routed_layers = each_layer(config, found.layers, "moe_layer_freq") or [1] * found.layers
    for key in ("attention_output_gate", "use_qk_norm", "qk_norm_type", "use_routing_bias"):
        value(config, key)
    if flag(config, "attention_output_gate"):
        raise ValueError("attention_output_gate: MiniMax-M3 with it is not known here")
    return routed(
        config,
        found,
        {FULL: full, SPARSE: sparse},
        layer_types(config, found.layers, rule),
        experts(
            found.hidden,
            count,
            whole(config, "num_experts_per_tok"),
            width,
            router_vectors=count,
            shared=shared,
        ),
        dense=[kinds[i] == "dense" if kinds else not routed_layers[i] for i in range(found.layers)],
    )


def aria(config: Configuration) -> Decoder:
    """Experts as wide as an MLP, and shared ones."""
    found = shape(config)
    if flag(config, "mlp_bias"):
        raise ValueError("mlp_bias: biases of Aria's shared experts are not known here")
    sparse = experts(
        found.hidden,
        whole(config, "moe_num_experts"),
        whole(config, "moe_topk"),
        found.width,
        shared=whole_or_zero(config, "moe_num_shared_experts") * found.width,
    )
    block = biased(config, found, normed=False)
    return routed(config, found, {FULL: block}, [FULL] * found.layers, sparse)


def longcat_flash(config: Configuration) -> Decoder:
    """Two latent attentions and MLPs in each layer, and experts beside them, some of which do nothing.

    A token is sent to `moe_topk` of all; those that do nothing are counted as if they were used.
    """
    found = shape(config, "qk_nope_head_dim")
    one = latent(config, found)
    both = replace(
        one,
        tensors=one.tensors + one.tensors,
        cache=2 * one.cache,
        scores=2 * one.scores,
        kept=2 * one.kept,
    )
    count = whole(config, "n_routed_experts")
    idle = whole_or_zero(config, "zero_expert_num")
    sparse = experts(
        found.hidden, count, whole(config, "moe_topk"), whole(config, "expert_ffn_hidden_size")
    )
    rest = [each for each in sparse.tensors if each.part != "router"]
    rest += matrix("router", "router", found.hidden, count + idle, pieces=1)
    rest += [vector("router", "router", count + idle)]
    dense = mlp(found.hidden, found.width)
    inner = replace(
        dense,
        tensors=dense.tensors + dense.tensors + rest,
        kept=2 * dense.kept + sparse.kept,
        widest=max(dense.widest, sparse.widest),
    )
    composed = compose(
        found.hidden,
        {FULL: both},
        {"experts": inner},
        [FULL] * found.layers,
        ["experts"] * found.layers,
        norms=4,
        normed=4,
    )
    return Decoder(shape=found, kinds=composed["kinds"], order=composed["order"], tied=tied(config))
