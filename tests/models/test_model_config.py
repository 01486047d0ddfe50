"""Whatever stands in a config.json, it is read or refused with a sentence."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripts.model_config import FAMILIES, model_from_config

from snippets.models import (
    MODELS,
    Model,
    deepseek_v3,
    falcon_7b,
    gemma_3_4b,
    gpt_oss_20b,
    llama_3_1_8b,
    mistral_7b,
    mixtral_8x7b,
    opt_125m,
    qwen3_30b_a3b,
)

# As published, cut to what is read; the keys that transformers 5 writes otherwise stand as they are.
LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
MISTRAL = {
    "model_type": "mistral",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 32000,
    "max_position_embeddings": 32768,
    "sliding_window": 4096,
    "torch_dtype": "bfloat16",
}
MIXTRAL = {
    "model_type": "mixtral",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
    "vocab_size": 32000,
    "max_position_embeddings": 32768,
    "sliding_window": None,
    "torch_dtype": "bfloat16",
}
GPT2 = {
    "model_type": "gpt2",
    "n_ctx": 1024,
    "n_embd": 768,
    "n_head": 12,
    "n_layer": 12,
    "n_positions": 1024,
    "vocab_size": 50257,
    "torch_dtype": "float32",
}
OPT = {
    "model_type": "opt",
    "hidden_size": 768,
    "ffn_dim": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "vocab_size": 50272,
    "max_position_embeddings": 2048,
    "word_embed_proj_dim": 768,
    "torch_dtype": "float16",
}
FALCON = {
    "model_type": "falcon",
    "hidden_size": 4544,
    "num_hidden_layers": 32,
    "num_attention_heads": 71,
    "vocab_size": 65024,
    "multi_query": True,
    "parallel_attn": True,
    "bias": False,
    "alibi": False,
    "new_decoder_architecture": False,
    "torch_dtype": "bfloat16",
}
GEMMA_3 = {
    "model_type": "gemma3",
    "torch_dtype": "bfloat16",
    "text_config": {
        "model_type": "gemma3_text",
        "hidden_size": 2560,
        "intermediate_size": 10240,
        "num_hidden_layers": 34,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "vocab_size": 262208,
        "max_position_embeddings": 131072,
        "sliding_window": 1024,
    },
}
QWEN3_MOE = {
    "model_type": "qwen3_moe",
    "hidden_size": 2048,
    "intermediate_size": 6144,
    "moe_intermediate_size": 768,
    "num_hidden_layers": 48,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "num_experts": 128,
    "num_experts_per_tok": 8,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
    "vocab_size": 151936,
    "max_position_embeddings": 40960,
    "tie_word_embeddings": False,
    "use_sliding_window": False,
    "torch_dtype": "bfloat16",
}
DEEPSEEK_V3 = {
    "model_type": "deepseek_v3",
    "hidden_size": 7168,
    "intermediate_size": 18432,
    "moe_intermediate_size": 2048,
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "n_routed_experts": 256,
    "n_shared_experts": 1,
    "num_experts_per_tok": 8,
    "first_k_dense_replace": 3,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "vocab_size": 129280,
    "max_position_embeddings": 163840,
    "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
    "torch_dtype": "bfloat16",
}
GPT_OSS = {
    "model_type": "gpt_oss",
    "hidden_size": 2880,
    "intermediate_size": 2880,
    "num_hidden_layers": 24,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "num_local_experts": 32,
    "num_experts_per_tok": 4,
    "attention_bias": True,
    "sliding_window": 128,
    "layer_types": ["sliding_attention", "full_attention"] * 12,
    "vocab_size": 201088,
    "max_position_embeddings": 131072,
    "quantization_config": {"quant_method": "mxfp4"},
    "torch_dtype": "bfloat16",
}
PUBLISHED: list[tuple[dict, Model]] = [
    (LLAMA, llama_3_1_8b),
    (MISTRAL, mistral_7b),
    (MIXTRAL, mixtral_8x7b),
    (GPT2, MODELS["gpt2"]),
    (OPT, opt_125m),
    (FALCON, falcon_7b),
    (GEMMA_3, gemma_3_4b),
    (QWEN3_MOE, qwen3_30b_a3b),
    (DEEPSEEK_V3, deepseek_v3),
    (GPT_OSS, gpt_oss_20b),
]


@pytest.mark.parametrize(("config", "model"), PUBLISHED, ids=lambda each: getattr(each, "name", ""))
def test_published_configurations(config: dict, model: Model) -> None:
    read = model_from_config(config, name=model.name)
    assert vars(read) | {"sources": {}} == vars(model) | {"sources": {}}


def test_a_head_dim_and_windows_of_its_own() -> None:
    read = model_from_config(LLAMA | {"head_dim": 96}, name="mine")
    assert (read.head_dim, read.windowed_layers) == (96, 0)
    windows = {
        "sliding_window": 100,
        "layer_types": ["sliding_attention"] * 7 + ["full_attention"] * 25,
    }
    read = model_from_config(MISTRAL | windows, name="mine")
    assert (read.window, read.windowed_layers) == (100, 7)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (LLAMA | {"num_key_value_heads": 5}, "32 heads do not share 5 key-value heads evenly"),
        (LLAMA | {"hidden_size": 0}, "hidden_size must be a whole number from 1 up, not 0"),
        (LLAMA | {"tie_word_embeddings": "no"}, "tie_word_embeddings must be true or false"),
        (LLAMA | {"torch_dtype": "int7"}, "torch_dtype must be one of float32"),
        (LLAMA | {"quantization_config": {"quant_method": "hqq"}}, "quant_method 'hqq'"),
        (LLAMA | {"quantization_config": {"quant_method": "awq"}}, "bits is missing"),
        (LLAMA | {"hidden_size": 65}, "32 heads do not divide a hidden_size of 65"),
        (LLAMA | {"intermediate_size": None}, "or intermediate_size is missing"),
        (LLAMA | {"max_position_embeddings": None}, "or max_position_embeddings is missing"),
        (LLAMA | {"num_hidden_layers": 10**9}, "1,000,000,000 layers are more than any"),
        (MISTRAL | {"num_key_value_heads": None}, "num_key_value_heads is missing"),
        (QWEN3_MOE | {"use_sliding_window": True, "sliding_window": 9}, "without layer_types"),
        (LLAMA | {"quantization_config": 4}, "quantization_config must be an object, not 4"),
        (MIXTRAL | {"num_experts_per_tok": 9}, "a token cannot use 9 of 8 experts"),
        (DEEPSEEK_V3 | {"first_k_dense_replace": 62}, "62 dense layers are more than all 61"),
        (OPT | {"word_embed_proj_dim": 512}, "word_embed_proj_dim other than hidden_size"),
        (FALCON | {"new_decoder_architecture": True}, "only those built like Falcon 7B"),
        (QWEN3_MOE | {"decoder_sparse_step": 2}, "decoder_sparse_step other than 1"),
        (GPT_OSS | {"layer_types": ["sliding_attention"]}, "layer_types must name each"),
        (GPT_OSS | {"layer_types": ["linear_attention"] * 24}, "not 'linear_attention'"),
        (LLAMA | {"model_type": "mamba"}, "model_type 'mamba' is not known here; known are deep"),
        (LLAMA | {"model_type": ["llama"]}, "is not known here"),
    ],
)
def test_refusals(config: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("[", r"\[")):
        model_from_config(config, name="mine")


def test_what_a_family_leaves_out() -> None:
    """Llama 1 has no key for key-value heads, GPT-2 none for the MLP's width."""
    without = {key: value for key, value in LLAMA.items() if key != "num_key_value_heads"}
    assert model_from_config(without, name="mine").kv_heads == 32
    narrow = {key: value for key, value in GPT2.items() if key != "n_inner"}
    read = model_from_config(narrow, name="mine")
    assert read.intermediate_size == 4 * read.hidden_size


