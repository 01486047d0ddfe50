"""Whatever stands in a config.json, it is read or refused with a sentence."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.models import CONFIGURATIONS, layer_of, model_from_config
from tests.models.variant import variant


def test_a_head_dim_and_windows_of_its_own() -> None:
    assert variant("llama-3.1-8b", head_dim=96).head_dim == 96
    types = ["sliding_attention"] * 7 + ["full_attention"] * 25
    read = variant("mistral-7b", sliding_window=100, layer_types=types)
    assert [layer_of(read, i).window for i in (0, 6, 7, 31)] == [100, 100, 0, 0]


def test_what_a_family_leaves_out() -> None:
    """Llama 1 has no key for key-value heads, GPT-2 none for the MLP's width."""
    assert variant("llama-3.1-8b", num_key_value_heads=None).kv_heads == 32
    assert "n_inner" not in CONFIGURATIONS["gpt2"]["config"]
    assert variant("gpt2").intermediate_size == 4 * 768


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("llama-3.1-8b", {"num_key_value_heads": 5}, "32 heads do not share 5 key-value heads evenly"),
    ("llama-3.1-8b", {"hidden_size": 0}, "hidden_size must be a whole number from 1 up, not 0"),
    ("llama-3.1-8b", {"tie_word_embeddings": "no"}, "tie_word_embeddings must be true or false"),
    ("llama-3.1-8b", {"torch_dtype": "int7"}, "torch_dtype must be one of float32"),
    ("llama-3.1-8b", {"quantization_config": {"quant_method": "hqq"}}, "quant_method 'hqq'"),
    ("llama-3.1-8b", {"quantization_config": {"quant_method": "awq"}}, "bits of the quantization"),
    ("llama-3.1-8b", {"quantization_config": 4}, "quantization_config must be an object, not 4"),
    ("llama-3.1-8b", {"hidden_size": 65}, "head_dim is missing"),
    ("llama-3.1-8b", {"num_hidden_layers": 10**9}, "1,000,000,000 layers are more than any"),
    ("llama-3.1-8b", {"model_type": "mamba9"}, "model_type 'mamba9' is not known here"),
    ("llama-3.1-8b", {"model_type": ["llama"]}, "is not known here"),
    ("llama-3.1-8b", {"num_memory_heads": 4}, "num_memory_heads: 4 is not known of llama"),
    ("mixtral-8x7b", {"num_experts_per_tok": 9}, "a token cannot use 9 of 8 experts"),
    ("deepseek-v3", {"first_k_dense_replace": 62}, "62 dense layers are more than all 61"),
    ("opt-125m", {"layer_norm_elementwise_affine": False}, "norms without scales"),
    ("gpt2", {"add_cross_attention": True}, "add_cross_attention"),
    ("gpt-oss-20b", {"layer_types": ["sliding_attention"]}, "layer_types must name each"),
    ("gpt-oss-20b", {"layer_types": ["linear_attention"] * 24}, "not 'linear_attention'"),
]


@pytest.mark.parametrize(("slug", "changes", "said"), REFUSED)
def test_refusals(slug: str, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("[", r"\[")):
        variant(slug, **changes)


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
    config = CONFIGURATIONS[data.draw(st.sampled_from(sorted(CONFIGURATIONS)))]["config"]
    keys = data.draw(st.lists(st.sampled_from(sorted(config)), min_size=1, max_size=3))
    changed = config | {key: data.draw(JUNK) for key in keys}
    try:
        read = model_from_config(changed, name="mine")
    except ValueError:
        return
    assert read.layers >= 1
