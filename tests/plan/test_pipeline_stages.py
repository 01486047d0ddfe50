"""Stages hold each layer once, and together the whole model."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.model_parameters import total_parameters
from snippets.models import MODELS
from snippets.pipeline_stages import head_parameters, pipeline_stages, stage_parameters


@given(slug=st.sampled_from(list(MODELS)), stages=st.integers(1, 126))
def test_every_layer_is_held_once_in_order(slug: str, stages: int) -> None:
    model = MODELS[slug]
    stages = min(stages, model.layers)
    held = pipeline_stages(model, stages)
    assert len(held) == stages
    assert sum(stage.layers for stage in held) == model.layers
    for before, after in itertools.pairwise(held):
        assert after.first_layer == before.first_layer + before.layers
    assert [stage.embedding for stage in held] == [True] + [False] * (stages - 1)
    assert [stage.head for stage in held] == [False] * (stages - 1) + [True]


@pytest.mark.parametrize("slug", MODELS)
def test_one_stage_holds_the_whole_model(slug: str) -> None:
    model = MODELS[slug]
    (stage,) = pipeline_stages(model, 1)
    assert stage_parameters(model, stage) == total_parameters(model)


@pytest.mark.parametrize("slug", MODELS)
@pytest.mark.parametrize("stages", [2, 3, 5])
def test_stages_hold_the_model_and_a_copy_of_a_tied_head(slug: str, stages: int) -> None:
    model = MODELS[slug]
    held = sum(stage_parameters(model, stage) for stage in pipeline_stages(model, stages))
    copy = head_parameters(model) if model.tied_embeddings else 0
    assert held == total_parameters(model) + copy
