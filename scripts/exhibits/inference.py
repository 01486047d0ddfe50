"""What a conversation keeps by a model's design, and from which batch on guesses cost time."""

from scripts.figures.drawing import Figure, figure, label_ends
from scripts.figures.palette import BLUE, GREEN, INK, ORANGE, PURPLE, VERMILLION
from snippets.hardware import h100_sxm
from snippets.kv_cache import cache_bytes
from snippets.models import deepseek_v3, gemma_3_27b, llama_2_7b, llama_3_1_8b, llama_3_1_70b
from snippets.speculation import checking_cost, speculation_speedup
from snippets.speed import balanced_batch
from snippets.weight_formats import fp16_weights

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
