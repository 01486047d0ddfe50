"""Adapters: a step holds what the plan says, a tuned model begins as the model and learns."""

from typing import Any

import pytest
import torch

import snippets.models
from scripts.experiments.adapters import measure as adapters
from scripts.models.adapters import Adapted, adapt
from snippets.adapters import adapter_parameters
from snippets.models import Model
from snippets.models.reader import model_from_config
from snippets.stage_memory import fullest_stage
from snippets.training_plan import TrainingPlan
from snippets.weight_formats import bf16_weights, nf4_double
from tests.experiments.measuring import measured

TOKENS = 64


@pytest.fixture(scope="module")
def tiny() -> Model:
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": 128,
        "hidden_size": 256,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "intermediate_size": 512,
        "max_position_embeddings": 128,
        "torch_dtype": "bfloat16",
        "tie_word_embeddings": False,
    }
    return model_from_config(config, name="tiny")


@pytest.fixture(scope="module")
def results(tiny: Model, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    cases = {"bf16": ["tiny", False, TOKENS], "nf4": ["tiny", True, TOKENS]}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(snippets.models, "MODELS", {"tiny": tiny})
        folder = tmp_path_factory.mktemp("journal")
        return measured(adapters, folder, cases=cases, steps=8, sequences=2, windows=4)


def test_a_step_holds_what_the_plan_says(results: dict[str, Any], tiny: Model) -> None:
    for name, frozen in (("bf16", bf16_weights), ("nf4", nf4_double)):
        found = results["counted"][name]
        plan = fullest_stage(
            TrainingPlan(model=tiny, tokens=TOKENS, adapter_rank=adapters.RANK, frozen=frozen)
        )
        trained = adapter_parameters(tiny, adapters.RANK)
        assert found["trained_parameters"] == trained
        assert found["weight_bytes"] == plan.weights == 2 * trained
        assert found["gradient_bytes"] == plan.gradients == 2 * trained
        tensors = 2 * 2 * 7  # a step counter of four bytes for each of a pair
        assert found["optimizer_bytes"] - plan.optimizer <= 8 * tensors
        if name == "bf16":
            assert found["frozen_bytes"] == plan.frozen_weights
        else:  # each of fourteen matrices has its tables: 16 and 256 numbers and an offset
            tables = 14 * (4 * (16 + 256) + 4)
            assert 0 < found["frozen_bytes"] - plan.frozen_weights <= tables + 4096


def test_a_tuned_model_begins_as_the_model_and_learns(results: dict[str, Any]) -> None:
    whole, rounded = results["tuned"]["fp32"], results["tuned"]["nf4"]
    assert whole["loss_before"] == whole["loss_unrounded"] == rounded["loss_unrounded"]
    assert rounded["loss_before"] > rounded["loss_unrounded"]
    for each in (whole, rounded):
        assert each["loss_after"] < each["loss_before"]


def test_only_adapters_are_trained() -> None:
    layers = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.ReLU(), torch.nn.Linear(4, 3))
    model = torch.nn.Sequential(torch.nn.Linear(5, 6), layers)
    x = torch.randn(2, 5)
    before = model(x)
    adapt(model, layers, rank=2)
    assert torch.equal(model(x), before)
    trained = {name for name, weight in model.named_parameters() if weight.requires_grad}
    assert trained == {f"1.{place}.{each}" for place in (0, 2) for each in ("lower", "upper")}
    assert sum(isinstance(module, Adapted) for module in model.modules()) == 2


@pytest.mark.parametrize(
    ("model", "rank", "parameters"),
    [
        # What PEFT prints of Llama 3.1 8B at rank 16 beside all linear layers, and of QLoRA's Guanaco 7B.
        ("llama_3_1_8b", 16, 41_943_040),
        ("llama_2_7b", 64, 159_907_840),
    ],
)
def test_parameters_are_those_that_others_count(model: str, rank: int, parameters: int) -> None:
    assert adapter_parameters(getattr(snippets.models, model), rank) == parameters
