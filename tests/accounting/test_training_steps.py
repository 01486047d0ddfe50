"""Training steps, phase by phase: bytes per parameter by hand, on fake tensors and on real ones."""

import pytest
import torch
from torch import nn

from scripts.accounting.training_recipes import RECIPES, Recipe, obstacle
from scripts.accounting.training_steps import Steps, take_steps
from scripts.models.gpt_neox import GPTNeoX, GPTNeoXConfig
from snippets.training_memory import BOTH_GRADIENTS, FULL_PRECISION, MIXED_PRECISION

TINY = GPTNeoXConfig(
    vocab_size=512,
    hidden_size=64,
    num_hidden_layers=1,
    num_attention_heads=4,
    intermediate_size=256,
    max_position_embeddings=64,
)


def steps(recipe: Recipe, *, real: bool = False, count: int = 2) -> Steps:
    def build() -> nn.Module:
        return GPTNeoX(TINY)

    return take_steps(recipe, build, vocab_size=512, sequences=2, tokens=16, real=real, count=count)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fp32_adamw_foreach", FULL_PRECISION),
        ("fp32_adamw_fused", FULL_PRECISION),
        ("autocast_adamw_foreach", FULL_PRECISION),
        ("bf16_master", MIXED_PRECISION),
    ],
)
def test_adamw_holds_sixteen_bytes_per_parameter(name: str, expected: object) -> None:
    taken = steps(RECIPES[name])
    held = taken.phases["first_step"].by_category
    n = taken.parameters
    state = expected
    assert held["weights"] == state.weights * n  # type: ignore[attr-defined]
    assert held["gradients"] == state.gradients * n  # type: ignore[attr-defined]
    assert held.get("master_weights", 0) == state.master_weights * n  # type: ignore[attr-defined]
    tensors = 2 + 12 * TINY.num_hidden_layers + 2
    assert held["optimizer"] == 8 * n + 4 * tensors, "two moments, and a counter for each tensor"
    assert sum(held.values()) - held["batch"] - 4 * tensors == 16 * n
    assert taken.phases["second_step"].bytes == taken.phases["first_step"].bytes


def test_master_gradients_make_it_twenty() -> None:
    taken = steps(RECIPES["bf16_master_gradients"])
    held = taken.phases["first_step"].by_category
    together = held["gradients"] + held["master_gradients"]
    # 6 for the gradients in both formats, where Megatron's "both" counts the same.
    assert together == BOTH_GRADIENTS.gradients * taken.parameters


def test_foreach_needs_four_bytes_more_for_a_moment_than_fused() -> None:
    taken = steps(RECIPES["fp32_adamw_foreach"], count=1)
    foreach, n = taken.phases["first_step"], taken.parameters
    fused = steps(RECIPES["fp32_adamw_fused"], count=1).phases["first_step"]
    assert foreach.bytes == fused.bytes
    assert 4 * n <= foreach.peak - fused.peak < 4.1 * n


@pytest.mark.parametrize("name", ["fp32_adamw_fused", "bf16_master"])
def test_fake_steps_hold_what_real_ones_do(name: str) -> None:
    real, fake = steps(RECIPES[name], real=True, count=1), steps(RECIPES[name], count=1)
    assert {phase: counted.bytes for phase, counted in real.phases.items()} == {
        phase: counted.bytes for phase, counted in fake.phases.items()
    }


def test_real_steps_train() -> None:
    """The streamed master copy takes the step that AdamW takes on FP32 weights."""
    from scripts.accounting.training_recipes import Training

    torch.manual_seed(0)
    model = GPTNeoX(TINY).bfloat16()
    training = Training(RECIPES["bf16_master"], model, vocab_size=512)
    training.read(sequences=2, tokens=16)
    training.forward()
    training.backward()
    before = [weight.detach().clone() for weight in training.weights]
    expected = [nn.Parameter(weight.float()) for weight in before]
    for weight, trained in zip(training.weights, expected, strict=True):
        assert weight.grad is not None
        trained.grad = weight.grad.float()
    torch.optim.AdamW(expected, lr=1e-4, fused=True).step()
    training.step()
    for master, weight, wanted in zip(training.masters, training.weights, expected, strict=True):
        torch.testing.assert_close(master, wanted)
        assert torch.equal(weight, wanted.bfloat16())
        assert master.grad is None


@pytest.mark.parametrize("name", ["fp32_adafactor", "fp32_muon"])
def test_others_hold_less_than_adamw(name: str) -> None:
    taken = steps(RECIPES[name], count=1)
    assert 8 * taken.parameters < taken.phases["first_step"].bytes < 16 * taken.parameters


def test_a_recipe_without_its_library_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "pip install torchao" in (obstacle(RECIPES["fp32_adamw_8bit"]) or "")
    assert obstacle(RECIPES["fp32_muon"]) is None
