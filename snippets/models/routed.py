"""Decoders with experts: Mixtral, Qwen, DeepSeek and its descendants, gpt-oss."""

from dataclasses import replace

from snippets.models.blocks import Block, attention, experts, latent_attention, matrix, mlp, vector
from snippets.models.configuration import (
    Configuration,
    each_layer,
    flag,
    given,
    listed,
    section,
    value,
    whole,
    whole_or_zero,
)
from snippets.models.decoder import (
    CHUNKED,
    FULL,
    SLIDING,
    Decoder,
    Shape,
    compose,
    divided,
    layer_types,
    shape,
    tied,
    windowed,
    windows,
)
from snippets.models.dense import later_windows
from snippets.models.model import Layer, Tensor


def routed(
    config: Configuration,
    found: Shape,
    mixers: dict[str, Block],
    mixer_order: list[str],
    sparse: Block,
    *,
    dense: list[bool] | None = None,
    norms: int = 2,
    norm_bias: bool = False,
) -> Decoder:
    """A decoder with experts in all layers but the `dense` ones."""
    order = ["experts" if not dense or not dense[i] else "mlp" for i in range(found.layers)]
    composed = compose(
        found.hidden,
        mixers,
        {"mlp": mlp(found.hidden, found.width), "experts": sparse},
        mixer_order,
        order,
        norms=norms,
        bias=norm_bias,
    )
    return Decoder(
        shape=found,
        kinds=composed["kinds"],
        order=composed["order"],
        tied=tied(config),
        norm_bias=norm_bias,
    )


def first_layers(config: Configuration, found: Shape, *keys: str) -> list[bool]:
    """Whether each layer is one of the first, dense ones."""
    dense = whole_or_zero(config, *keys)
    if dense > found.layers:
        raise ValueError(f"{dense} dense layers are more than all {found.layers}")
    return [i < dense for i in range(found.layers)]


def mixtral(config: Configuration) -> Decoder:
    found = shape(config)
    window, types = windows(config, found.layers)
    block = attention(found.hidden, found.heads, found.kv_heads, found.head_dim)
    sparse = experts(
        found.hidden,
        whole(config, "num_local_experts", "num_experts"),
        whole(config, "num_experts_per_tok"),
        found.width,
    )
    return routed(config, found, windowed(block, window), types, sparse)


def qwen3_moe(config: Configuration) -> Decoder:
    """Norms of queries and keys; experts in each `decoder_sparse_step`-th layer."""
    found = shape(config)
    window, types = later_windows(config, found.layers)
    bias = flag(config, "attention_bias")
    block = attention(
        found.hidden,
        found.heads,
        found.kv_heads,
        found.head_dim,
        bias=bias,
        output_bias=bias,
        query_norm=found.head_dim,
        key_norm=found.head_dim,
    )
    sparse = experts(
        found.hidden,
        whole(config, "num_experts", "num_local_experts"),
        whole(config, "num_experts_per_tok"),
        whole(config, "moe_intermediate_size"),
    )
    return routed(
        config, found, windowed(block, window), types, sparse, dense=stepped(config, found.layers)
    )


def stepped(config: Configuration, layers: int) -> list[bool]:
    """Whether each layer is dense: listed as such, or not each `decoder_sparse_step`-th."""
    step = whole(config, "decoder_sparse_step", default=1)
    named = listed(config, "mlp_only_layers")
    return [i in named or (i + 1) % step != 0 for i in range(layers)]


def gpt_oss(config: Configuration) -> Decoder:
    """Every other layer has a window; biases everywhere, and a sink for each head."""
    found = shape(config)
    window, types = windows(config, found.layers, step=2)
    bias = flag(config, "attention_bias", default=True)
    block = attention(
        found.hidden,
        found.heads,
        found.kv_heads,
        found.head_dim,
        bias=bias,
        output_bias=bias,
        vectors=1,
    )
    sparse = experts(
        found.hidden,
        whole(config, "num_local_experts", "num_experts"),
        whole(config, "num_experts_per_tok", "experts_per_token"),
        found.width,
        bias=True,
        router_bias=True,
    )
    return routed(config, found, windowed(block, window), types, sparse)


