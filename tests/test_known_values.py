"""Values worked by hand or quoted from a named source, each beside the usual mistake.

Each test holds the right value to the library's arithmetic, and shows that the mistake is another.
"""

import math
from dataclasses import replace

import pytest

from snippets.bandwidth import (
    arithmetic_intensity,
    balance_point,
    decode_ceiling,
    saxpy_bytes,
    saxpy_operations,
)
from snippets.hardware import a100_80gb_sxm, b200_sxm, h100_sxm
from snippets.kept_activations import layer_kept_bytes
from snippets.kv_cache import cache_bytes, cache_growth, cached_tokens
from snippets.model_parameters import (
    active_parameters,
    count_parameters,
    total_parameters,
)
from snippets.models import (
    Model,
    deepseek_v2,
    deepseek_v3,
    gemma_2_9b,
    gemma_3_27b,
    gpt_oss_20b,
    gpt_oss_120b,
    llama_2_7b,
    llama_2_70b,
    llama_3_1_8b,
    llama_3_1_70b,
    mistral_small_24b,
    mixtral_8x7b,
    pythia_1_4b,
    pythia_6_9b,
    qwen3_0_6b,
    qwen3_4b,
)
from snippets.pipeline_stages import pipeline_stages, stage_parameters
from snippets.quantized_size import bits_per_weight
from snippets.speed import weights_read
from snippets.stage_memory import stage_memory
from snippets.training_memory import (
    BOTH_GRADIENTS,
    FP32_GRADIENTS,
    MIXED_PRECISION,
    bytes_per_parameter,
    layer_activation_bytes,
    materialised_activation_bytes,
    recomputed_activation_bytes,
    training_bytes,
    zero_bytes_per_parameter,
)
from snippets.training_plan import TrainingPlan, in_flight
from snippets.weight_bytes import checkpoint_bytes, model_bytes
from snippets.weight_formats import WEIGHT_FORMATS, fp16_weights, q4_0
from tests.models.variant import variant

GiB = 2**30
GB = 1e9


