"""Reads a model from a config.json, as transformers writes it."""

from collections.abc import Callable

from scripts.config_values import Config, flag, whole, whole_or_zero
from snippets.models import Model
from snippets.models.model import config_json

MOST_LAYERS = 10_000  # ten times the deepest that was ever trained
FOUR_TIMES_AS_WIDE = ("falcon", "gpt2")  # MLPs of these, where no width is given
STATES_ITS_KEY_VALUE_HEADS = (  # whose model class does not take the heads for them
    "gemma",
    "gemma2",
    "gemma3_text",
    "gpt_oss",
    "mistral",
    "mixtral",
    "qwen2",
    "qwen3",
    "qwen3_moe",
)
KNOWN_ATTENTION = ("full_attention", "sliding_attention")


def size(config: Config, model_type: str) -> Config:
    """What every family has; keys that GPT-2 names otherwise first."""
    hidden_size = whole(config, "n_embd", "hidden_size")
    heads = whole(config, "n_head", "num_attention_heads")
    shared = None if model_type in STATES_ITS_KEY_VALUE_HEADS else heads
    four_times = 4 * hidden_size if model_type in FOUR_TIMES_AS_WIDE else None
    context = 2048 if model_type == "falcon" else None
    return {
        "layers": whole(config, "n_layer", "num_hidden_layers"),
        "hidden_size": hidden_size,
        "heads": heads,
        "kv_heads": whole(config, "num_key_value_heads", default=shared),
        "head_dim": head_dim(config, hidden_size, heads),
        "intermediate_size": whole(
            config,
            "n_inner",
            "ffn_dim",
            "ffn_hidden_size",
            "intermediate_size",
            default=four_times,
        ),
        "vocabulary": whole(config, "vocab_size"),
        "context": whole(config, "n_positions", "max_position_embeddings", default=context),
    }