def deepseek(config: Configuration) -> Decoder:
    """Latent attention, many experts, shared ones, dense first layers."""
    made = deepseek_v3(config)
    return replace(
        made,
        kinds={name: without_corrections(kind) for name, kind in made.kinds.items()},
    )


def without_corrections(layer: Layer) -> Layer:
    """A layer whose router has its matrix alone."""
    return replace(
        layer, tensors=[each for each in layer.tensors if each.part != "router" or each.inputs]
    )


def deepseek_v3(config: Configuration) -> Decoder:
    """DeepSeek-V3 adds a learned correction to each expert's score."""
    base = shape(config)
    found = replace(base, head_dim=whole(config, "qk_nope_head_dim"))
    dense = first_layers(config, found, "first_k_dense_replace")
    return everywhere(config, found, latent(config, found), corrected(config, found), dense=dense)


def grouped(
    config: Configuration,
    found: Shape,
    *,
    biased: bool = False,
    output_biased: bool = False,
    normed: bool = False,
    wide_norms: bool = False,
    gate: int = 0,
) -> Block:
    """Attention of grouped queries; norms of a head's queries and keys, or (wide) of all of them."""
    query, key = found.head_dim, found.head_dim
    if wide_norms:
        query, key = found.heads * found.head_dim, found.kv_heads * found.head_dim
    return attention(
        found.hidden,
        found.heads,
        found.kv_heads,
        found.head_dim,
        bias=biased,
        output_bias=output_biased,
        query_norm=query if normed else 0,
        key_norm=key if normed else 0,
        gate=gate,
    )


def everywhere(
    config: Configuration,
    found: Shape,
    block: Block,
    sparse: Block,
    dense: list[bool] | None = None,
) -> Decoder:
    """The same attention in all layers."""
    return routed(config, found, {FULL: block}, [FULL] * found.layers, sparse, dense=dense)


def olmoe(config: Configuration) -> Decoder:
    """Norms of all queries and all keys."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    block = grouped(config, found, biased=bias, output_biased=bias, normed=True, wide_norms=True)
    count, used = whole(config, "num_experts"), whole(config, "num_experts_per_tok")
    return everywhere(config, found, block, experts(found.hidden, count, used, found.width))


def granitemoe(config: Configuration) -> Decoder:
    """Experts in every layer, and perhaps a shared one."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    block = grouped(config, found, biased=bias, output_biased=bias)
    sparse = experts(
        found.hidden,
        whole(config, "num_local_experts"),
        whole(config, "num_experts_per_tok"),
        found.width,
        shared=whole_or_zero(config, "shared_intermediate_size"),
    )
    return everywhere(config, found, block, sparse)


def qwen2_moe(config: Configuration) -> Decoder:
    """A shared expert with a gate; biases of queries, keys and values."""
    found = shape(config)
    window, types = later_windows(config, found.layers)
    block = grouped(config, found, biased=flag(config, "qkv_bias", default=True))
    sparse = experts(
        found.hidden,
        whole(config, "num_experts"),
        whole(config, "num_experts_per_tok"),
        whole(config, "moe_intermediate_size"),
        shared=whole(config, "shared_expert_intermediate_size"),
        shared_gate=True,
    )
    dense = stepped(config, found.layers)
    return routed(config, found, windowed(block, window), types, sparse, dense=dense)


def glm4_moe(config: Configuration) -> Decoder:
    """DeepSeek's experts under attention of grouped queries; dots1 too."""
    found = shape(config)
    block = grouped(
        config,
        found,
        biased=flag(config, "attention_bias"),
        normed=flag(config, "use_qk_norm", default=config.kind == "dots1"),
    )
    dense = first_layers(config, found, "first_k_dense_replace")
    return everywhere(config, found, block, corrected(config, found), dense=dense)