class TestParameters:
    def test_llama_2_7b_has_three_mlp_matrices_of_its_own_width(self) -> None:
        assert total_parameters(llama_2_7b) == pytest.approx(6.738e9, rel=1e-4)
        assert count_parameters(llama_2_7b).mlp == 32 * 3 * 4096 * 11008

    def test_llama_3_1_70b_shares_key_value_heads(self) -> None:
        assert total_parameters(llama_3_1_70b) == pytest.approx(70.554e9, rel=1e-5)
        mistaken = variant("llama-3.1-70b", num_key_value_heads=64)
        assert total_parameters(mistaken) > 79e9

    def test_pythia_1_4b_in_the_matrices_of_its_layers(self) -> None:
        parts = count_parameters(pythia_1_4b)
        width, layers = 2048, 24
        biases = layers * (4 + 5) * width
        assert parts.attention + parts.mlp - biases == 1_207_959_552 == layers * 12 * width**2

    def test_qwen3_0_6b_has_its_own_head_dim_and_tied_embeddings(self) -> None:
        assert total_parameters(qwen3_0_6b) == pytest.approx(0.596e9, rel=1e-3)
        twice = variant("qwen3-0.6b", tie_word_embeddings=False)
        assert total_parameters(twice) == 751_632_384
        narrow = variant("qwen3-0.6b", head_dim=1024 // 16)
        assert total_parameters(narrow) < 0.51e9

    def test_mixtral_replaces_the_mlp_by_experts(self) -> None:
        assert total_parameters(mixtral_8x7b) == pytest.approx(46.7e9, rel=1e-3)
        assert active_parameters(mixtral_8x7b) == pytest.approx(12.9e9, rel=2e-3)
        dense = 32 * 3 * 4096 * 14336
        assert total_parameters(mixtral_8x7b) + dense > 52e9
        assert total_parameters(mixtral_8x7b) < 8 * 7e9

    def test_decode_ceiling_with_and_without_the_input_embedding(self) -> None:
        bandwidth = h100_sxm.memory_bandwidth
        whole = weights_read(llama_3_1_8b, fp16_weights, embedding=True)
        assert whole == 2 * total_parameters(llama_3_1_8b) == 2 * 8_030_261_248
        assert round(decode_ceiling(bandwidth, whole)) == 209
        assert round(decode_ceiling(bandwidth, weights_read(llama_3_1_8b, fp16_weights))) == 223
        assert count_parameters(llama_3_1_8b).embedding == pytest.approx(525e6, rel=1e-3)


class TestCache:
    def test_llama_2_7b_keeps_keys_and_values(self) -> None:
        assert cache_bytes(llama_2_7b, tokens=4096) == 2 * GiB

    def test_mistral_small_has_its_own_head_dim(self) -> None:
        assert cache_growth(mistral_small_24b) == 163_840
        assert cache_growth(variant("mistral-small-24b", head_dim=5120 // 32)) == 1.25 * 163_840

    def test_qwen3_0_6b_has_its_own_head_dim(self) -> None:
        assert cache_growth(qwen3_0_6b) == 114_688
        assert cache_growth(variant("qwen3-0.6b", head_dim=64)) == 57_344

    def test_deepseek_v2_keeps_one_latent_vector_and_one_rotary_key(self) -> None:
        assert cache_growth(deepseek_v2) == 69_120 == 60 * (512 + 64) * 2

    @pytest.mark.parametrize("tokens", [100, 4096, 8000])
    def test_sliding_windows_hold_no_more_than_themselves(self, tokens: int) -> None:
        """Gemma 2 9B: 21 of 42 layers look back 4,096 tokens."""
        by_layer = [min(4096, tokens) if layer % 2 == 0 else tokens for layer in range(42)]
        assert cached_tokens(gemma_2_9b, tokens) == sum(by_layer)

    def test_gemma_3_27b_at_its_longest(self) -> None:
        full = cache_growth(gemma_3_27b) * 131_072
        held = cache_bytes(gemma_3_27b, tokens=131_072)
        assert full == pytest.approx(60.5 * GiB, rel=0.03)
        assert held == pytest.approx(10.2 * GiB, rel=0.03)


class TestTraining:
    def test_conventions_name_their_terms(self) -> None:
        assert bytes_per_parameter(MIXED_PRECISION) == 16
        assert bytes_per_parameter(FP32_GRADIENTS) == 18
        assert bytes_per_parameter(BOTH_GRADIENTS) == 20

    def test_llama_2_7b_sums_its_parts(self) -> None:
        needed = training_bytes(total_parameters(llama_2_7b))
        assert needed == pytest.approx(107.8e9, rel=1e-3)
        assert round(needed / GiB, 2) == 100.41

    @pytest.mark.parametrize(("stage", "gb"), [(0, 120), (1, 31.4), (2, 16.6), (3, 1.9)])
    def test_zero_paper_figure_1(self, stage: int, gb: float) -> None:
        per_gpu = 7.5e9 * zero_bytes_per_parameter(stage=stage, copies=64)
        assert per_gpu / GB == pytest.approx(gb, abs=0.05)

    def test_pythia_6_9b_divides_its_gradients_too(self) -> None:
        (stage,) = pipeline_stages(pythia_6_9b, 1)
        per_gpu = stage_parameters(pythia_6_9b, stage, tensor=2)
        assert 4 * per_gpu / GiB == pytest.approx(12.80, rel=3e-3)
        plan = TrainingPlan(model=pythia_6_9b, tokens=2048, tensor=2, state=FP32_GRADIENTS)
        assert stage_memory(plan, 0).gradients / GiB == pytest.approx(12.80, rel=3e-3)
        assert 4 * total_parameters(pythia_6_9b) / GiB == pytest.approx(25.6, rel=3e-3)

    def test_activations_with_and_without_stored_scores(self) -> None:
        shape = {"tokens": 4096, "sequences": 1, "width": 4096}
        assert 32 * materialised_activation_bytes(**shape, heads=32) / GiB == 97.0
        assert 32 * layer_activation_bytes(**shape) / GiB == 17.0

    def test_full_recomputation_keeps_inputs_alone(self) -> None:
        kept = recomputed_activation_bytes(tokens=2048, sequences=1, width=4096, layers=32)
        assert kept / GiB == 0.5
        assert 32 * layer_activation_bytes(tokens=2048, sequences=1, width=4096) / GiB == 8.5
        plan = TrainingPlan(model=llama_2_7b, tokens=2048, recompute=True)
        one_layer = replace(plan, model=replace(llama_2_7b, layers=1))
        all_layers = stage_memory(plan, 0).activations
        assert all_layers - stage_memory(one_layer, 0).activations == 31 / 32 * GiB / 2

    def test_a_stage_holds_its_own_layers_for_all_in_flight(self) -> None:
        assert [in_flight(rank=r, pipeline=4, micro_batches=9) for r in range(4)] == [4, 3, 2, 1]
        plan = TrainingPlan(model=llama_2_7b, tokens=512, pipeline=4, micro_batches=9)
        one = TrainingPlan(model=llama_2_7b, tokens=512)
        whole = stage_memory(one, 0).activations
        layers = [len(stage.layers) for stage in pipeline_stages(llama_2_7b, 4)]
        for index, count in enumerate(layers):
            expected = whole / 32 * count * (4 - index)
            assert stage_memory(plan, index).activations == pytest.approx(expected)


class TestHardware:
    def test_the_balance_of_an_h100_is_that_of_its_dense_rate(self) -> None:
        assert round(balance_point(h100_sxm.dense_fp16 or 0, h100_sxm.memory_bandwidth)) == 295

    def test_a100_80_gb_is_80_gib(self) -> None:
        assert a100_80gb_sxm.memory / GB == pytest.approx(85.9, abs=0.05)

    def test_saxpy_writes_its_result(self) -> None:
        intensity = arithmetic_intensity(saxpy_operations(1000), saxpy_bytes(1000))
        assert intensity == pytest.approx(1 / 6)


class TestBits:
    @pytest.mark.parametrize(
        ("slug", "bits"),
        [
            ("int4-g32", 4.5),
            ("int4-g128-zero", 4.15625),
            ("q8_0", 8.5),
            ("mxfp4", 4.25),
            ("nf4", 4.5),
        ],
    )
    def test_scales_and_zero_points_count(self, slug: str, bits: float) -> None:
        assert WEIGHT_FORMATS[slug].matrix_bits == bits

    def test_formats_are_those_of_the_quantization_chapter(self) -> None:
        computed = {
            "int4-g32": bits_per_weight(4, 32),
            "int4-g64": bits_per_weight(4, 64),
            "int4-g128": bits_per_weight(4, 128),
            "int4-g128-zero": bits_per_weight(4, 128, zero_bits=4),
            "int3-g128": bits_per_weight(3, 128),
            "int8-g32": bits_per_weight(8, 32),
            "nf4": bits_per_weight(4, 64, scale_bits=32),
            "mxfp4": bits_per_weight(4, 32, scale_bits=8),
            "nvfp4": bits_per_weight(4, 16, scale_bits=8),
        }
        assert {slug: WEIGHT_FORMATS[slug].matrix_bits for slug in computed} == computed

    def test_llama_2_70b_in_q4_0_is_the_published_file(self) -> None:
        """36.20 GiB by llama.cpp's table."""
        assert model_bytes(llama_2_70b, q4_0) / GiB == pytest.approx(36.20, abs=0.005)

    def test_gpt_oss_checkpoints_are_the_published_bytes(self) -> None:
        assert checkpoint_bytes(gpt_oss_20b) == 13_761_264_768
        assert checkpoint_bytes(gpt_oss_120b) == 65_248_815_744

    def test_deepseek_v3_in_fp8_is_not_two_bytes_a_parameter(self) -> None:
        assert checkpoint_bytes(deepseek_v3) / total_parameters(deepseek_v3) < 1.03


class TestPublishedSpeeds:
    """Measured speeds stay under the ceiling, and their GB/s column is reproduced."""

    BANDWIDTH = 2.039e12  # A100 80 GB, whose peak a limit of 330 W does not change

    @pytest.mark.parametrize(
        ("model", "tokens_per_second", "gb_per_second"),
        [(llama_2_7b, 104.9, 1397.31), (llama_3_1_8b, 93.89, 1410.76)],
    )
    def test_gpt_fast_bf16(
        self, model: Model, tokens_per_second: float, gb_per_second: float
    ) -> None:
        read = weights_read(model, fp16_weights)
        assert tokens_per_second * read / GB == pytest.approx(gb_per_second, rel=0.013)
        ceiling = decode_ceiling(self.BANDWIDTH, read)
        assert 0.6 < tokens_per_second / ceiling < 0.8

    def test_matrix_products_stay_under_the_dense_peak(self) -> None:
        assert 794.5e12 < (h100_sxm.dense_bf16 or 0) < 1.3 * 794.5e12
        assert 271.2e12 < (a100_80gb_sxm.dense_bf16 or 0) < 1.3 * 271.2e12
        assert 1745e12 < (b200_sxm.dense_bf16 or 0) == 2250e12 < 1.3 * 1745e12


@pytest.mark.parametrize(("model", "published"), [(llama_3_1_8b, 28.0), (qwen3_4b, 38.0)])
def test_what_a_layer_leaves_in_transformers(model: Model, published: float) -> None:
    """In hidden states (stas00/ml-engineering); its code keeps what fused kernels do not.

    Each norm keeps its input in FP32, its result before it is scaled, and after; query and key
    norms alike; key-value heads are repeated for every query head, and attention's output copied;
    and the layer's own output is there too.
    """
    query = model.heads * model.head_dim
    key = model.kv_heads * model.head_dim
    norms = 2 * (2 + 1 + 1) * model.hidden_size
    head_norms = (2 + 1) * (query + key) if model.name.startswith("Qwen3") else 0
    attention = 5 * query
    mlp = 4 * model.intermediate_size
    kept = norms + head_norms + attention + mlp + model.hidden_size
    assert kept / model.hidden_size == pytest.approx(published, rel=0.006)
    fused = layer_kept_bytes(model, 0, tokens=1) / 2 / model.hidden_size
    assert 1.3 < published / fused < 1.52


def test_everything_on_a_gpu_is_the_sum_of_its_parts() -> None:
    memory = stage_memory(TrainingPlan(model=llama_2_7b, tokens=4096), 0)
    assert memory.total == math.fsum(vars(memory).values())
