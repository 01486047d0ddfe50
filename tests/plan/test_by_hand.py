"""Plans beside sums written out by hand from the published configurations, to the last byte."""

import json

import pytest

from scripts import plan

KEPT = 2**28 + 2**29  # workspaces and the driver's context


def ask(capsys: pytest.CaptureFixture[str], line: str) -> dict[str, float]:
    plan.main([*line.split(), "--json"])
    answer = json.loads(capsys.readouterr().out)
    memory: dict[str, float] = answer["memory_bytes"]
    assert answer["total_bytes"] == pytest.approx(sum(memory.values()), rel=1e-12)
    assert memory["workspace"] + memory["driver"] == KEPT
    return memory


# Layer by layer: attention's queries, keys and values, output; the MLP; norms; then the rest.
LLAMA_2_7B = 32 * (4 * 4096**2 + 3 * 4096 * 11008 + 2 * 4096) + 2 * 32000 * 4096 + 4096
LLAMA_8B_MATRICES = 32 * (2 * 4096**2 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
LLAMA_8B_REST = 2 * 128256 * 4096 + (2 * 32 + 1) * 4096
LLAMA_70B_MATRICES = 80 * (2 * 8192**2 + 2 * 8192 * 1024 + 3 * 8192 * 28672)
QWEN3_0_6B = (
    28 * (2 * 1024 * 16 * 128 + 2 * 1024 * 8 * 128 + 2 * 128 + 3 * 1024 * 3072 + 2 * 1024)
    + 151936 * 1024
    + 1024
)
MIXTRAL_EXPERTS = 32 * 8 * 3 * 4096 * 14336
MIXTRAL_ATTENTION = 32 * (2 * 4096**2 + 2 * 4096 * 1024)
GPT2_XL = (
    48 * (4 * 1600**2 + 4 * 1600 + 8 * 1600**2 + 5 * 1600 + 4 * 1600)
    + (50257 + 1024) * 1600
    + 2 * 1600
)
GPT_OSS_EXPERT_MATRICES = 24 * 32 * 3 * 2880 * 2880
GPT_OSS_EXPERT_BIASES = 24 * 32 * (2 * 2880 + 2880)
GPT_OSS_ATTENTION = 24 * (
    2880 * 4096 + 4096 + 2 * (2880 * 512 + 512) + 4096 * 2880 + 2880 + 64  # and the sinks
)
GPT_OSS_ATTENTION_MATRICES = 24 * (2880 * 4096 + 2 * 2880 * 512 + 4096 * 2880)
GPT_OSS_REST = 24 * (2880 * 32 + 32 + 2 * 2880) + 2 * 201088 * 2880 + 2880
DEEPSEEK_V2_LITE_LAYER = (
    2048 * 16 * 192 + 2048 * (512 + 64) + 512 + 512 * 16 * (128 + 128) + 16 * 128 * 2048
)
DEEPSEEK_V2_LITE = (
    27 * (DEEPSEEK_V2_LITE_LAYER + 2 * 2048)
    + 3 * 2048 * 10944
    + 26 * ((64 + 2) * 3 * 2048 * 1408 + 64 * 2048)
    + 2 * 102400 * 2048
    + 2048
)

PLANS = {
    "llama-2-7b --context 4096 --batch 3": (2 * LLAMA_2_7B, 3 * 32 * 4096 * 2 * 4096 * 2),
    "llama-3.1-8b --format int4-g32 --context 128k --cache fp8": (
        (LLAMA_8B_MATRICES * 4.5 + LLAMA_8B_REST * 16) / 8,
        32 * 131072 * 2 * 8 * 128,
    ),
    "llama-3.1-70b --gpus 8 --format int4-g32 --context 32k --batch 16": (
        (LLAMA_70B_MATRICES * 4.5 + 2 * 128256 * 8192 * 16) / 8 / 8 + 161 * 8192 * 2,
        16 * 80 * 32768 * 2 * 1 * 128 * 2,
    ),
    # Sixteen GPUs share eight key-value heads: each head is on two of them.
    "llama-3.1-70b --gpus 16 --context 1000": (
        (LLAMA_70B_MATRICES + 2 * 128256 * 8192) * 2 / 16
        + 80 * 2 * 8192 * 1024 * 2 * (1 / 8 - 1 / 16)
        + 161 * 8192 * 2,
        80 * 1000 * 2 * 1 * 128 * 2,
    ),
    "qwen3-0.6b --context 40960 --format fp32": (4 * QWEN3_0_6B, 28 * 40960 * 2 * 8 * 128 * 2),
    "mixtral-8x7b --format fp8 --context 8k --gpus 4": (
        (MIXTRAL_EXPERTS + MIXTRAL_ATTENTION + 2 * 2 * 32000 * 4096) / 4
        + 2 * (32 * 4096 * 8 + 65 * 4096),
        32 * 8192 * 2 * 8 * 128 * 2 / 4,
    ),
    "gpt2-xl --context 1024 --format fp16": (2 * GPT2_XL, 48 * 1024 * 2 * 1600 * 2),
    # Four of the twenty-six layers keep every token, the others a window of 512.
    "gemma-3-1b --context 32k": (None, (4 * 32768 + 22 * 512) * 2 * 256 * 2),
    "gpt-oss-20b --format mxfp4-experts --context 1000": (
        GPT_OSS_EXPERT_MATRICES * 4.25 / 8
        + 2 * (GPT_OSS_EXPERT_BIASES + GPT_OSS_ATTENTION + GPT_OSS_REST),
        (12 * 1000 + 12 * 128) * 2 * 8 * 64 * 2,
    ),
    "gpt-oss-20b --format int4-g32 --gpus 4 --context 1000": (
        (GPT_OSS_EXPERT_MATRICES + GPT_OSS_ATTENTION_MATRICES) * 4.5 / 8 / 4
        # Biases and sinks are cut, but those of what is summed over GPUs are on each.
        + 2 * (24 * 32 * 2 * 2880 + 24 * (4096 + 2 * 512 + 64)) / 4
        + 2 * (24 * 32 * 2880 + 24 * 2880)
        + 2 * 2 * 201088 * 2880 / 4
        + 2 * (24 * (2880 * 32 + 32 + 2 * 2880) + 2880),
        (12 * 1000 + 12 * 128) * 2 * 8 * 64 * 2 / 4,
    ),
    # The latent vector and the rotary key have no heads to split: every GPU holds them all.
    "deepseek-v2-lite --context 32k --batch 2": (
        2 * DEEPSEEK_V2_LITE,
        2 * 27 * 32768 * (512 + 64) * 2,
    ),
    "deepseek-v2-lite --context 32k --batch 2 --gpus 4": (
        None,
        2 * 27 * 32768 * (512 + 64) * 2,
    ),
}


@pytest.mark.parametrize("line", PLANS)
def test_weights_and_cache(capsys: pytest.CaptureFixture[str], line: str) -> None:
    weights, cache = PLANS[line]
    memory = ask(capsys, line)
    if weights is not None:
        assert memory["weights"] == pytest.approx(weights, rel=1e-12)
    assert memory["cache"] == pytest.approx(cache, rel=1e-12)


def test_training_llama_2_7b_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """Two, two, and twelve bytes; ten for each logit."""
    memory = ask(capsys, "llama-2-7b --train --context 4096")
    assert memory["weights"] == memory["gradients"] == 2 * LLAMA_2_7B
    assert memory["optimizer"] == 12 * LLAMA_2_7B
    assert memory["logits"] == 10 * 4096 * 32000


def test_training_qwen3_with_zero_over_eight(capsys: pytest.CaptureFixture[str]) -> None:
    """ZeRO-2 divides gradients and optimizer; the tied head has no parameters of its own."""
    memory = ask(capsys, "qwen3-0.6b --train --gpus 8 --zero 2 --bytes 18 --micro-batch 2")
    assert memory["weights"] == 2 * QWEN3_0_6B
    assert memory["gradients"] == pytest.approx(4 * QWEN3_0_6B / 8)
    assert memory["optimizer"] == pytest.approx(12 * QWEN3_0_6B / 8)
    assert memory["logits"] == 10 * 2 * 4096 * 151936


@pytest.mark.parametrize(
    "line",
    [
        "deepseek-v3 --format fp8 --gpus 16 --context 128k --batch 8",  # one latent cache for all
        "llama-3.1-8b --gpus 32 --context 128k --batch 16",  # four GPUs for each key-value head
        "llama-3.1-8b --gpus 8 --context 128k --batch 16",
    ],
)
def test_each_gpu_reads_the_cache_that_it_holds(
    capsys: pytest.CaptureFixture[str], line: str
) -> None:
    plan.main([*line.split(), "--json"])
    answer = json.loads(capsys.readouterr().out)
    steps = answer["speed"]["decode_tokens_per_second_per_conversation"]
    assert 0.5 < steps * answer["memory_bytes"]["cache"] / 3.35e12 < 1


def test_decoding_reads_all_but_the_input_embedding(capsys: pytest.CaptureFixture[str]) -> None:
    """And the cache of every conversation: 3,350 GB/s over what one step reads."""
    plan.main(["llama-3.1-8b", "--context", "32k", "--batch", "2", "--json"])
    speed = json.loads(capsys.readouterr().out)["speed"]
    read = 2 * (LLAMA_8B_MATRICES + LLAMA_8B_REST - 128256 * 4096)
    step = (read + 2 * 32 * 32768 * 2 * 8 * 128 * 2) / 3.35e12
    assert speed["decode_tokens_per_second"] == pytest.approx(2 / step, rel=1e-12)
    assert speed["decode_tokens_per_second_per_conversation"] == pytest.approx(1 / step, rel=1e-12)


@pytest.mark.parametrize(
    ("model", "tensor", "gib"),
    [
        ("llama-3.1-70b", 16, 8.372),
        ("llama-2-70b", 64, 2.283),
        ("gemma-2b", 8, 0.614),
        ("qwen2.5-3b", 16, 0.390),
        # an eighth of 671.03e9, and seven eighths of latent projections (0.92e9) and routers (0.11e9)
        ("deepseek-v3", 8, 2 * (671.03e9 + 7 * (0.924e9 + 0.107e9)) / 8 / 2**30),
    ],
)
def test_training_holds_copies_of_what_a_split_cannot_cut(
    capsys: pytest.CaptureFixture[str], model: str, tensor: int, gib: float
) -> None:
    memory = ask(capsys, f"{model} --train --context 512 --tensor {tensor}")
    assert memory["weights"] / 2**30 == pytest.approx(gib, rel=1e-3)
    assert memory["optimizer"] == 6 * memory["weights"]


def test_zero_gathers_an_embedding_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """Gemma 2 9B: 256,000 rows of 3,584 numbers, with its largest layer; not two average layers."""
    memory = ask(capsys, "gemma-2-9b --train --context 512 --data 8 --zero 3")
    layer = 2 * 3584 * (16 + 8) * 256 + 3 * 3584 * 14336 + 4 * 3584
    assert memory["gathered_weights"] == 2 * (256_000 * 3584 + layer)