def corrected(config: Configuration, found: Shape) -> Block:
    """DeepSeek's experts: shared ones, and a learned correction to each expert's score."""
    count = whole(config, "n_routed_experts", "num_local_experts", "num_experts")
    width = whole(config, "moe_intermediate_size")
    return experts(
        found.hidden,
        count,
        whole(config, "num_experts_per_tok"),
        width,
        router_vectors=count,
        shared=whole_or_zero(config, "n_shared_experts") * width,
    )


def ernie4_5_moe(config: Configuration) -> Decoder:
    found = shape(config)
    bias = flag(config, "use_bias")
    block = grouped(config, found, biased=bias, output_biased=bias)
    count = whole(config, "moe_num_experts")
    width = whole(config, "moe_intermediate_size")
    sparse = experts(
        found.hidden,
        count,
        whole(config, "moe_k"),
        width,
        bias=bias,
        router_vectors=count,
        shared=whole_or_zero(config, "moe_num_shared_experts") * width,
    )
    first = whole_or_zero(config, "moe_layer_start_index")
    last = found.layers - 1
    if value(config, "moe_layer_end_index") not in (None, -1):
        last = whole_or_zero(config, "moe_layer_end_index")
    step = whole(config, "moe_layer_interval", default=1)
    dense = [not first <= i <= last or (i + 1) % step != 0 for i in range(found.layers)]
    return everywhere(config, found, block, sparse, dense=dense)


def phimoe(config: Configuration) -> Decoder:
    """LayerNorm, and biases of attention and head."""
    found = shape(config)
    window, types = windows(config, found.layers)
    bias = flag(config, "attention_bias")
    block = grouped(config, found, biased=bias, output_biased=bias)
    count, used = whole(config, "num_local_experts"), whole(config, "num_experts_per_tok")
    sparse = experts(found.hidden, count, used, found.width)
    made = routed(config, found, windowed(block, window), types, sparse, norm_bias=True)
    return replace(made, head_bias=flag(config, "lm_head_bias"))


def minimax_m2(config: Configuration) -> Decoder:
    """Norms of all queries and all keys; a correction to each expert's score."""
    found = shape(config)
    block = grouped(
        config, found, normed=flag(config, "use_qk_norm", default=True), wide_norms=True
    )
    count = whole(config, "num_local_experts")
    sparse = experts(
        found.hidden,
        count,
        whole(config, "num_experts_per_tok"),
        found.width,
        router_vectors=count if flag(config, "use_routing_bias", default=True) else 0,
        shared=whole_or_zero(config, "shared_intermediate_size"),
    )
    return everywhere(config, found, block, sparse)


def hunyuan_v1_moe(config: Configuration) -> Decoder:
    """As many experts and used ones as the first layer's; a shared one as wide as an MLP."""
    found = shape(config)
    bias = flag(config, "attention_bias")
    block = grouped(config, found, biased=bias, output_biased=bias, normed=True)
    count = first_of(config, "num_experts")
    sparse = experts(
        found.hidden,
        count,
        first_of(config, "moe_topk"),
        first_of(config, "moe_intermediate_size", default=found.width),
        shared=first_of(config, "num_shared_expert", default=1) * found.width,
    )
    return everywhere(config, found, block, sparse)


def first_of(config: Configuration, key: str, *, default: int | None = None) -> int:
    """A whole number, or the one that all entries of a list are."""
    found = value(config, key)
    if isinstance(found, list):
        if not found or any(each != found[0] for each in found):
            raise ValueError(f"{key} that differs from layer to layer is not known here")
        config.given[key] = found[0]
    return whole(config, key, default=default)


def dbrx(config: Configuration) -> Decoder:
    """Its attention and its experts are described apart; LayerNorm of scales alone."""
    inner, outer = section(config, "ffn_config"), section(config, "attn_config")
    ffn = Configuration(
        "dbrx.ffn", inner, {"ffn_hidden_size": 3584, "moe_num_experts": 4, "moe_top_k": 1}
    )
    base = shape(config)
    kv_heads = whole(Configuration("dbrx.attn", outer, {"kv_n_heads": 1}), "kv_n_heads")
    found = replace(base, kv_heads=kv_heads, width=whole(ffn, "ffn_hidden_size"))
    count, used = whole(ffn, "moe_num_experts"), whole(ffn, "moe_top_k")
    sparse = experts(found.hidden, count, used, found.width)
    return everywhere(config, found, grouped(config, found), sparse)


