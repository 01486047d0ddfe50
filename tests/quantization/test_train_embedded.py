"""Training repeats itself, and a run that was killed ends where it would have ended."""

from pathlib import Path

import pytest
import torch

from scripts.models.checkpoints import load_model, load_tokenizer
from scripts.models.muon import orthogonalised
from scripts.quantization import corpus as corpora
from scripts.quantization.corpus import Corpus
from scripts.quantization.novels import HELD_OUT, novel
from scripts.quantization.train_embedded import (
    Recipe,
    Training,
    batches,
    install,
    learning_rate_factor,
    record,
    train,
)
from scripts.records.record import read_record, write_record

TINY = Recipe(
    vocab_size=300,
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    context=16,
    batch=2,
    steps=6,
    warmup_steps=2,
    decay_steps=3,
)


@pytest.fixture
def corpus(monkeypatch: pytest.MonkeyPatch) -> Corpus:
    monkeypatch.setattr(corpora, "novel", lambda name: novel(name)[1000:3000])
    return Corpus(vocab_size=TINY.vocab_size)


def weights(training: Training) -> dict[str, torch.Tensor]:
    return dict(training.model.state_dict())


def run(corpus: Corpus, work: Path) -> Training:
    return train(TINY, corpus, work=work, evaluate_every=2, checkpoint_every=2)


def test_a_killed_run_ends_with_the_same_weights(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(corpus, tmp_path / "whole")
    take_step = Training.take_step

    def killed(self: Training, step: int, windows: torch.Tensor) -> None:
        if step == 5:
            raise KeyboardInterrupt
        take_step(self, step, windows)

    with monkeypatch.context() as patch:
        patch.setattr(Training, "take_step", killed)
        with pytest.raises(KeyboardInterrupt):
            run(corpus, tmp_path / "killed")
    resumed = run(corpus, tmp_path / "killed")
    assert resumed.log == whole.log
    assert all(torch.equal(weights(resumed)[name], each) for name, each in weights(whole).items())


def test_another_recipe_does_not_continue(corpus: Corpus, tmp_path: Path) -> None:
    run(corpus, tmp_path)
    other = Training(Recipe(**{**TINY.__dict__, "seed": 1}))
    with pytest.raises(SystemExit, match="belongs to another recipe"):
        other.load(tmp_path / "checkpoint.pt")


def test_training_learns_and_its_record_is_valid(corpus: Corpus, tmp_path: Path) -> None:
    training = run(corpus, tmp_path)
    assert [entry["step"] for entry in training.log] == [2, 4, 6]
    assert training.log[-1]["held_out_nats_per_byte"] < training.log[0]["held_out_nats_per_byte"]
    write_record(tmp_path / "log.json", record(training, corpus))
    results = read_record(tmp_path / "log.json").results
    assert results["trained_tokens"] == 6 * 2 * 16
    assert results["held_out_bytes"] == len(novel(HELD_OUT)[1000:3000].encode())


def test_an_installed_model_computes_what_was_trained(corpus: Corpus, tmp_path: Path) -> None:
    training = run(corpus, tmp_path)
    install(training, corpus, folder=tmp_path / "installed")
    loaded = load_model(tmp_path / "installed", dtype=torch.float32)
    tokens = torch.tensor([load_tokenizer(tmp_path / "installed").encode("Anne Elliot").ids])
    assert tokens.tolist() == [corpus.tokenizer.encode("Anne Elliot").ids]
    with torch.inference_mode():
        assert torch.allclose(loaded(tokens), training.model.eval()(tokens), atol=2e-2)


def test_an_epoch_shows_each_token_at_most_once() -> None:
    recipe = Recipe(**{**TINY.__dict__, "steps": 30})
    tokens = torch.arange(1000)
    per_epoch = (1000 - 1 - 16) // 16 // 2
    seen = [window[:-1] for step, window in batches(tokens, recipe=recipe, start=0)
            if step < per_epoch for window in window]  # fmt: skip
    flat = torch.cat(seen)
    assert len(flat.unique()) == len(flat) == per_epoch * 2 * 16
    resumed = dict(batches(tokens, recipe=recipe, start=17))
    assert torch.equal(resumed[20], dict(batches(tokens, recipe=recipe, start=0))[20])


def test_the_learning_rate_rises_stays_and_falls() -> None:
    factors = [learning_rate_factor(step, recipe=TINY) for step in range(6)]
    assert factors == pytest.approx([1 / 2, 1, 1, 1, 2 / 3, 1 / 3])


@pytest.mark.parametrize("shape", [(8, 24), (24, 8)])
def test_orthogonalised_moves_singular_values_to_one(shape: tuple[int, int]) -> None:
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    values = torch.linalg.svdvals(orthogonalised(matrix))
    assert values.min() > 0.6
    assert values.max() < 1.3
