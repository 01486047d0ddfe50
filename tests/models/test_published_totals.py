"""Parameter counts against published totals."""

import pytest

from snippets.model_parameters import active_parameters, total_parameters
from snippets.models import MODELS
from snippets.models.decoder import SHAPE_KEYS

# Totals of the published checkpoints: tensors of the safetensors files as the model pages show
# them; for Pythia, the table in its README. A tied or doubly stored output head counts once.
PUBLISHED = {
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
    "pythia-70m": 70_426_624,
    "pythia-160m": 162_322_944,
    "pythia-410m": 405_334_016,
    "pythia-1b": 1_011_781_632,
    "pythia-1.4b": 1_414_647_808,
    "pythia-2.8b": 2_775_208_960,
    "pythia-6.9b": 6_857_302_016,
    "pythia-12b": 11_846_072_320,
    "opt-125m": 125_239_296,
    "opt-1.3b": 1_315_758_080,
    "llama-2-7b": 6_738_415_616,
    "llama-2-13b": 13_015_864_320,
    "llama-2-70b": 68_976_648_192,
    "llama-3.1-8b": 8_030_261_248,
    "llama-3.1-70b": 70_553_706_496,
    "llama-3.1-405b": 405_853_388_800,
    "llama-3.2-1b": 1_235_814_400,
    "llama-3.2-3b": 3_212_749_824,
    "mistral-7b": 7_241_732_096,
    "mistral-nemo-12b": 12_247_782_400,
    "mistral-small-24b": 23_572_403_200,
    "mistral-large-123b": 122_610_069_504,
    "mixtral-8x7b": 46_702_792_704,
    "mixtral-8x22b": 140_620_634_112,
    "qwen2.5-0.5b": 494_032_768,
    "qwen2.5-1.5b": 1_543_714_304,
    "qwen2.5-3b": 3_085_938_688,
    "qwen2.5-7b": 7_615_616_512,
    "qwen2.5-14b": 14_770_033_664,
    "qwen2.5-32b": 32_763_876_352,
    "qwen2.5-72b": 72_706_203_648,
    "qwen3-0.6b": 596_049_920,
    "qwen3-1.7b": 1_720_574_976,
    "qwen3-4b": 4_022_468_096,
    "qwen3-8b": 8_190_735_360,
    "qwen3-14b": 14_768_307_200,
    "qwen3-32b": 32_762_123_264,
    "qwen3-30b-a3b": 30_532_122_624,
    "qwen3-235b-a22b": 235_093_634_560,
    "gemma-2b": 2_506_172_416,
    "gemma-7b": 8_537_680_896,
    "gemma-2-2b": 2_614_341_888,
    "gemma-2-9b": 9_241_705_984,
    "gemma-2-27b": 27_227_128_320,
    "gemma-3-270m": 268_098_176,
    "gemma-3-1b": 999_885_952,
    "phi-1.5": 1_418_270_720,
    "phi-2": 2_779_683_840,
    "phi-3-mini": 3_821_079_552,
    "phi-3-medium": 13_960_238_080,
    "phi-4": 14_659_507_200,
    "phi-4-mini": 3_836_021_760,
    "deepseek-v2-lite": 15_706_484_224,
    "deepseek-v2": 235_741_434_880,
    "gpt-oss-20b": 20_914_757_184,
    "gpt-oss-120b": 116_829_156_672,
    "smollm2-135m": 134_515_008,
    "smollm2-360m": 361_821_120,
    "smollm2-1.7b": 1_711_376_384,
}


@pytest.mark.parametrize("slug", PUBLISHED)
def test_total_is_the_published_one(slug: str) -> None:
    assert total_parameters(MODELS[slug]) == PUBLISHED[slug]


def test_gemma_3_4b_with_its_image_encoder_is_the_published_total() -> None:
    image_encoder, projector = 416_866_032, 1152 * 2560 + 1152
    published = 4_300_079_472
    assert total_parameters(MODELS["gemma-3-4b"]) + image_encoder + projector == published


@pytest.mark.parametrize(
    ("slug", "billions"),
    [  # as their makers say, to the digits they give
        ("mixtral-8x7b", 12.9),
        ("mixtral-8x22b", 39.1),
        ("deepseek-v2", 21.4),
        ("qwen3-30b-a3b", 3.35),
        ("qwen3-235b-a22b", 22.2),
    ],
)
def test_active_parameters(slug: str, billions: float) -> None:
    assert active_parameters(MODELS[slug]) / 1e9 == pytest.approx(billions, rel=0.005)


def test_every_figure_has_a_source() -> None:
    for model in MODELS.values():
        assert set(model.sources) == set(SHAPE_KEYS)
