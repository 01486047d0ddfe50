"""How many bits a weight takes in the formats that models are served in: those of the weight
itself, and its share of its group's scale.
"""

from dataclasses import dataclass

from snippets.sources import Source


@dataclass(frozen=True, kw_only=True)
class WeightFormat:
    """Bits per weight of the layers' matrices, scales included, and of everything else.

    `own_expert_bits` where the matrices of experts have bits of their own; else 0. A GGUF `mixture`
    has a format for each matrix (snippets/gguf_mixtures.py), `matrix_bits` for most of them; "published"
    means the bits that a model's own checkpoint has. Weights that are `widened` to 16 bits before they are
    multiplied save bytes, and no operations.
    """

    name: str
    matrix_bits: float
    other_bits: float
    own_expert_bits: float = 0
    mixture: str = ""
    widened: bool = False
    sources: dict[str, Source]


def expert_bits(weights: WeightFormat) -> float:
    """Bits per weight of an expert's matrices: those of all matrices, if it has none of its own.

    >>> expert_bits(mxfp4_experts), expert_bits(int4_g32)
    (4.25, 4.5)
    """
    return weights.own_expert_bits or weights.matrix_bits


READ = "2026-11-29"


def _described(title: str, section: str, url: str, read: str = READ) -> dict[str, Source]:
    return dict.fromkeys(("matrix_bits", "other_bits"), Source(title, section, url, read))


HANDBOOK = _described(
    "This handbook, chapter on quantization",
    "one FP16 scale per group; embedding, head and norms stay in 16 bits",
    "https://arxiv.org/abs/2210.17323",
)
IEEE = _described(
    "IEEE Std 754-2019",
    "section 3.6, table 3.5",
    "https://doi.org/10.1109/IEEESTD.2019.8766229",
    read="",
)

fp32_weights = WeightFormat(name="FP32", matrix_bits=32, other_bits=32, sources=IEEE)
fp16_weights = WeightFormat(name="FP16", matrix_bits=16, other_bits=16, sources=IEEE)
bf16_weights = WeightFormat(
    name="BF16",
    matrix_bits=16,
    other_bits=16,
    sources=_described(
        "Kalamkar et al. 2019, A study of BFLOAT16 for deep learning training",
        "abstract: a half-precision format",
        "https://arxiv.org/abs/1905.12322",
    ),
)
fp8_weights = WeightFormat(
    name="FP8",
    matrix_bits=8,
    other_bits=16,
    sources=_described(
        "Micikevicius et al. 2022, FP8 formats for deep learning",
        "table 1; one scale per matrix, which is not counted",
        "https://arxiv.org/abs/2209.05433",
    ),
)
int8_weights = WeightFormat(
    name="INT8, one scale per row",
    matrix_bits=8,
    other_bits=16,
    sources=_described(
        "Dettmers et al. 2022, LLM.int8()",
        "section 3.1: one scale per row, which is not counted",
        "https://arxiv.org/abs/2208.07339",
    ),
)
int8_g32 = WeightFormat(
    name="INT8, groups of 32",
    matrix_bits=8 + 16 / 32,
    other_bits=16,
    widened=True,
    sources=HANDBOOK,
)
int4_g32 = WeightFormat(
    name="INT4, groups of 32",
    matrix_bits=4 + 16 / 32,
    other_bits=16,
    widened=True,
    sources=HANDBOOK,
)
int4_g64 = WeightFormat(
    name="INT4, groups of 64",
    matrix_bits=4 + 16 / 64,
    other_bits=16,
    widened=True,
    sources=HANDBOOK,
)
int4_g128 = WeightFormat(
    name="INT4, groups of 128",
    matrix_bits=4 + 16 / 128,
    other_bits=16,
    widened=True,
    sources=HANDBOOK,
)
int4_g128_zero = WeightFormat(
    name="INT4, groups of 128 with a 4-bit zero point",
    matrix_bits=4 + (16 + 4) / 128,
    other_bits=16,
    widened=True,
    sources=_described(
        "Lin et al. 2024, AWQ",
        "section 5.1: groups of 128",
        "https://arxiv.org/abs/2306.00978",
    ),
)
int3_g128 = WeightFormat(
    name="INT3, groups of 128",
    matrix_bits=3 + 16 / 128,
    other_bits=16,
    widened=True,
    sources=HANDBOOK,
)


