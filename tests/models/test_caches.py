"""Caches and states of small random models, as transformers keeps them, beside what is computed."""

from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from snippets.kv_cache import cache_bytes, state_bytes
from snippets.models import model_from_config

TOKENS = 7  # fewer than any window: where one is full, transformers keeps the window without the new token
SMALL = {
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
}
EXPERTS = {"num_experts_per_tok": 2, "moe_intermediate_size": 16}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 8, "mamba_d_state": 8, "mamba_n_groups": 2}
DELTA = {
    "head_dim": 16,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
}
TYPES: dict[str, dict[str, Any]] = {
    "llama": SMALL,
    "mistral": SMALL | {"sliding_window": 8},
    "gemma3_text": SMALL | {"head_dim": 8, "sliding_window": 8},
    "gemma4_text": SMALL
    | {"num_hidden_layers": 8, "head_dim": 8, "global_head_dim": 16, "num_kv_shared_layers": 2}
    | {"hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 64, "sliding_window": 8},
    "gpt_oss": SMALL | {"head_dim": 8, "num_local_experts": 4, "num_experts_per_tok": 2},
    "mimo_v2_flash": SMALL | EXPERTS | {"head_dim": 8, "v_head_dim": 4, "n_routed_experts": 4},
    "qwen3_next": SMALL
    | EXPERTS
    | DELTA
    | {"num_experts": 4, "shared_expert_intermediate_size": 16},
    "qwen3_5_text": SMALL | DELTA,
    "jamba": SMALL
    | {"num_hidden_layers": 8, "attn_layer_period": 4, "attn_layer_offset": 2, "num_experts": 4}
    | {"mamba_d_state": 8, "mamba_dt_rank": 4, "use_mamba_kernels": False},
    "bamba": SMALL | MAMBA | {"attn_layer_indices": [1]},
    "falcon_h1": SMALL | MAMBA | {"mamba_d_ssm": 64},
    "granitemoehybrid": SMALL
    | MAMBA
    | {"layer_types": ["mamba", "attention"] * 2}
    | {"shared_intermediate_size": 16, "num_local_experts": 4},
    "nemotron_h": SMALL
    | EXPERTS
    | {"head_dim": 8, "layers_block_type": ["mamba", "moe", "attention", "moe"]}
    | {"mamba_num_heads": 8, "mamba_head_dim": 8, "ssm_state_size": 8, "n_groups": 2}
    | {"n_routed_experts": 4, "moe_shared_expert_intermediate_size": 16},
    "lfm2": SMALL
    | {"layer_types": ["conv", "full_attention"] * 2, "block_auto_adjust_ff_dim": False},
    "mamba": {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 2, "state_size": 8},
    "mamba2": {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 2}
    | {"num_heads": 8, "head_dim": 8, "state_size": 8, "n_groups": 2},
}


def elements(layers: list[Any], *names: str) -> int:
    """Elements of the tensors that the layers of a cache have under some names."""
    count = 0
    for layer in layers:
        for name in names:
            held = getattr(layer, name, None)
            each = held.values() if isinstance(held, dict) else [held]
            count += sum(tensor.numel() for tensor in each if isinstance(tensor, torch.Tensor))
    return count


@pytest.mark.parametrize("kind", TYPES)
def test_cache_and_states_are_those_of_transformers(kind: str) -> None:
    config = TYPES[kind]
    torch.manual_seed(0)
    built = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **config)).eval()
    with torch.inference_mode():
        made = built(torch.randint(0, 64, (1, TOKENS)), use_cache=True)
    cache = next(made[key] for key in ("cache", "past_key_values", "cache_params") if key in made)
    model = model_from_config({"model_type": kind} | config, name=kind)
    states = state_bytes(model)
    keys_and_values = cache_bytes(model, tokens=TOKENS, bytes_per_element=1) - states
    assert elements(cache.layers, "keys", "values") == keys_and_values
    inputs = elements(cache.layers, "conv_states")
    recurrent = elements(cache.layers, "recurrent_states")
    assert states == 2 * inputs + 4 * recurrent
