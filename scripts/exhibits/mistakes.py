"""Twenty ways to get it wrong: what is asked, the tempting answer and the right one, computed."""

from dataclasses import dataclass

from scripts.tables.table import Column, Table, Values


@dataclass(frozen=True)
class Mistake:
    """Two expressions over snippets/, in base units; `unit` is how the page shows them."""

    asked: str
    tempting: str
    right: str
    unit: str
    decimals: int
    reports: tuple[str, ...] = ()


MISTAKES = (
    Mistake(
        "Parameters of Llama 2 7B: its MLP has two matrices, as textbooks draw it",
        tempting="2 * 32000 * 4096 + 32 * (4 * 4096**2 + 2 * 4096 * 4 * 4096)",
        right="total_parameters(llama_2_7b)",
        unit="billion",
        decimals=3,
    ),
    Mistake(
        "Parameters of Llama 3.1 70B: every query head has its own keys and values",
        tempting="total_parameters(llama_3_1_70b) + 80 * 2 * (64 - 8) * 128 * 8192",
        right="total_parameters(llama_3_1_70b)",
        unit="billion",
        decimals=2,
    ),
    Mistake(
        "Parameters of Qwen3 0.6B: the tied output head counts again",
        tempting="total_parameters(qwen3_0_6b) + count_parameters(qwen3_0_6b).embedding",
        right="total_parameters(qwen3_0_6b)",
        unit="billion",
        decimals=3,
    ),
    Mistake(
        "Parameters of Mixtral 8x22B: the product of the two numbers in its name",
        tempting="8 * 22e9",
        right="total_parameters(mixtral_8x22b)",
        unit="billion",
        decimals=1,
        reports=("https://github.com/mistralai/platform-docs-public/pull/44",),
    ),
    Mistake(
        "Memory of DeepSeek-V3's weights in FP8: only the experts at work need be there",
        tempting="weight_bytes(active_parameters(deepseek_v3), FP8_E4M3.bytes)",
        right="weight_bytes(total_parameters(deepseek_v3), FP8_E4M3.bytes)",
        unit="GB",
        decimals=0,
        reports=(
            "https://github.com/AlexsJones/llmfit/issues/230",
            "https://github.com/AlexsJones/llmfit/pull/497",
        ),
    ),
    Mistake(
        "Cache of Llama 2 7B at its longest: one vector a token and layer",
        tempting="32 * 4096 * 4096 * 2",
        right="cache_bytes(llama_2_7b, tokens=4096)",
        unit="GiB",
        decimals=2,
    ),
    Mistake(
        "Cache a token of Llama 3 8B: as wide as the hidden state",
        tempting="32 * 2 * 4096 * 2",
        right="cache_growth(llama_3_8b)",
        unit="KiB",
        decimals=0,
        reports=("https://github.com/vllm-project/vllm/pull/29736",),
    ),
    Mistake(
        "Cache a token of Mistral Small 24B: a head is hidden size over heads",
        tempting="40 * 2 * 8 * (5120 / 32) * 2",
        right="cache_growth(mistral_small_24b)",
        unit="KiB",
        decimals=0,
        reports=(
            "https://github.com/NVIDIA/Model-Optimizer/issues/2482",
            "https://github.com/LMCache/LMCache/issues/688",
        ),
    ),
    Mistake(
        "Cache a token of Qwen3 0.6B: a head is hidden size over heads",
        tempting="28 * 2 * 8 * (1024 / 16) * 2",
        right="cache_growth(qwen3_0_6b)",
        unit="KiB",
        decimals=0,
    ),
    Mistake(
        "Cache a token of DeepSeek-V2: keys and values of all heads",
        tempting="60 * 128 * (128 + 64 + 128) * 2",
        right="cache_growth(deepseek_v2)",
        unit="KiB",
        decimals=1,
        reports=("https://github.com/gpustack/gguf-parser-go/issues/8",),
    ),
    Mistake(
        "Cache of Gemma 3 1B at its longest: no window ever fills",
        tempting="32768 * cache_growth(gemma_3_1b)",
        right="cache_bytes(gemma_3_1b, tokens=32768)",
        unit="MiB",
        decimals=0,
        reports=("https://github.com/lablup/mlxcel/pull/172",),
    ),
    Mistake(
        "Cache a token of gpt-oss 120B, early on: layers with a window cost nothing",
        tempting="cache_growth(gpt_oss_120b) / 2",
        right="cache_growth(gpt_oss_120b)",
        unit="KiB",
        decimals=0,
        reports=("https://github.com/alvarobartt/hf-mem/issues/60",),
    ),
    Mistake(
        "Training Llama 2 7B with Adam: weights, gradients and one FP32 copy",
        tempting="(2 + 2 + 4) * total_parameters(llama_2_7b)",
        right="training_bytes(total_parameters(llama_2_7b))",
        unit="GB",
        decimals=1,
        reports=("https://github.com/caomaolufei/AIInfraGuide/issues/24",),
    ),
    Mistake(
        "FP32 gradients of Pythia 6.9B on each of two GPUs that split its matrices: all of them",
        tempting="4 * total_parameters(pythia_6_9b)",
        right="4 * total_parameters(pythia_6_9b) / 2",
        unit="GiB",
        decimals=1,
    ),
    Mistake(
        "Activations with FlashAttention: the bytes of an element once more",
        tempting="2 * 32 * layer_activation_bytes(tokens=4096, sequences=1, width=4096)",
        right="32 * layer_activation_bytes(tokens=4096, sequences=1, width=4096)",
        unit="GiB",
        decimals=1,
    ),
    Mistake(
        "Inputs that full recomputation keeps: all that a layer keeps without it",
        tempting="32 * layer_activation_bytes(tokens=2048, sequences=1, width=4096)",
        right="recomputed_activation_bytes(tokens=2048, sequences=1, width=4096, layers=32)",
        unit="GiB",
        decimals=2,
    ),
    Mistake(
        "FP16 arithmetic of an H100 SXM: the datasheet's first figure",
        tempting="1979e12",
        right="h100_sxm.dense_fp16",
        unit="TFLOP/s",
        decimals=0,
    ),
    Mistake(
        "What an H100's links send: both directions together",
        tempting="2 * h100_sxm.link_bandwidth",
        right="h100_sxm.link_bandwidth",
        unit="GB/s",
        decimals=0,
    ),
    Mistake(
        "Memory of an NVIDIA A100 SXM 80 GB: a thousand to the power of three each",
        tempting="80e9",
        right="a100_80gb_sxm.memory",
        unit="GB",
        decimals=1,
    ),
    Mistake(
        "Intensity of SAXPY: the result is written for nothing",
        tempting="saxpy_operations(1) / 8",
        right="saxpy_operations(1) / saxpy_bytes(1)",
        unit="",
        decimals=3,
    ),
    Mistake(
        "Seventy billion weights in four bits: their scales weigh nothing",
        tempting="quantized_bytes(70e9, 4)",
        right="quantized_bytes(70e9, bits_per_weight(4, 32))",
        unit="GB",
        decimals=1,
    ),
    Mistake(
        "A hundred trillion weights of sixteen bits: times eight bits a byte",
        tempting="100e12 * 16 * 8",
        right="100e12 * 16 / 8",
        unit="TB",
        decimals=0,
        reports=("https://github.com/cfregly/ai-performance-engineering/issues/11",),
    ),
)


def mistakes(values: Values) -> Table:
    """The tempting answer, the right one, and the one in units of the other."""
    ratio = Column("tempting / right", calc="({tempting}) / ({right})", decimals=2)
    table = Table(
        *("what is asked", "tempting", "right", ratio, "reported of"),
        values=values,
    )
    for mistake in MISTAKES:
        pair = {"tempting": mistake.tempting, "right": mistake.right}
        answers = (
            table.number(calc=each, suffix=mistake.unit, decimals=mistake.decimals)
            for each in pair.values()
        )
        reports = [f"[`{'/'.join(url.split('/')[3:5])}`](<{url}>)" for url in mistake.reports]
        table.row(mistake.asked, *answers, ", ".join(reports), **pair)
    return table


TABLES = {"mistakes": mistakes}
