"""Pythia-160M: its size, and how each way of counting its activations differs from the next."""

import pytest

from scripts.accounting.fake import tensors
from scripts.accounting.pythia import PYTHIA_160M, PYTHIA_160M_PARAMETERS, kept_by_pythia
from scripts.models.gpt_neox import GPTNeoX

TOKENS = 128
HIDDEN = TOKENS * PYTHIA_160M.hidden_size
LAYERS = PYTHIA_160M.num_hidden_layers


def test_parameters() -> None:
    with tensors(real=False, device="cpu"):
        model = GPTNeoX(PYTHIA_160M)
        assert sum(weight.numel() for weight in model.parameters()) == PYTHIA_160M_PARAMETERS


@pytest.mark.parametrize(
    ("precision", "kernel", "by_tensor", "by_storage"),
    [
        # Of the 34: no masks (-2), one norm's input for both (-2); flash's output and its copy (+2).
        ("bf16", "flash", 32, 36),
        ("bf16", "efficient", 30, 34),
        # Under autocast that input is FP32 (+2).
        ("autocast", "flash", 34, 38),
        ("autocast", "efficient", 32, 36),
    ],
)
def test_terms_of_34(precision: str, kernel: str, by_tensor: int, by_storage: int) -> None:
    kept = kept_by_pythia(
        precision=precision,
        kernel=kernel,  # type: ignore[arg-type]
        sequences=1,
        tokens=TOKENS,
    )
    assert kept.layers_by_tensor / HIDDEN / LAYERS == pytest.approx(by_tensor, abs=0.12)
    # The values are a view that keeps queries and keys of the same product alive: 4 more.
    assert kept.layers_by_storage / HIDDEN / LAYERS == pytest.approx(by_storage, abs=0.12)
    assert kept.head_input == 2 * HIDDEN
