"""Decoding: the same logits as reading at once, bytes by hand, faults survived."""

import gc
import weakref
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from scripts.devices import graphs
from scripts.experiments.decoding import measure as decoding
from scripts.models.llama_fused import Llama, LlamaConfig
from scripts.serving import plain_decoding as decoder
from scripts.serving.plain_decoding import (
    Decoder,
    PackedLinear,
    check,
    pack,
    random_llama,
    read_bytes,
)
from tests.experiments.measuring import CARD, SERVER, measured

SHAPE = (96, 64, 3, 8, 2, 80)
TINY: dict[str, Any] = {
    "models": ["tiny"],
    "dtype": "fp32",
    "batches": [1, 3],
    "tokens": 16,
    "samples": 3,
    "threads": 1,
}
MATRICES = 96 * 64 + 3 * (64 * (8 + 2 * 2) * 8 + 64 * 64 + 3 * 64 * 80)
NORMS = 7 * 64


LADDER = decoding.LADDER


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "disturbances", lambda device: [])
    monkeypatch.setattr(decoding, "LADDER", {"tiny": SHAPE, "second": SHAPE, "third": SHAPE})


def measure(root: Path, **changes: Any) -> dict[str, Any]:
    return measured(decoding, root, **{**TINY, **changes})


def tiny(dtype: torch.dtype = torch.float32) -> Llama:
    return random_llama(LlamaConfig(*SHAPE), dtype=dtype, device="cpu")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_step_by_step_agrees_with_all_at_once(dtype: torch.dtype) -> None:
    check(tiny(dtype))


def test_a_cache_that_is_read_wrongly_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder.Decoder, "logits", lambda self: torch.zeros(2, 96))
    with pytest.raises(decoder.WrongLogits, match="wrong result: decoding is off by 1 deviations"):
        check(tiny())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_one_wrong_position_of_the_cache_is_noticed(
    monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype
) -> None:
    right = decoder.Decoder.logits

    def forgetful(self: Decoder) -> torch.Tensor:
        if int(self.position) == 4:
            self.cache.values[..., 3, :].zero_()
        return right(self)

    monkeypatch.setattr(decoder.Decoder, "logits", forgetful)
    with pytest.raises(decoder.WrongLogits, match="deviations"):
        check(tiny(dtype))


def test_a_deep_model_in_bf16_is_not_refused_for_its_furthest_logit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The 8B model's furthest of 256,512 logits was off by 0.230 deviations, all of it rounding."""
    right, noise = decoder.Decoder.logits, torch.Generator().manual_seed(0)

    def rounded(self: Decoder) -> torch.Tensor:
        logits = right(self)
        off = torch.randn(logits.shape, generator=noise).to(logits.dtype)
        return logits + 0.23 / 4.6 * logits.float().std().to(logits.dtype) * off

    monkeypatch.setattr(decoder.Decoder, "logits", rounded)
    check(tiny(torch.bfloat16))


def test_a_model_that_goes_wrong_is_left_out_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def wrong_once(model: Llama, **_: Any) -> None:
        calls.append(model)
        if len(calls) == 1:
            raise decoder.WrongLogits("wrong result: decoding is off by 0.5 deviations")

    monkeypatch.setattr(decoder, "check", wrong_once)
    models = measure(tmp_path, models=["tiny", "second"], batches=[1])["models"]
    assert models["tiny"] == {"not_run": "wrong result: decoding is off by 0.5 deviations"}
    assert models["second"]["batch"]["1"]["seconds"]["count"] == 3


@pytest.mark.thorough
def test_a_compiled_step_gives_the_same_logits() -> None:
    check(tiny(), compiled=True)


def test_without_a_compiler_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._dynamo.exc import TorchDynamoException

    def missing(*_: Any, **__: Any) -> None:
        raise TorchDynamoException("Cannot find a working triton installation.\nMore.")

    monkeypatch.setattr(torch, "compile", missing)
    found = decoding._compiled(tiny(), lambda **_: {}, SERVER)
    assert found == {
        "not_run": "cannot be compiled here: Cannot find a working triton installation."
    }


