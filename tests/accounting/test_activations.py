"""What a layer keeps: the paper's formula to the byte, and fake tensors like real ones."""

from dataclasses import replace

import pytest

from scripts.accounting.activations import Case, Shape, kept_by_layer, kept_by_stack
from scripts.accounting.saved_tensors import total_bytes

SHAPE = Shape(sequences=2, tokens=64, width=96, heads=6, kv_heads=2, intermediate=160)
# Mean and deviation of two layer norms, which the formula leaves out.
STATISTICS = 2 * 2 * SHAPE.sequences * SHAPE.tokens


def test_the_papers_formula_to_the_byte() -> None:
    kept = kept_by_layer(Case("gpt", "materialised", "bf16", dropout=0.1), SHAPE)
    hidden = SHAPE.hidden_elements
    scores = SHAPE.heads * SHAPE.tokens**2 * SHAPE.sequences
    assert kept.by_tensor == 34 * hidden + 5 * scores + 2 * STATISTICS
    assert kept.by_storage == kept.live == kept.by_tensor


def test_views_keep_whole_storages_alive() -> None:
    """One sequence's keys and values are views of the fused product, whose queries then stay too."""
    one = replace(SHAPE, sequences=1)
    kept = kept_by_layer(Case("gpt", "materialised", "bf16", dropout=0.1), one)
    assert kept.by_storage == kept.live == kept.by_tensor + 2 * one.hidden_elements


def test_selective_recomputation_leaves_34_and_full_leaves_2() -> None:
    hidden = SHAPE.hidden_elements
    case = Case("gpt", "materialised", "bf16", dropout=0.1)
    selective = kept_by_layer(replace(case, recompute="selective"), SHAPE)
    full = kept_by_layer(replace(case, recompute="full"), SHAPE)
    assert selective.live == 34 * hidden + 2 * STATISTICS
    assert full.live == 2 * hidden


@pytest.mark.parametrize("kernel", ["flash", "efficient"])
def test_linear_memory_attention_keeps_no_scores(kernel: str) -> None:
    kept = kept_by_layer(Case("gpt", kernel, "bf16", dropout=0.1), SHAPE)  # type: ignore[arg-type]
    logsumexp = 4 * SHAPE.heads * SHAPE.tokens * SHAPE.sequences
    beyond = kept.by_tensor - 34 * SHAPE.hidden_elements - 2 * STATISTICS - logsumexp
    assert 0 <= beyond <= 32, "a few bytes for the state of the random numbers"


def test_a_llama_layer_term_by_term() -> None:
    kept = kept_by_layer(Case("llama", "flash", "bf16"), SHAPE)
    hidden, tokens = SHAPE.hidden_elements, SHAPE.sequences * SHAPE.tokens
    keys = tokens * SHAPE.width * SHAPE.kv_heads // SHAPE.heads
    expected = (
        2 * 2 * hidden  # inputs of the two norms
        + 2 * 2 * hidden  # inputs of the attention's products and of the MLP's
        + 2 * (hidden + 2 * keys)  # queries, keys, values
        + 2 * hidden  # the kernel's output, which is the next product's input
        + 4 * 2 * tokens * SHAPE.intermediate  # gate, up, activated gate, their product
        + 2 * 4 * tokens  # one number per token and norm
        + 4 * tokens * SHAPE.heads  # log-sum-exp
    )
    assert 0 <= kept.by_tensor - expected <= 32


@pytest.mark.parametrize("precision", ["bf16", "autocast", "fp32"])
@pytest.mark.parametrize("block", ["gpt", "llama"])
def test_fake_tensors_count_as_real_ones(block: str, precision: str) -> None:
    for kernel in ("materialised", "sdpa"):
        case = Case(block, kernel, precision)  # type: ignore[arg-type]
        real = kept_by_layer(case, SHAPE, real=True)
        fake = kept_by_layer(case, SHAPE)
        assert real.by_tensor == fake.by_tensor > 0
        assert (real.by_storage, real.live) == (fake.by_storage, fake.live)
        assert real.by_storage == real.live
        assert total_bytes(real.saved) == real.by_tensor


def test_a_stack_keeps_as_much_as_its_layers_and_peaks_above() -> None:
    case = Case("gpt", "flash", "bf16", dropout=0.1)
    one = kept_by_layer(case, SHAPE).live
    stack = kept_by_stack(case, SHAPE, layers=3)
    assert stack.kept == 3 * one
    assert stack.peak > stack.kept
    full = kept_by_stack(replace(case, recompute="full"), SHAPE, layers=3)
    assert full.kept == 3 * 2 * SHAPE.hidden_elements
    assert full.kept + one <= full.peak < stack.peak
