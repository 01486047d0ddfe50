"""Wrong figures that people reported of calculators, books and servers, beside the right ones.

Each test names the report. The mistaken value is computed as the report says it was.
"""

import pytest

from snippets.kv_cache import cache_bytes, cache_growth
from snippets.model_parameters import active_parameters, total_parameters
from snippets.models import (
    MODELS,
    deepseek_v3,
    gemma_3_1b,
    gpt_oss_20b,
    gpt_oss_120b,
    llama_2_7b,
    llama_3_8b,
    llama_3_70b,
    mixtral_8x22b,
)
from snippets.training_memory import training_bytes
from snippets.weight_bytes import checkpoint_bytes
from tests.models.variant import variant

MiB, GiB = 2**20, 2**30


@pytest.mark.parametrize(
    ("slug", "divided", "ratio"),
    [
        ("mistral-small-24b", 160, 1.25),
        ("gpt-oss-20b", 45, 0.70),
        ("gemma-3-12b", 240, 0.94),
        ("qwen3-4b", 80, 0.625),
        ("qwen3-0.6b", 64, 0.5),
    ],
)
def test_head_dim_is_read_not_divided(slug: str, divided: int, ratio: float) -> None:
    """github.com/NVIDIA/Model-Optimizer/issues/2482, github.com/LMCache/LMCache/issues/688."""
    model = MODELS[slug]
    assert model.hidden_size // model.heads == divided != model.head_dim
    mistaken = cache_growth(variant(slug, head_dim=divided))
    assert mistaken / cache_growth(model) == pytest.approx(ratio, abs=5e-3)


def test_grouped_queries_share_keys_and_values() -> None:
    """github.com/vllm-project/vllm/pull/29736: 2 x hidden_size elements a token and layer."""
    mistaken = 32 * 2 * llama_3_8b.hidden_size * 2
    assert mistaken == 4 * cache_growth(llama_3_8b)


def test_heads_counted_twice() -> None:
    """github.com/jranaraki/vllm-fit/issues/2: heads x hidden_size, eight times too much."""
    model = llama_2_7b
    mistaken = 2 * model.layers * model.heads * model.hidden_size * 4 / 8
    assert mistaken == 8 * cache_growth(model)


def test_windowed_layers_are_not_free() -> None:
    """github.com/alvarobartt/hf-mem/issues/60: one token in gpt-oss 120B, windowed layers left out.

    vLLM's log: 5.38 GiB hold 78,384 tokens.
    """
    right = cache_growth(gpt_oss_120b)
    left_out = (36 - 18) * 2 * 8 * 64 * 2
    assert (right, left_out) == (73_728, 36_864)
    assert 5.38 * GiB / right == pytest.approx(78_384, rel=1e-3)
    assert checkpoint_bytes(gpt_oss_120b) == 65_248_815_744


def test_windowed_layers_hold_their_window_unless_pages_are_shared() -> None:
    """github.com/alvarobartt/hf-mem/pull/70: what must be held, and what some servers reserve."""
    held = 32 * cache_bytes(gpt_oss_20b, tokens=8192)
    reserved = 32 * 8192 * cache_growth(gpt_oss_20b)
    assert held / GiB == pytest.approx(6.09, abs=5e-3)
    assert reserved / GiB == 12.0


def test_gemma_3_1b_caps_22_of_its_26_layers() -> None:
    """github.com/lablup/mlxcel/pull/172: 139 MiB at 32,768 tokens, not 832."""
    assert round(cache_bytes(gemma_3_1b, tokens=32_768) / MiB) == 139
    assert cache_growth(gemma_3_1b) * 32_768 / MiB == 832


def test_all_experts_must_be_in_memory() -> None:
    """github.com/AlexsJones/llmfit/pull/497: DeepSeek-V3 at 0.58 bytes a weight in 22 GB."""
    active = 0.58 * active_parameters(deepseek_v3) / 1e9 + 0.5
    total = 0.58 * total_parameters(deepseek_v3) / 1e9 + 0.5
    assert active == pytest.approx(22, abs=0.5)
    assert total == pytest.approx(390, abs=0.5)


def test_eight_times_22_is_not_the_total() -> None:
    """github.com/mistralai/platform-docs-public/pull/44: attention is not there eight times."""
    assert total_parameters(mixtral_8x22b) == pytest.approx(141e9, rel=5e-3)
    assert 8 * 22e9 / total_parameters(mixtral_8x22b) == pytest.approx(1.25, abs=5e-3)


def test_latent_cache_is_one_vector_for_all_heads_but_one_for_each_layer() -> None:
    """github.com/gpustack/gguf-parser-go/issues/8: 65,536 tokens of DeepSeek-V3 in four bits.

    The report expects 17.875 MiB, which is one layer's with 572 elements; the tool gave 321 GiB.
    """
    right = cache_bytes(deepseek_v3, tokens=65_536, bytes_per_element=0.5)
    assert right / GiB == pytest.approx(1.07, abs=5e-3)
    one_layer = 65_536 * 572 * 0.5
    assert one_layer / MiB == 17.875
    full_heads = 61 * 128 * (128 + 64 + 128) * 65_536 * 2
    assert full_heads / GiB > 300


def test_adam_keeps_twelve_bytes_not_four() -> None:
    """github.com/caomaolufei/AIInfraGuide/issues/24: 7B in 54 GB instead of 107."""
    parameters = total_parameters(llama_2_7b)
    mistaken = (2 + 2 + 4) * parameters
    assert mistaken / 1e9 == pytest.approx(54, abs=0.5)
    assert training_bytes(parameters) / 1e9 == pytest.approx(107.8, abs=0.1)


def test_bits_divide_into_bytes() -> None:
    """github.com/cfregly/ai-performance-engineering/issues/11: 16 bits x 8 for 16 bits / 8."""
    right = 100e12 * 16 / 8
    assert right / 2**40 == pytest.approx(182, abs=0.5)
    assert 100e12 * 16 * 8 / right == 64


def test_worked_caches_of_a_course() -> None:
    """github.com/rohitg00/ai-engineering-from-scratch/pull/57: one head's for a layer's."""
    one_head = 2 * 128 * 2
    assert one_head * 32 * 32_768 == 512 * MiB
    assert cache_bytes(llama_2_7b, tokens=32_768) == 16 * GiB
    grouped = cache_bytes(llama_3_70b, tokens=32_768)
    assert grouped == 10 * GiB
    assert cache_bytes(variant("llama-3-70b", num_key_value_heads=64), tokens=32_768) == 80 * GiB


def test_a_constant_per_parameter_does_not_size_a_cache() -> None:
    """github.com/HenriGrimm/Minnow/pull/854: 8e-6 GB per billion parameters and token."""
    worst = 0.0
    for slug in ("llama-3-8b", "qwen3-0.6b", "gpt-oss-20b"):
        model = MODELS[slug]
        fitted = 8e-6 * 1e9 * total_parameters(model) / 1e9
        ratio = fitted / (cache_bytes(model, tokens=32_768) / 32_768)
        worst = max(worst, ratio, 1 / ratio)
    assert worst > 14