def test_packed_matrices_give_the_same_tokens() -> None:
    plain, packed = tiny(), tiny()
    assert pack(packed, sequences=2)
    assert pack(packed, sequences=1), "packing again unpacks first"
    assert sum(isinstance(module, PackedLinear) for module in packed.modules()) == 4 * 3 + 1
    check(packed)
    written = []
    for model in (plain, packed):
        decoding_it = Decoder(model, sequences=2, tokens=16)
        tokens = []
        for _ in range(12):
            decoding_it.step()
            tokens.append(decoding_it.tokens.clone())
        written.append(torch.cat(tokens, dim=1))
    assert torch.equal(*written)


def test_16_bit_matrices_are_left_as_they_are() -> None:
    assert not pack(tiny(torch.bfloat16), sequences=1)


def test_it_starts_over_when_the_cache_is_full() -> None:
    decoding_it = Decoder(tiny(), sequences=1, tokens=4)
    places = []
    for _ in range(6):
        decoding_it.step()
        places.append(int(decoding_it.position))
    assert places == [1, 2, 3, 0, 1, 2]


def test_bytes_by_hand(tmp_path: Path) -> None:
    assert read_bytes(tiny()) == (4 * (MATRICES + NORMS), 4 * 96 * 64)
    model = measure(tmp_path)["models"]["tiny"]
    assert model["read_weight_bytes"] == 4 * (MATRICES + NORMS)
    assert model["cache_bytes_per_sequence"] == 2 * 3 * 2 * 8 * 16 * 4
    assert list(model["batch"]) == ["1", "3"]
    for batch in model["batch"].values():
        assert sum(batch["between"].values()) == pytest.approx(batch["seconds"]["median"])


def test_the_third_model_does_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def out_of_memory(*arguments: Any, **named: Any) -> Llama:
        made.append(arguments)
        if len([config for (config,) in made if config.vocab_size == 96]) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 16.00 GiB.")
        return random_llama(*arguments, **named)

    monkeypatch.setattr(decoder, "random_llama", out_of_memory)
    models = measure(tmp_path, models=["tiny", "second", "third"], batches=[1])["models"]
    assert models["third"] == {
        "not_run": "out of memory: CUDA out of memory. Tried to allocate 16.00 GiB."
    }
    assert models["second"]["batch"]["1"]["seconds"]["count"] == 3


def test_what_a_graph_was_made_of_lives_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CUDA graph knows addresses; a buffer that only its work held would be freed under it."""

    class Graph:
        replays = 0

        def replay(self) -> None:
            Graph.replays += 1

    stream = SimpleNamespace(wait_stream=lambda other: None)
    for name, stub in {
        "Stream": lambda: stream,
        "current_stream": lambda: stream,
        "stream": lambda _: nullcontext(),
        "CUDAGraph": Graph,
        "graph": lambda _: nullcontext(),
    }.items():
        monkeypatch.setattr(torch.cuda, name, stub)
    buffer = torch.ones(4)
    alive = weakref.ref(buffer)
    replay = graphs.replayed(partial(torch.add, buffer, 1), device=CARD)  # type: ignore[arg-type]
    del buffer
    gc.collect()
    replay()
    assert Graph.replays == 1
    assert alive() is not None


def test_models_fit_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "LADDER", LADDER)
    assert decoding.parameters(preset="full", device=CARD)["models"] == ["100M", "1B", "3B"]
    assert decoding.parameters(preset="full", device=CARD)["dtype"] == "bf16"
    assert decoding.parameters(preset="quick", device=SERVER)["models"] == ["100M"]
    assert decoding.parameters(preset="full", device=SERVER)["dtype"] == "fp32"
