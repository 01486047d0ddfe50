"""Layer by layer and part by part, the same total."""

import pytest

from snippets.layer_parameters import active_layer_parameters, layer_parameters
from snippets.model_parameters import (
    active_parameters,
    count_parameters,
    norm_parameters,
    total_parameters,
)
from snippets.models import MODELS, pythia_1_4b


@pytest.mark.parametrize("slug", MODELS)
def test_layers_and_the_rest_are_the_total(slug: str) -> None:
    model = MODELS[slug]
    parts = count_parameters(model)
    rest = parts.embedding + parts.positions + parts.head + norm_parameters(model)
    layers = range(model.layers)
    assert rest + sum(layer_parameters(model, each) for each in layers) == total_parameters(model)
    active = rest + sum(active_layer_parameters(model, each) for each in layers)
    assert active == active_parameters(model)


def test_the_96_matrices_of_pythia_1_4b() -> None:
    """Four in each of 24 layers: queries, keys and values together, output, and two of the MLP."""
    width = pythia_1_4b.hidden_size
    matrices = 24 * (3 * width**2 + width**2 + 4 * width**2 + 4 * width**2)
    assert matrices == 1_207_959_552
    parts = count_parameters(pythia_1_4b)
    biases = 24 * (3 * width + width + 4 * width + width)
    assert parts.attention + parts.mlp == matrices + biases
