"""A model of the registry with some keys of its configuration changed."""

from typing import Any

from snippets.models import CONFIGURATIONS, Model, model_from_config


def variant(slug: str, **changes: Any) -> Model:
    """The model that the file would describe with these keys; None leaves a key out."""
    config = dict(CONFIGURATIONS[slug]["config"])
    if "text_config" in config:
        changes = {"text_config": config["text_config"] | changes}
    return model_from_config(config | changes, name=CONFIGURATIONS[slug]["name"])
