"""The same models as transformers knows them, built without memory on the meta device."""

from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedConfig, PreTrainedModel

from snippets.models import Model


def common(model: Model) -> dict[str, Any]:
    return {
        "vocab_size": model.vocabulary,
        "hidden_size": model.hidden_size,
        "intermediate_size": model.intermediate_size,
        "num_hidden_layers": model.layers,
        "num_attention_heads": model.heads,
        "num_key_value_heads": model.kv_heads,
        "head_dim": model.head_dim,
        "max_position_embeddings": model.context,
        "tie_word_embeddings": model.tied_embeddings,
    }


def by_family(model: Model) -> tuple[str, dict[str, Any]]:
    """transformers' model type and the arguments of its configuration."""
    family = model.name.split(" ")[0]
    arguments = common(model)
    experts = {"num_experts_per_tok": model.experts_per_token}
    if family == "GPT-2":
        return "gpt2", {
            "vocab_size": model.vocabulary,
            "n_positions": model.context,
            "n_embd": model.hidden_size,
            "n_layer": model.layers,
            "n_head": model.heads,
        }
    if family == "Pythia":
        return "gpt_neox", arguments
    if family == "OPT":
        return "opt", arguments | {
            "ffn_dim": model.intermediate_size,
            "word_embed_proj_dim": model.hidden_size,
        }
    if family == "Falcon":
        return "falcon", {
            "vocab_size": model.vocabulary,
            "hidden_size": model.hidden_size,
            "num_hidden_layers": model.layers,
            "num_attention_heads": model.heads,
            "multi_query": True,
            "parallel_attn": True,
            "bias": False,
        }
    if family in ("Llama", "SmolLM2"):
        return "llama", arguments
    if family == "Mixtral":
        return "mixtral", arguments | experts | {"num_local_experts": model.experts}
    if family == "Mistral":
        return "mistral", arguments | {"sliding_window": model.window or None}
    if family == "Qwen2.5":
        return "qwen2", arguments
    if family == "Qwen3" and model.experts > 0:
        return "qwen3_moe", arguments | experts | {
            "num_experts": model.experts,
            "moe_intermediate_size": model.expert_size,
        }
    if family == "Qwen3":
        return "qwen3", arguments
    if model.name in ("Gemma 2B", "Gemma 7B"):
        return "gemma", arguments
    if model.name.startswith("Gemma 2 "):
        return "gemma2", arguments | {"sliding_window": model.window}
    if family == "Gemma":
        return "gemma3_text", arguments | {"sliding_window": model.window}
    if model.name in ("Phi 1.5", "Phi 2"):
        return "phi", arguments
    if model.name == "Phi 4 mini" or family == "Phi":
        return "phi3", arguments | {"sliding_window": model.window or None, "pad_token_id": 0}
    if family.startswith("DeepSeek"):
        version = "deepseek_v3" if family == "DeepSeek-V3" else "deepseek_v2"
        return version, arguments | experts | {
            "moe_intermediate_size": model.expert_size,
            "n_shared_experts": model.shared_expert_size // model.expert_size,
            "n_routed_experts": model.experts,
            "kv_lora_rank": model.latent_size,
            "q_lora_rank": model.query_latent_size or None,
            "qk_rope_head_dim": model.rotary_dim,
            "v_head_dim": model.value_dim,
            "qk_nope_head_dim": model.head_dim,
            "first_k_dense_replace": model.dense_layers,
            "head_dim": model.rotary_dim,
        }
    if family == "gpt-oss":
        return "gpt_oss", arguments | experts | {
            "num_local_experts": model.experts,
            "sliding_window": model.window,
        }
    raise LookupError(model.name)


def reference_config(model: Model) -> PreTrainedConfig:
    model_type, arguments = by_family(model)
    return AutoConfig.for_model(model_type, **arguments)


def reference_model(model: Model) -> PreTrainedModel:
    with torch.device("meta"):
        return AutoModelForCausalLM.from_config(reference_config(model))


def reference_parameters(model: Model) -> int:
    """Its parameters, and the learned score corrections that DeepSeek-V3 stores as a buffer."""
    reference = reference_model(model)
    corrections = [
        buffer for name, buffer in reference.named_buffers() if "e_score_correction_bias" in name
    ]
    return sum(each.numel() for each in [*reference.parameters(), *corrections])