def head_dim(config: Config, hidden_size: int, heads: int) -> int:
    """As it is given, or the hidden size over the heads where that is whole."""
    if config.get("head_dim") is None and hidden_size % heads:
        raise ValueError(
            f"{heads} heads do not divide a hidden_size of {hidden_size}, and no head_dim is given"
        )
    return whole(config, "head_dim", default=hidden_size // heads)


def windows(config: Config, *, every: int = 1, default: int = 0) -> Config:
    """Sliding windows: by layer_types where given, else all but each `every`-th layer."""
    window = whole_or_zero({"sliding_window": default or None} | config, "sliding_window")
    if window == 0 or config.get("use_sliding_window") is False:
        return {}
    layers = whole(config, "num_hidden_layers")
    types = config.get("layer_types")
    if types is not None:
        if not isinstance(types, list) or len(types) != layers:
            raise ValueError(f"layer_types must name each of the {layers} layers' attention")
        others = [each for each in types if each not in KNOWN_ATTENTION]
        if others:
            known = " and ".join(KNOWN_ATTENTION)
            raise ValueError(f"of layer_types only {known} are known here, not {others[0]!r}")
        windowed = types.count("sliding_attention")
    else:
        windowed = layers - layers // every if every > 1 else layers
    return {"window": window, "windowed_layers": windowed} if windowed else {}


def tied(config: Config, *, default: bool) -> Config:
    return {"tied_embeddings": flag(config, "tie_word_embeddings", default=default)}


def biased_everywhere(config: Config) -> Config:
    return {
        "gated_mlp": False,
        "query_key_value_bias": True,
        "output_bias": True,
        "mlp_bias": True,
        "norm_bias": True,
    }


def gpt2(config: Config) -> Config:
    positions = whole(config, "n_positions")
    return biased_everywhere(config) | tied(config, default=True) | {"learned_positions": positions}


def gpt_neox(config: Config) -> Config:
    return biased_everywhere(config) | tied(config, default=False)


def opt(config: Config) -> Config:
    hidden_size = whole(config, "hidden_size")
    if whole(config, "word_embed_proj_dim", default=hidden_size) != hidden_size:
        raise ValueError("word_embed_proj_dim other than hidden_size (OPT 350M) is not known here")
    positions = whole(config, "max_position_embeddings") + 2
    return biased_everywhere(config) | tied(config, default=True) | {"learned_positions": positions}


def falcon(config: Config) -> Config:
    plain = (
        flag(config, "multi_query", default=True)
        and flag(config, "parallel_attn", default=True)
        and not flag(config, "new_decoder_architecture", default=False)
        and not flag(config, "bias", default=False)
        and not flag(config, "alibi", default=False)
    )
    if not plain:
        raise ValueError("of the Falcon models only those built like Falcon 7B are known here")
    return tied(config, default=True) | {
        "kv_heads": 1,
        "gated_mlp": False,
        "norm_bias": True,
        "norms_per_layer": 1,
    }


def llama(config: Config) -> Config:
    attention_bias = flag(config, "attention_bias", default=False)
    return tied(config, default=False) | {
        "query_key_value_bias": attention_bias,
        "output_bias": attention_bias,
        "mlp_bias": flag(config, "mlp_bias", default=False),
    }


def mistral(config: Config) -> Config:
    return tied(config, default=False) | windows(config)


def mixtral(config: Config) -> Config:
    return mistral(config) | {
        "experts": whole(config, "num_local_experts"),
        "experts_per_token": whole(config, "num_experts_per_tok"),
        "expert_size": whole(config, "intermediate_size"),
    }


def qwen_windows(config: Config) -> Config:
    """None unless use_sliding_window is true, and then those that layer_types names."""
    if not flag(config, "use_sliding_window", default=False):
        return {}
    if config.get("layer_types") is None:
        raise ValueError(
            "use_sliding_window without layer_types: which layers it means is not said"
        )
    return windows(config)


def qwen2(config: Config) -> Config:
    return tied(config, default=False) | qwen_windows(config) | {"query_key_value_bias": True}


def qwen3(config: Config) -> Config:
    attention_bias = flag(config, "attention_bias", default=False)
    head_dim = whole(config, "head_dim", default=128)
    return (
        tied(config, default=False)
        | qwen_windows(config)
        | {
            "head_dim": head_dim,
            "query_key_norm": 2 * head_dim,
            "query_key_value_bias": attention_bias,
            "output_bias": attention_bias,
        }
    )


def qwen3_moe(config: Config) -> Config:
    if config.get("mlp_only_layers") or config.get("decoder_sparse_step", 1) != 1:
        raise ValueError("mlp_only_layers and decoder_sparse_step other than 1 are not known here")
    return qwen3(config) | {
        "experts": whole(config, "num_experts", "num_local_experts"),
        "experts_per_token": whole(config, "num_experts_per_tok"),
        "expert_size": whole(config, "moe_intermediate_size"),
    }


def gemma(config: Config) -> Config:
    return tied(config, default=True) | {"head_dim": whole(config, "head_dim", default=256)}


def gemma2(config: Config) -> Config:
    return gemma(config) | windows(config, every=2, default=4096) | {"norms_per_layer": 4}


def gemma3(config: Config) -> Config:
    every = whole(config, "sliding_window_pattern", "_sliding_window_pattern", default=6)
    head_dim = whole(config, "head_dim", default=256)
    return (
        gemma(config)
        | windows(config, every=every, default=4096)
        | {"norms_per_layer": 4, "query_key_norm": 2 * head_dim}
    )


def phi(config: Config) -> Config:
    if flag(config, "qk_layernorm", default=False):
        raise ValueError("qk_layernorm is not known here for Phi")
    return (
        biased_everywhere(config)
        | tied(config, default=False)
        | {
            "head_bias": True,
            "norms_per_layer": 1,
        }
    )


def deepseek(config: Config) -> Config:
    expert_size = whole(config, "moe_intermediate_size")
    return tied(config, default=False) | {
        "head_dim": whole(config, "qk_nope_head_dim"),
        "experts": whole(config, "n_routed_experts", "num_local_experts"),
        "experts_per_token": whole(config, "num_experts_per_tok"),
        "expert_size": expert_size,
        "shared_expert_size": whole(config, "n_shared_experts") * expert_size,
        "dense_layers": whole_or_zero(config, "first_k_dense_replace"),
        "latent_size": whole(config, "kv_lora_rank"),
        "query_latent_size": whole_or_zero(config, "q_lora_rank"),
        "rotary_dim": whole(config, "qk_rope_head_dim"),
        "value_dim": whole(config, "v_head_dim"),
    }


def deepseek_v3(config: Config) -> Config:
    return deepseek(config) | {"router_bias": True}


def gpt_oss(config: Config) -> Config:
    attention_bias = flag(config, "attention_bias", default=True)
    return (
        mixtral(config)
        | windows(config, every=2, default=128)
        | {
            "query_key_value_bias": attention_bias,
            "output_bias": attention_bias,
            "mlp_bias": True,
            "router_bias": True,
            "attention_sinks": True,
        }
    )


FAMILIES: dict[str, Callable[[Config], Config]] = {
    "deepseek_v2": deepseek,
    "deepseek_v3": deepseek_v3,
    "falcon": falcon,
    "gemma": gemma,
    "gemma2": gemma2,
    "gemma3_text": gemma3,
    "gpt2": gpt2,
    "gpt_neox": gpt_neox,
    "gpt_oss": gpt_oss,
    "llama": llama,
    "mistral": mistral,
    "mixtral": mixtral,
    "opt": opt,
    "phi": phi,
    "phi3": mistral,
    "qwen2": qwen2,
    "qwen3": qwen3,
    "qwen3_moe": qwen3_moe,
}
DTYPE_BITS = {"float32": 32.0, "float16": 16.0, "bfloat16": 16.0}


def stored(config: Config) -> Config:
    """Bits per weight in the checkpoint, of the matrices and of the experts."""
    quantization = config.get("quantization_config") or {}
    if not isinstance(quantization, dict):
        raise ValueError(f"quantization_config must be an object, not {quantization!r}")
    method = quantization.get("quant_method")
    dtype = config.get("torch_dtype") or config.get("dtype") or "bfloat16"
    if not isinstance(dtype, str) or dtype not in DTYPE_BITS:
        raise ValueError(f"torch_dtype must be one of {', '.join(DTYPE_BITS)}, not {dtype!r}")
    bits = DTYPE_BITS[dtype]
    if method is None:
        return {"stored_bits": bits, "stored_expert_bits": bits}
    if method == "mxfp4":
        return {"stored_bits": bits, "stored_expert_bits": 4.25}
    if method == "fp8":
        return {"stored_bits": 8.0, "stored_expert_bits": 8.0}
    if method in ("awq", "gptq"):
        bits = grouped_bits(quantization)
        return {"stored_bits": bits, "stored_expert_bits": bits}
    raise ValueError(f"quant_method {method!r} is not known here: only awq, fp8, gptq and mxfp4")


def grouped_bits(quantization: Config) -> float:
    """Bits per weight of AWQ and GPTQ: a 16-bit scale and a zero point as wide as a weight for each
    group; one scale for a row (a group of -1) is not counted.
    """
    bits = whole(quantization, "bits")
    group = quantization.get("group_size")
    if group == -1:
        return float(bits)
    return bits + (16 + bits) / whole(quantization, "group_size")


def check(model: Model) -> None:
    if model.layers > MOST_LAYERS:
        raise ValueError(f"{model.layers:,} layers are more than any model's")
    if model.heads % model.kv_heads:
        raise ValueError(
            f"{model.heads} heads do not share {model.kv_heads} key-value heads evenly"
        )
    if model.experts_per_token > model.experts:
        raise ValueError(f"a token cannot use {model.experts_per_token} of {model.experts} experts")
    if model.dense_layers > model.layers:
        raise ValueError(f"{model.dense_layers} dense layers are more than all {model.layers}")


def model_from_config(config: Config, *, name: str) -> Model:
    """A model from the contents of its config.json; ValueError says what is missing or not known.

    Of a model that also reads images or sound, the language model alone.
    """
    if not isinstance(config, dict):
        raise ValueError("a config.json holds one object, with a model_type")
    model_type = config.get("model_type")
    if isinstance(config.get("text_config"), dict):
        config = config["text_config"] | {
            key: config[key]
            for key in ("torch_dtype", "dtype", "quantization_config", "tie_word_embeddings")
            if key in config
        }
        model_type = config.get("model_type", model_type)
    if not isinstance(model_type, str) or model_type not in FAMILIES:
        known = ", ".join(sorted(FAMILIES))
        raise ValueError(f"model_type {model_type!r} is not known here; known are {known}")
    parts = size(config, model_type) | stored(config) | FAMILIES[model_type](config)
    model = Model(name=name, sources=config_json(name), **parts)
    check(model)
    return model
