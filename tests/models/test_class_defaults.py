"""Against the transformers that is installed: what its classes take, build and keep."""

from typing import Any

import pytest
import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from snippets.model_parameters import total_parameters
from snippets.models import CONFIGURATIONS, MODELS
from tests.models import class_defaults

NOT_ALONE = ("dbrx", "step3p7", "qwen2_5_vl")  # need more than their configuration to be built


def test_defaults_are_those_of_the_classes() -> None:
    """`python -m tests.models.class_defaults` writes them again."""
    written = (class_defaults.READER / "defaults.json").read_text(encoding="utf-8")
    assert written == class_defaults.as_text(class_defaults.class_defaults())


def built(config: dict[str, Any]) -> transformers.PreTrainedModel:
    """A model of its class, without memory."""
    held = {key: value for key, value in config.items() if key != "quantization_config"}
    kind = held.pop("model_type")
    made = AutoConfig.for_model(kind, **held)
    with torch.device("meta"):
        return AutoModelForCausalLM.from_config(made)


def parameters(model: transformers.PreTrainedModel) -> int:
    """Its parameters, and the learned corrections of experts' scores that are kept as buffers."""
    corrections = [each for name, each in model.named_buffers() if "correction_bias" in name]
    return sum(each.numel() for each in [*model.parameters(), *corrections])


def one_of_each_type() -> list[str]:
    """The last model of each type that transformers builds alone; others stand in published.jsonl."""
    found = {
        entry["config"]["model_type"]: slug
        for slug, entry in CONFIGURATIONS.items()
        if "text_config" not in entry["config"] and entry["config"]["model_type"] in CONFIG_MAPPING
    }
    return [slug for kind, slug in found.items() if kind not in NOT_ALONE]


@pytest.mark.parametrize("slug", one_of_each_type())
def test_total_is_that_of_transformers(slug: str) -> None:
    assert total_parameters(MODELS[slug]) == parameters(built(CONFIGURATIONS[slug]["config"]))
