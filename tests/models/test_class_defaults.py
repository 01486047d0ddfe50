"""Against the transformers that is installed: what its classes take, build and keep."""

from typing import Any

import pytest
import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM

from snippets.model_parameters import total_parameters
from snippets.models import CONFIGURATIONS, MODELS
from tests.models import class_defaults


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


@pytest.mark.parametrize("slug", MODELS)
def test_total_is_that_of_transformers(slug: str) -> None:
    config = CONFIGURATIONS[slug]["config"]
    if "text_config" in config:
        pytest.skip("its language model is a part of what is built")
    assert total_parameters(MODELS[slug]) == parameters(built(config))
