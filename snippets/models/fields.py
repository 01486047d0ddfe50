"""Every field of a configuration is used, known not to matter here, or refused."""

from typing import Any

from snippets.models.configuration import Configuration
from snippets.models.decoder import SHAPE_KEYS

# Parts of the names of fields that change no tensor and no cache: training, generation, tokens,
# rotary positions, scales of what flows, how a class computes.
HARMLESS = (
    *("token", "drop", "eps", "rope", "rotary", "init", "loss", "scal", "multiplier", "softcap"),
    *("beam", "_length", "transformers", "jitter", "logit", "label", "cache", "hidden_act", "aux"),
    *("chunk", "time_step", "swiglu", "topk_group", "n_group", "auto_map", "repetition", "penalty"),
    *("return", "top_", "temperature", "typical", "sequences", "torch", "dtype", "image", "audio"),
    *("video", "vision", "kernels", "activation", "norm_topk", "alpha_factor", "beta_factor"),
    *("attn_implementation", "unsloth", "mrope", "partial", "fp32", "upcast", "problem_type"),
    *("original_", "encoder_", "diversity", "bad_words", "pruned", "remove_invalid", "finetuning"),
    *("bfloat16", "early_stopping", "sample", "prefix", "bos_", "eos_", "pad_", "sep_", "softmax"),
    *("layer_switch", "use_parallel", "embedding_sharing", "skip_bias", "fusion", "interleaved"),
    *("moe_renorm", "expert_group", "grouped_topk", "mla_use_nope", "router_activation"),
    *("is_decoder", "is_encoder", "output_", "mm_", "llm_compressor", "model_config", "summary"),
    *("dynamic_ntk", "logn_attn", "associative_scan", "mambapy", "sinkhorn", "index_share"),
    *("index_skip", "index_topk_freq", "nope_layer", "no_rope", "use_mtp", "mtp_", "zero_init"),
)
# A field that is called by none of these words is taken to be of that kind, too.
TELLING = (
    *(
        "size",
        "dim",
        "heads",
        "layer",
        "num_",
        "n_",
        "bias",
        "norm",
        "expert",
        "mlp",
        "ffn",
        "attn",
    ),
    *("attention", "window", "state", "rank", "latent", "block", "conv", "embed", "proj", "cross"),
)
WHOLE = (  # and whole names
    *("model_type", "name", "alibi", "block_size", "clip_qkv", "dim_model_base"),
    *(
        "ep_size",
        "expand",
        "moe_layer_freq",
        "moe_norm_min",
        "n_ctx",
        "num_mtp_modules",
        "max_window",
    ),
    *("moe_shared_expert_overlap", "pretraining_tp", "qk_head_dim", "residual_in_fp32", "rmsnorm"),
    *(
        "post_layer_norm",
        "use_qk_norm",
        "type_vocab_size",
        "sliding_window_size",
        "attention_types",
    ),
    *("embedding_fraction", "slow_but_exact", "tp_degree", "quantization_config", "text_config"),
    *("apply_residual_connection_post_layernorm", "learned_pos_emb", "router_bias_update_rate"),
    *("add_full_attention_sink_bias", "add_swa_attention_sink_bias", "kv_channels", "no_bias"),
    *("attn_type_list", "layer_types", "attention_head_dim", "use_moe_router_bias", "use_cpb_bias"),
    *(
        "n_shared_experts",
        "mamba_norm_before_gate",
        "attention_chunk_size",
        "vocab_size_per_layer_input",
    ),
)


def harmless(key: str) -> bool:
    """Whether a field is known not to matter."""
    if key in WHOLE or any(part in key for part in HARMLESS):
        return True
    return not any(word in key for word in TELLING)


def check_fields(config: Configuration) -> None:
    """Raise ValueError for a field that says something and that nobody has described."""
    for key, found in config.given.items():
        said = bool(found) and not isinstance(found, str)
        if said and key not in config.asked and not harmless(key):
            raise ValueError(
                f"{key}: {found!r} is not known of {config.kind}: take it out if it changes neither"
                " parameters nor cache"
            )


def unknown_type(kind: Any, config: dict[str, Any]) -> str:
    """What to say of a model_type that is not known: what of it is, and what would have to be told."""
    shape = [key for keys in SHAPE_KEYS.values() for key in keys]
    missing = [key for key in config if key not in shape and not harmless(key)]
    told = f", and what these mean: {', '.join(missing[:20])}" if missing else ""
    return (
        f"model_type {kind!r} is not known here. Missing are the tensors of its layers: which attention,"
        f" MLP or experts, norms and biases they have{told}. Where it is built like a type that is"
        " known, say so with that model_type"
    )
