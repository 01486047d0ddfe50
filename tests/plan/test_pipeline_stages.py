"""Stages hold each layer once, and together the whole model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.model_parameters import head_parameters, total_parameters
from snippets.models import MODELS
from snippets.pipeline_stages import pipeline_stages, stage_parameters


@given(
    slug=st.sampled_from(list(MODELS)),
    stages=st.integers(1, 126),
    chunks=st.sampled_from([1, 2, 5]),
)
def test_every_layer_is_held_once(slug: str, stages: int, chunks: int) -> None:
    """In order, and where ranks are interleaved as many on each as on any other, or one less."""
    model = MODELS[slug]
    stages = min(stages, model.layers)
    held = pipeline_stages(model, stages, chunks)
    assert len(held) == stages
    layers = [layer for stage in held for layer in stage.layers]
    assert (layers if chunks == 1 else sorted(layers)) == list(range(model.layers))
    if chunks > 1:
        counts = {len(stage.layers) for stage in held}
        assert max(counts) - min(counts) <= 1
        assert all(stage.layers == sorted(stage.layers) for stage in held)
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
