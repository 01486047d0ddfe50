"""Decoding speeds that others published, beside the ceiling of what a token has to read."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from scripts.tables.table import Column, Table, Values


@dataclass(frozen=True)
class Speed:
    """One conversation's tokens/s on `card`; `read`, the bytes a token reads, over snippets/."""

    card: str
    model: str
    weights: str
    tokens_per_second: float
    read: str


def all_in(model: str, bits: str) -> str:
    """Bytes of all that a token reads with every matrix, the output head too, at `bits` each.

    torchao's column of model sizes agrees to the digits that it shows.
    """
    return (
        f"quantized_bytes(total_parameters({model}) - count_parameters({model}).embedding, {bits})"
    )


# Both libraries store a 16-bit scale and a 16-bit zero point with each group of four-bit weights.
GROUPS_OF_32 = "bits_per_weight(4, 32, zero_bits=16)"
GROUPS_OF_64 = "bits_per_weight(4, 64, zero_bits=16)"
# llama.cpp keeps the head of a Q4_0 file in Q6_K: 256 weights of six bits, sixteen scales of
# eight bits and one of sixteen.
Q4_0_FILE = (
    "weights_read(llama_2_7b, q4_0) + quantized_bytes(count_parameters(llama_2_7b).head,"
    " bits_per_weight(6, 256, scale_bits=16 * 8 + 16) - q4_0.matrix_bits)"
)
A100 = "a100_80gb_sxm"

GPT_FAST = (  # limited to 330 W
    Speed(A100, "Llama 2 7B", "BF16", 104.9, all_in("llama_2_7b", "16")),
    Speed(A100, "Llama 2 7B", "INT8", 155.58, all_in("llama_2_7b", "8")),
    Speed(A100, "Llama 2 7B", "INT4, groups of 32", 196.80, all_in("llama_2_7b", GROUPS_OF_32)),
    Speed(A100, "Llama 2 70B", "INT8", 19.13, all_in("llama_2_70b", "8")),
    Speed(A100, "Llama 2 70B", "INT4, groups of 32", 25.25, all_in("llama_2_70b", GROUPS_OF_32)),
    Speed(A100, "Llama 3.1 8B", "BF16", 93.89, all_in("llama_3_1_8b", "16")),
    Speed(A100, "Llama 3.1 8B", "INT8", 137.64, all_in("llama_3_1_8b", "8")),
)
TORCHAO = (
    Speed(A100, "Llama 2 7B", "BF16", 107.38, all_in("llama_2_7b", "16")),
    Speed(A100, "Llama 2 7B", "INT8", 170.83, all_in("llama_2_7b", "8")),
    Speed(A100, "Llama 2 7B", "INT4, groups of 64", 201.14, all_in("llama_2_7b", GROUPS_OF_64)),
    Speed(A100, "Llama 3 8B", "BF16", 95.64, all_in("llama_3_8b", "16")),
    Speed(A100, "Llama 3 8B", "INT8", 153.03, all_in("llama_3_8b", "8")),
    Speed(A100, "Llama 3 8B", "INT4, groups of 64", 180.80, all_in("llama_3_8b", GROUPS_OF_64)),
)
LLAMA_CPP = tuple(
    Speed(card, "Llama 2 7B", weights, tokens_per_second, read)
    for card, figures in (
        ("m4_pro", (17.18, 30.69, 50.74)),
        ("m4_max", (31.64, 54.05, 83.06)),
        ("m2_ultra", (41.02, 66.64, 94.27)),
    )
    for weights, read, tokens_per_second in zip(
        ("FP16", "GGUF Q8_0", "GGUF Q4_0"),
        ("weights_read(llama_2_7b, fp16_weights)", "weights_read(llama_2_7b, q8_0)", Q4_0_FILE),
        figures,
        strict=True,
    )
)
CARDS = {
    A100: "NVIDIA A100 SXM 80 GB",
    "m4_pro": "Apple M4 Pro",
    "m4_max": "Apple M4 Max",
    "m2_ultra": "Apple M2 Ultra",
}
PUBLISHED: dict[str, dict[str, tuple[Speed, ...]]] = {  # table, then work and place in it
    "decode-speeds": {"gptfast2023: README, benchmarks": GPT_FAST},
    "decode-speeds-others": {
        "torchao2024: quantization README, benchmarks": TORCHAO,
        "gerganov2023apple: summary table": LLAMA_CPP,
    },
}


def _speeds(works: Mapping[str, tuple[Speed, ...]], values: Values) -> Table:
    """A row for each speed of some works."""
    table = Table(
        *("card", "model", "weights"),
        Column("measured, tokens/s", cite="{work} = {measured}"),
        Column("ceiling", calc="{ceiling}", decimals=0),
        Column("share", calc="{measured} / {ceiling}", decimals=2),
        values=values,
    )
    for work, speeds in works.items():
        for speed in speeds:
            table.row(
                *(CARDS[speed.card], speed.model, speed.weights),
                work=work,
                measured=repr(speed.tokens_per_second),
                ceiling=f"decode_ceiling({speed.card}.memory_bandwidth, {speed.read})",
            )
    return table


TABLES = {name: partial(_speeds, works) for name, works in PUBLISHED.items()}
