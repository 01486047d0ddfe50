"""Configurations as they were published, and the parameters that their own classes build.

`published.jsonl` has one on each line: the whole file, what transformers 5.24.0 (or the publication)
counts in its language model, and with what reads images. The right values of the issue tracker's
reports stand in tables below.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from snippets.model_parameters import total_parameters
from snippets.models import MODELS, model_from_config
from snippets.operations import training_operations_per_token
from snippets.speed import prefill_seconds
from snippets.weight_bytes import checkpoint_bytes, model_bytes
from snippets.weight_formats import WEIGHT_FORMATS, bf16_weights
from tests.models.variant import variant

FILE = Path(__file__).with_name("published.jsonl")
PUBLISHED: dict[str, dict[str, Any]] = {
    entry["name"]: entry for entry in map(json.loads, FILE.read_text("utf-8").splitlines())
}
# Its class takes vocabulary and context from defaults that the file contradicts.
INEXACT = {"stepfun-ai--Step-3.7-Flash": 1e-5}


@pytest.mark.parametrize("name", PUBLISHED)
def test_parameters_are_those_that_the_class_builds(name: str) -> None:
    entry = PUBLISHED[name]
    model = model_from_config(entry["config"], name=name)
    own = total_parameters(model)
    seen = sum(each.parameters for each in model.beside if "token" not in each.name)
    within = INEXACT.get(name, 0)
    assert own == pytest.approx(entry["language_model"], rel=within, abs=0)
    if entry["parameters"] != entry["language_model"]:
        assert own + seen == pytest.approx(entry["parameters"], rel=within, abs=0)


@pytest.mark.parametrize(
    ("slug", "format_slug", "tensor", "gibibytes"),
    [  # keys, values and latent projections of more GPUs than heads are held by several
        ("llama-3.1-70b", "bf16", 16, 8.372),
        ("llama-2-70b", "bf16", 64, 2.283),
        ("gemma-2b", "bf16", 8, 0.614),
        ("qwen2.5-3b", "bf16", 16, 0.390),
        ("deepseek-v3", "fp8", 8, 79.27),
    ],
)
def test_weights_on_each_gpu(slug: str, format_slug: str, tensor: int, gibibytes: float) -> None:
    held = model_bytes(MODELS[slug], WEIGHT_FORMATS[format_slug], tensor=tensor)
    assert held / 2**30 == pytest.approx(gibibytes, abs=0.005 if gibibytes > 10 else 0.0005)


@pytest.mark.parametrize(
    ("slug", "format_slug", "file_bytes"),
    [  # files that people download, with their tokenizer and header
        ("llama-3-8b", "q4_0", 4_661_211_808),
        ("gemma-2-2b", "q4_0", 1_629_518_495),
        ("llama-3.1-8b", "q8_0", 8_540_770_880),
        ("llama-3.1-8b", "q6_k", 6_596_006_464),
        ("llama-3.1-8b", "q5_k_m", 5_732_987_456),
        ("llama-3.1-8b", "q4_k_m", 4_920_734_272),
        ("llama-3.1-8b", "iq4_xs", 4_447_663_680),
        ("llama-3.1-8b", "q3_k_m", 4_018_917_952),
        ("llama-3.1-8b", "q2_k", 3_179_131_456),
        ("llama-2-7b", "q4_k_m", 4_081_004_224),
    ],
)
def test_gguf_files(slug: str, format_slug: str, file_bytes: int) -> None:
    assert model_bytes(MODELS[slug], WEIGHT_FORMATS[format_slug]) == pytest.approx(
        file_bytes, rel=0.005
    )


@pytest.mark.parametrize(
    ("slug", "right", "within"),
    [
        ("gemma-2-2b", 10_457_367_552, 0),  # in FP32
        ("gemma-2-9b", 36_966_823_936, 0),
        ("gemma-3-4b", 8_600_158_944, 0),  # with its vision tower
        ("deepseek-v3", 688_586_727_753, 2e-5),  # with its further-token module, and headers
        ("gpt-oss-120b", 65_248_815_744, 0),
    ],
)
def test_bytes_as_published(slug: str, right: int, within: float) -> None:
    assert checkpoint_bytes(MODELS[slug]) == pytest.approx(right, rel=within, abs=0)


def test_windows_count_by_their_mean_over_positions() -> None:
    model = MODELS["mistral-7b"]
    assert training_operations_per_token(model, tokens=8192) == pytest.approx(47.496e9, rel=1e-5)
    seconds = prefill_seconds(
        model, bf16_weights, tokens=8192, peak_operations=989e12, memory_bandwidth=3.35e12
    )
    assert seconds == pytest.approx(0.12897, abs=5e-6)


@pytest.mark.parametrize(
    ("slug", "changes", "right"),
    [
        (
            "llama-3.1-8b",
            {"architectures": ["LlamaForSequenceClassification"], "num_labels": 1},
            7_504_928_768,
        ),
        ("mistral-7b", {"architectures": ["MistralModel"]}, 7_110_660_096),
    ],
)
def test_a_classifier_and_a_bare_model_have_no_output_head(
    slug: str, changes: dict[str, Any], right: int
) -> None:
    assert total_parameters(variant(slug, **changes)) == right


@pytest.mark.parametrize(
    ("said", "bits"),
    [
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, 4 + 20 / 128),
        ({"quant_method": "awq", "bits": 4, "group_size": 32}, 4 + 20 / 32),
        ({"quant_method": "gptq", "bits": 4, "group_size": -1}, 4),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, 8),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, 4.5),
        (
            {
                "quant_method": "bitsandbytes",
                "load_in_4bit": True,
                "bnb_4bit_use_double_quant": True,
            },
            4 + 8 / 64 + 32 / 64 / 256,
        ),
        ({"quant_method": "fbgemm_fp8"}, 8),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, 8 + 32 / 128**2),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, 4.5),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {
                    "group_0": {"weights": {"num_bits": 4, "group_size": 32, "type": "int"}}
                },
            },
            4.5,
        ),
    ],
)
def test_bits_of_a_quantized_checkpoint(said: dict[str, Any], bits: float) -> None:
    read = variant("llama-3.1-8b", quantization_config=said)
    found = [read.stored_bits[part] for part in ("attention", "mlp", "head", "vectors")]
    assert found == [bits, bits, 16, 16]


def test_what_a_quantization_leaves_alone() -> None:
    """Llama 3.1 405B in FP8 keeps its first and last MLP, and attention is left as it was."""
    left = ["lm_head", "model.layers.0.mlp.up_proj", "model.layers.31.mlp*", "*.self_attn.*"]
    said = {"quant_method": "fbgemm_fp8", "modules_to_not_convert": left}
    read = variant("llama-3.1-8b", quantization_config=said)
    assert read.stored_bits["attention"] == 16
    assert read.stored_bits["mlp"] == 8 + 8 * 2 / 32


@pytest.mark.parametrize(
    ("name", "bits"),
    [("model.layers.5.*", 8 + 8 / 32), ("model.layers.5.input_layernorm", 8)],
)
def test_a_pattern_may_leave_a_whole_layer_alone(name: str, bits: float) -> None:
    said = {"quant_method": "fbgemm_fp8", "modules_to_not_convert": [name]}
    stored = variant("llama-3.1-8b", quantization_config=said).stored_bits
    assert (stored["attention"], stored["mlp"]) == (bits, bits)


@pytest.mark.parametrize(
    ("hidden", "right"),
    [(768, 129_135_360), (1000, 202_993_000)],  # as transformers 5.24.0 builds them
)
def test_a_rank_that_the_file_leaves_to_the_class(hidden: int, right: int) -> None:
    config = {
        "model_type": "mamba",
        "vocab_size": 50_280,
        "hidden_size": hidden,
        "num_hidden_layers": 24,
        "state_size": 16,
        "expand": 2,
        "conv_kernel": 4,
        "time_step_rank": "auto",
    }
    assert total_parameters(model_from_config(config, name="mamba")) == right