def llama4(config: Configuration) -> Decoder:
    """Experts in each `interleave_moe_layer_step`-th layer, with a shared one; chunked attention."""
    base = shape(config)
    found = replace(base, width=whole(config, "intermediate_size_mlp"))
    bias = flag(config, "attention_bias")
    block = grouped(config, found, biased=bias, output_biased=bias)
    step = whole(config, "interleave_moe_layer_step", default=1)
    named = listed(config, "moe_layers") or [i for i in range(found.layers) if (i + 1) % step == 0]
    rotary = each_layer(config, found.layers, "no_rope_layers")
    every_fourth = whole(config, "no_rope_layer_interval", default=4)
    if not rotary:
        rotary = [1 if (i + 1) % every_fourth else 0 for i in range(found.layers)]
    chunk = whole_or_zero(config, "attention_chunk_size")
    rule = [CHUNKED if each and chunk else FULL for each in rotary]
    sparse = experts(
        found.hidden,
        whole(config, "num_local_experts"),
        whole(config, "num_experts_per_tok"),
        base.width,
        shared=base.width,
    )
    return routed(
        config,
        found,
        windowed(block, chunk),
        layer_types(config, found.layers, rule),
        sparse,
        dense=[i not in named for i in range(found.layers)],
    )


def mimo_v2_flash(config: Configuration) -> Decoder:
    """Windowed layers have sinks and key-value heads of their own number."""
    found = shape(config)
    window = whole_or_zero(config, "sliding_window")
    full = value_attention(config, found, found.kv_heads, sinks=False)
    kv_heads = whole(config, "swa_num_key_value_heads", default=found.kv_heads * 2)
    sliding = value_attention(config, found, kv_heads, sinks=True)
    pattern = each_layer(config, found.layers, "hybrid_layer_pattern")
    if not pattern:
        pattern = [1 if i % 6 or i == found.layers - 1 else 0 for i in range(found.layers)]
    sparse_layers = each_layer(config, found.layers, "moe_layer_freq") or [0] + [1] * (
        found.layers - 1
    )
    return routed(
        config,
        found,
        {FULL: full, SLIDING: replace(sliding, window=window)},
        layer_types(config, found.layers, [SLIDING if each else FULL for each in pattern]),
        corrected(config, found),
        dense=[not each for each in sparse_layers],
    )


def value_attention(config: Configuration, found: Shape, kv_heads: int, *, sinks: bool) -> Block:
    """Attention whose values are of another width than its keys."""
    return attention(
        found.hidden,
        found.heads,
        kv_heads,
        found.head_dim,
        value_dim=whole(config, "v_head_dim", default=found.head_dim),
        bias=flag(config, "attention_bias"),
        vectors=1 if sinks else 0,
    )


def step3p7(config: Configuration) -> Decoder:
    """A gate for each head's output; windowed layers may have more heads."""
    found = shape(config)
    window = whole_or_zero(config, "sliding_window")
    other = section(config, "attention_other_setting")
    heads = other.get("num_attention_heads") or found.heads
    wide = replace(found, heads=whole(config, "num_sliding_attention_heads", default=heads))
    bias = flag(config, "attention_bias")
    full, sliding = (
        grouped(config, each, biased=bias, output_biased=bias, normed=True, gate=each.heads)
        for each in (found, wide)
    )
    count = whole(config, "n_routed_experts", "num_experts", "moe_num_experts")
    sparse = experts(
        found.hidden,
        count,
        whole(config, "num_experts_per_tok", "moe_top_k"),
        whole(config, "moe_intermediate_size"),
        router_vectors=count,
        shared=whole_or_zero(config, "share_expert_dim"),
    )
    types = layer_types(config, found.layers, [FULL] * found.layers)
    kinds = each_layer(config, found.layers, "mlp_layer_types")
    first = whole_or_zero(config, "first_k_dense_replace") or 3
    dense = [kinds[i] == "dense" if kinds else i < first for i in range(found.layers)]
    mixers = {FULL: full, SLIDING: replace(sliding, window=window)}
    return routed(config, found, mixers, types, sparse, dense=dense)