@pytest.mark.parametrize("method", ["awq", "gptq"])
@pytest.mark.parametrize(("group", "bits"), [(128, 4 + 20 / 128), (32, 4 + 20 / 32), (-1, 4.0)])
def test_scales_and_zero_points_of_a_quantized_checkpoint(
    method: str, group: int, bits: float
) -> None:
    said = {"quant_method": method, "bits": 4, "group_size": group}
    read = model_from_config(LLAMA | {"quantization_config": said}, name="mine")
    assert (read.stored_bits, read.stored_expert_bits) == (bits, bits)


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.floats(allow_nan=False),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_value_is_read_or_refused(data: st.DataObject) -> None:
    config, _ = data.draw(st.sampled_from(PUBLISHED))
    keys = data.draw(st.lists(st.sampled_from(sorted(config)), min_size=1, max_size=3))
    changed = config | {key: data.draw(JUNK) for key in keys}
    try:
        read = model_from_config(changed, name="mine")
    except ValueError:
        return
    assert read.layers >= 1


def test_every_family_is_tried_by_some_model() -> None:
    """The registry's models, by way of transformers' configurations, reach them all."""
    from tests.models.oracle import by_family

    assert {by_family(model)[0] for model in MODELS.values()} == set(FAMILIES)


def test_a_file_is_read_as_json(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA))
    assert model_from_config(json.loads(path.read_text()), name="mine").layers == 32