def _mixture(name: str, bits: float) -> WeightFormat:
    return WeightFormat(
        name=f"GGUF {name}",
        matrix_bits=bits,
        other_bits=bits,
        mixture=name,
        widened=True,
        sources=dict.fromkeys(
            ("matrix_bits", "other_bits"),
            Source(
                "llama.cpp, ggml quantization formats and mixtures",
                "ggml-common.h: bytes of a block; llama_tensor_get_type: the format of each tensor",
                "https://github.com/ggml-org/llama.cpp/blob/master/src/llama-quant.cpp",
                "",
            ),
        ),
    )


q8_0 = _mixture("Q8_0", 8 + 16 / 32)
q6_k = _mixture("Q6_K", 6.5625)
q5_k_m = _mixture("Q5_K_M", 5.5)
q4_k_m = _mixture("Q4_K_M", 4.5)
q4_0 = _mixture("Q4_0", 4 + 16 / 32)
iq4_xs = _mixture("IQ4_XS", 4.25)
q3_k_m = _mixture("Q3_K_M", 3.4375)
q2_k = _mixture("Q2_K", 2.625)
nf4 = WeightFormat(
    name="NF4, blocks of 64",
    matrix_bits=4 + 32 / 64,
    other_bits=16,
    widened=True,
    sources=_described(
        "Dettmers et al. 2023, QLoRA",
        "section 3: one FP32 constant for 64 weights",
        "https://arxiv.org/abs/2305.14314",
    ),
)
nf4_double = WeightFormat(
    name="NF4, blocks of 64, their scales in eight bits",
    matrix_bits=4 + 8 / 64 + 32 / (64 * 256),
    other_bits=16,
    widened=True,
    sources=_described(
        "Dettmers et al. 2023, QLoRA",
        "section 3, double quantization: 8 bits for 64 weights, 32 for 256 of those",
        "https://arxiv.org/abs/2305.14314",
    ),
)
mxfp4 = WeightFormat(
    name="MXFP4",
    matrix_bits=4 + 8 / 32,
    other_bits=16,
    sources=_described(
        "OCP Microscaling formats (MX) specification, version 1.0",
        "section 5.2: 32 elements and one 8-bit scale",
        "https://www.opencompute.org/documents/ocp-microscaling-formats-mx-v1-0-spec-final-pdf",
    ),
)
mxfp4_experts = WeightFormat(
    name="BF16, experts in MXFP4",
    matrix_bits=16,
    other_bits=16,
    own_expert_bits=4 + 8 / 32,
    sources=dict.fromkeys(
        ("matrix_bits", "other_bits", "own_expert_bits"),
        Source(
            "openai/gpt-oss-120b: config.json",
            "quantization_config: mxfp4, and the modules that are not converted",
            "https://huggingface.co/openai/gpt-oss-120b/blob/main/config.json",
            READ,
        ),
    ),
)
nvfp4 = WeightFormat(
    name="NVFP4",
    matrix_bits=4 + 8 / 16,
    other_bits=16,
    sources=_described(
        "NVIDIA Transformer Engine documentation, NVFP4",
        "16 elements and one FP8 scale; the scale of the whole tensor is not counted",
        "https://docs.nvidia.com/deeplearning/transformer-engine/user-guide/index.html",
    ),
)

published = WeightFormat(
    name="as published",
    matrix_bits=bf16_weights.matrix_bits,  # each tensor has its own: see weight_bytes
    other_bits=bf16_weights.other_bits,
    mixture="published",
    sources={},
)

WEIGHT_FORMATS: dict[str, WeightFormat] = {
    "published": published,
    "fp32": fp32_weights,
    "fp16": fp16_weights,
    "bf16": bf16_weights,
    "fp8": fp8_weights,
    "int8": int8_weights,
    "int8-g32": int8_g32,
    "int4-g32": int4_g32,
    "int4-g64": int4_g64,
    "int4-g128": int4_g128,
    "int4-g128-zero": int4_g128_zero,
    "int3-g128": int3_g128,
    "q8_0": q8_0,
    "q6_k": q6_k,
    "q5_k_m": q5_k_m,
    "q4_k_m": q4_k_m,
    "q4_0": q4_0,
    "iq4_xs": iq4_xs,
    "q3_k_m": q3_k_m,
    "q2_k": q2_k,
    "nf4": nf4,
    "nf4-double": nf4_double,
    "mxfp4": mxfp4,
    "mxfp4-experts": mxfp4_experts,
    "nvfp4": nvfp4,
}