def indexed(config: Configuration) -> Decoder:
    """DeepSeek-V3.2 and GLM-5: an indexer picks the tokens that are attended to."""
    made = deepseek_v3(config)
    found = made.shape
    full = latent(
        config,
        found,
        index_heads=whole(config, "index_n_heads"),
        index_dim=whole(config, "index_head_dim"),
        attends=whole(config, "index_topk"),
    )
    # Layers that share an earlier layer's choice have no indexer, but attend to as few tokens.
    shared = replace(latent(config, found), attends=whole(config, "index_topk"))
    types = each_layer(config, found.layers, "indexer_types") or ["full"] * found.layers
    kinds = each_layer(config, found.layers, "mlp_layer_types")
    dense = first_layers(config, found, "first_k_dense_replace")
    if kinds:
        dense = [each == "dense" for each in kinds]
    mixers = {"full": full, "shared": shared}
    return routed(config, found, mixers, types, corrected(config, found), dense=dense)


def latent(
    config: Configuration,
    found: Shape,
    *,
    index_heads: int = 0,
    index_dim: int = 0,
    attends: int = 0,
) -> Block:
    """DeepSeek's latent attention as the configuration sizes it."""
    return latent_attention(
        found.hidden,
        found.heads,
        whole(config, "qk_nope_head_dim"),
        whole(config, "qk_rope_head_dim"),
        whole(config, "v_head_dim", default=divided(found.hidden, found.heads)),
        whole(config, "kv_lora_rank"),
        whole_or_zero(config, "q_lora_rank"),
        bias=flag(config, "attention_bias"),
        index_heads=index_heads,
        index_dim=index_dim,
        attends=attends,
    )


def minicpm3(config: Configuration) -> Decoder:
    """Latent attention and an MLP in each layer."""
    base = shape(config)
    found = replace(base, head_dim=whole(config, "qk_nope_head_dim"))
    none = [True] * found.layers
    return everywhere(config, found, latent(config, found), mlp(found.hidden, 1), dense=none)


def deepseek_v4(config: Configuration) -> Decoder:
    """One key-value vector for all heads, compressed in most layers; several residual streams."""
    found = replace(shape(config), width=whole(config, "moe_intermediate_size"))
    ratios = each_layer(config, found.layers, "compress_ratios")
    if not ratios:
        types = layer_types(config, found.layers, compressed_rule(found.layers))
        rates = {"compressed_sparse_attention": 4, "heavily_compressed_attention": 128}
        ratios = [rates.get(each, 0) for each in types]
    mixers = {f"every {ratio}": compressed_attention(config, found, ratio) for ratio in ratios}
    hashed = whole_or_zero(config, "num_hash_layers")
    named = each_layer(config, found.layers, "mlp_layer_types")
    if not given(config, "num_hash_layers"):
        hashed = named.count("hash_moe") if named else 3
    streams = whole(config, "hc_mult")
    plain = corrected(config, found)
    by_hash = replace(
        plain, tensors=[each for each in plain.tensors if each.part != "router" or each.inputs]
    )
    composed = compose(
        found.hidden,
        mixers,
        {"hash": by_hash, "experts": plain},
        [f"every {ratio}" for ratio in ratios],
        ["hash" if i < hashed else "experts" for i in range(found.layers)],
    )
    mixing = streams * (2 + streams)
    connection = matrix("connection", "norms", streams * found.hidden, mixing, pieces=1, count=2)
    connection += [vector("connection", "norms", mixing + 3, count=2)]
    kinds = {
        name: replace(each, tensors=each.tensors + connection)
        for name, each in composed["kinds"].items()
    }
    last = matrix("connection", "norms", streams * found.hidden, streams, pieces=1)
    return Decoder(
        shape=found,
        kinds=kinds,
        order=composed["order"],
        tied=tied(config),
        around=[*last, vector("connection", "norms", streams + 1)],
    )


