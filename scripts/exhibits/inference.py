"""Inference: steps under the roofline, caches by design, what guesses are worth, a service's trade-off."""

from dataclasses import replace

from scripts.figures.drawing import Figure, figure, label_ends
from scripts.figures.palette import BLUE, GREEN, INK, ORANGE, PURPLE, VERMILLION
from snippets.bandwidth import attainable_operations
from snippets.hardware import h100_sxm
from snippets.kv_cache import cache_bytes
from snippets.models import deepseek_v3, gemma_3_27b, llama_2_7b, llama_3_1_8b, llama_3_1_70b
from snippets.operations import (
    attention_operations,
    forward_operations,
    mean_attention_operations,
    multiplied_operations,
)
from snippets.service_plan import ServicePlan, service_times
from snippets.serving_constants import SERVING
from snippets.speculation import checking_cost, speculation_speedup
from snippets.speed import balanced_batch, weights_read
from snippets.weight_formats import fp8_weights, fp16_weights

DESIGNS = (
    (llama_2_7b, VERMILLION),
    (llama_3_1_70b, ORANGE),
    (llama_3_1_8b, BLUE),
    (gemma_3_27b, GREEN),
    (deepseek_v3, PURPLE),
)
CONTEXTS = [2**power for power in range(9, 18)]
TICKS = [2**power for power in range(10)]
BATCHES = range(1, TICKS[-1] + 1)  # each, since the lines have corners between the ticks
GUESSES = 4
ACCEPTANCES = {0.9: BLUE, 0.8: GREEN, 0.6: ORANGE}


def steps() -> list[tuple[str, float, float, str]]:
    """Name, operations, bytes and colour of steps of Llama 3.1 8B in FP16 at 2,048 tokens."""
    model, tokens = llama_3_1_8b, 2048
    cache = cache_bytes(model, tokens=tokens)
    found = [
        (
            f"decode, batch {batch}",
            batch * forward_operations(model, context=tokens),
            weights_read(model, fp16_weights, tokens=batch) + batch * cache,
            BLUE,
        )
        for batch in (1, 16, 64, 256)
    ]
    found += [
        (
            f"prefill, {prompt:,} tokens",
            prompt * (multiplied_operations(model) + mean_attention_operations(model, prompt)),
            weights_read(model, fp16_weights, tokens=prompt) + cache_bytes(model, tokens=prompt),
            ORANGE,
        )
        for prompt in (128, 1024)
    ]
    return [*found, ("decode, attention alone", attention_operations(model, tokens), cache, GREEN)]


@figure("serving-roofline", "Steps of Llama 3.1 8B under the roof of an H100", height=4.2)
def serving_roofline(sheet: Figure) -> None:
    """Attainable operations/s over intensity: the roof, and a point for each step."""
    peak, bandwidth = h100_sxm.dense_fp16 or 0, h100_sxm.memory_bandwidth
    axes = sheet.axes()
    across = [2 ** (power / 4) for power in range(-2, 49)]

    def reach(intensity: float) -> float:
        return attainable_operations(
            peak_operations=peak, memory_bandwidth=bandwidth, intensity=intensity
        )

    roof = [reach(each) for each in across]
    axes.plot(across, roof, color=INK, label="H100 SXM, FP16")
    for name, operations, moved, colour in steps():
        intensity = operations / moved
        reached = reach(intensity)
        axes.plot([intensity], [reached], "o", color=colour, label=name)
        above = reached == peak
        axes.annotate(
            name,
            (intensity, reached),
            xytext=(0, 8) if above else (8, -11),
            textcoords="offset points",
            ha="center" if above else "left",
            fontsize=10,
            color=colour,
        )
    axes.set(xscale="log", yscale="log", xlim=(0.7, 4096), ylim=(1e12, 2.5e15))
    axes.set_xlabel("arithmetic intensity, operations per byte")
    axes.set_ylabel("operations per second")
    axes.grid()


@figure("service-tradeoff", "What a larger batch buys, and what users wait for it", height=4)
def service_tradeoff(sheet: Figure) -> None:
    """TPOT and TTFT over output tokens/s of a replica, each point a batch."""
    batches = [2**power for power in range(9)]
    plan = ServicePlan(
        model=llama_3_1_70b, weights=fp8_weights, card=h100_sxm, prompt=2000, answer=500, tensor=4
    )
    times = [service_times(replace(plan, batch=batch), SERVING) for batch in batches]
    across = [each.tokens_per_second for each in times]
    axes = sheet.axes()
    for label, up, colour in (
        ("time to first token", [each.ttft for each in times], ORANGE),
        ("time per output token", [each.tpot for each in times], BLUE),
    ):
        axes.plot(across, up, "o-", color=colour, ms=5, label=label)
    for batch, at, each in zip(batches, across, times, strict=True):
        axes.annotate(
            f"{batch}",
            (at, each.tpot),
            xytext=(0, -15),
            textcoords="offset points",
            fontsize=10,
            ha="center",
        )
    axes.set(xscale="log", yscale="log", xlabel="output tokens per second", ylabel="seconds")
    axes.set_xlim(across[0] * 0.8, across[-1] * 5)
    axes.set_ylim(times[0].tpot / 2.2, None)
    axes.grid(visible=True, axis="y")
    label_ends(axes, fontsize=11)


@figure("cache-by-design", "The cache of one conversation, by design", height=4)
def cache_by_design(sheet: Figure) -> None:
    """GB over tokens, a line for each model."""
    axes = sheet.axes()
    for model, colour in DESIGNS:
        held = [cache_bytes(model, tokens=tokens) / 1e9 for tokens in CONTEXTS]
        axes.plot(CONTEXTS, held, color=colour, label=model.name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(CONTEXTS[::2], [f"{tokens:,}" for tokens in CONTEXTS[::2]])
    axes.set(xlabel="tokens of the conversation", ylabel="GB in sixteen bits")
    axes.set_xlim(CONTEXTS[0], CONTEXTS[-1] * 8)
    axes.grid(visible=True, axis="y")
    label_ends(axes, fontsize=11)


@figure("speculation", "What guesses are worth, by batch", height=3.6)
def speculation(sheet: Figure) -> None:
    """Speed-up over batch for free guesses, a line for each acceptance."""
    balanced = balanced_batch(
        llama_3_1_8b,
        fp16_weights,
        peak_operations=h100_sxm.dense_fp16 or 0,
        memory_bandwidth=h100_sxm.memory_bandwidth or 0,
    )
    axes = sheet.axes()
    for acceptance, colour in ACCEPTANCES.items():
        gains = [
            speculation_speedup(
                acceptance=acceptance,
                guesses=GUESSES,
                draft_cost=0,
                checking=checking_cost(sequences=batch, guesses=GUESSES, balanced_batch=balanced),
            )
            for batch in BATCHES
        ]
        axes.plot(BATCHES, gains, color=colour, label=f"{acceptance:.0%} right")
    axes.axhline(1, color=INK, lw=1, ls="--", label="plain decoding")
    axes.set_xscale("log", base=2)
    axes.set_xticks(TICKS, [f"{batch}" for batch in TICKS])
    axes.set(xlabel="sequences in the batch", ylabel="times as fast")
    axes.set_xlim(1, TICKS[-1] * 2.5)
    axes.grid(visible=True, axis="y")
    label_ends(axes)