def compressed_rule(layers: int) -> list[str]:
    """Two heavily compressed layers, then sparse and heavily compressed ones in turn."""
    heavy, sparse = "heavily_compressed_attention", "compressed_sparse_attention"
    return [heavy if i < 2 or i % 2 else sparse for i in range(layers)]


def compressed_attention(config: Configuration, found: Shape, ratio: int) -> Block:
    """DeepSeek-V4's attention: over a window, and over one entry for each `ratio` tokens."""
    hidden, head = found.hidden, found.head_dim
    query_latent = whole(config, "q_lora_rank")
    groups, output_latent = whole(config, "o_groups"), whole(config, "o_lora_rank")
    wide = found.heads * head
    made = matrix("query_down", "attention", hidden, query_latent, pieces=1)
    made += [vector("query_norm", "attention", query_latent)]
    made += matrix("query_up", "attention", query_latent, wide)
    made += matrix("key_value", "attention", hidden, head, pieces=1)
    made += [vector("key_value_norm", "attention", head)]
    made += [vector("sinks", "attention", found.heads, pieces=0)]
    made += matrix("output_down", "attention", wide // groups, groups * output_latent)
    made += matrix("output", "attention", groups * output_latent, hidden)
    window = whole(config, "sliding_window")
    block = Block(
        tensors=made,
        cache=head,
        cache_pieces=1,
        window=window,
        scores=2 * wide,
        kept=2 * wide + 2 * query_latent + 2 * head + groups * output_latent,
        widest=2 * wide + head,
    )
    if not ratio:
        return block
    sparse = ratio < 128
    inner = head * (2 if sparse else 1)
    made += compressor(hidden, inner, head, ratio)
    index = 0
    if sparse:
        heads, size = whole(config, "index_n_heads"), whole(config, "index_head_dim")
        index = heads * size
        made += compressor(hidden, 2 * size, size, ratio)
        made += matrix("index_query", "attention", query_latent, index, pieces=1)
        made += matrix("index_weight", "attention", hidden, heads, pieces=1)
    return replace(
        block,
        tensors=made,
        window=0,
        every=ratio,
        beside_window=window,
        attends=whole(config, "index_topk") if sparse else 0,
        choosing=index,
    )


def compressor(hidden: int, inner: int, size: int, ratio: int) -> list[Tensor]:
    """Makes one entry of a few tokens: keys and gates, positions within the few, a norm."""
    made = matrix("compress_key", "attention", hidden, inner, pieces=1)
    made += matrix("compress_gate", "attention", hidden, inner, pieces=1)
    return [
        *made,
        vector("compress_positions", "attention", ratio * inner),
        vector("compress_norm", "attention", size),
    ]


def mllama(config: Configuration) -> Decoder:
    """Llama 3.2 Vision: some layers look at the images alone, and cache nothing of the text."""
    found = shape(config)
    crossing = listed(config, "cross_attention_layers") or [3, 8, 13, 18, 23, 28, 33, 38]
    own = grouped(config, found)
    cross = grouped(config, found, normed=True)
    gates = [vector("cross_gate", "attention", 1, count=2)]
    mixers = {FULL: own, "cross": replace(cross, tensors=cross.tensors + gates, cache=0, scores=0)}
    composed = compose(
        found.hidden,
        mixers,
        {"mlp": mlp(found.hidden, found.width)},
        ["cross" if i in crossing else FULL for i in range(found.layers)],
        ["mlp"] * found.layers,
    )
    return Decoder(
        shape=found,
        kinds=composed["kinds"],
        order=composed["order"],
        tied=tied(config),
        more_rows=8,
    )
