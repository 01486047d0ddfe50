"""`scripts/plan.py serve`: the fewest cards that keep what is asked, and what it says of them."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from scripts import plan as command
from scripts.planner.inference import fits
from scripts.planner.service import SERVER, Wish, best_service, gives, keeps, memory_plan
from snippets.hardware import ACCELERATORS
from snippets.models import MODELS
from snippets.service_plan import ServicePlan, cost_per_million, service_times
from snippets.serving_constants import SERVING
from snippets.training_plan import undivided_heads
from snippets.weight_bytes import published_weights
from snippets.weight_formats import WEIGHT_FORMATS, bf16_weights

LLAMA = "llama-3.1-8b"


def answer(capsys: pytest.CaptureFixture[str], *typed: str) -> dict[str, Any]:
    assert command.main(["serve", *typed, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_what_is_asked_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    typed = ["llama-3.1-70b", "--prompt", "2,000", "--answer", "500", "--rate", "10"]
    found = answer(capsys, *typed, "--tpot", "50ms", "--ttft", "2", "--price", "2.5")
    assert found["cards"] == found["replicas"] * found["tensor"]
    assert found["tpot"]["predicted"] <= 0.05
    assert found["ttft"]["predicted"] <= 2
    assert found["requests_per_second"] >= 10
    assert found["tokens_per_second"] == pytest.approx(500 * found["requests_per_second"])
    assert found["memory_bytes"] <= found["available_bytes"]
    assert found["batch"] <= found["largest_batch"]
    assert found["longest_context"] >= 2500
    assert found["cost_per_million_tokens"] == pytest.approx(
        2.5 * found["cards"] / (3600 * found["tokens_per_second"]) * 1e6
    )
    for time in (found["ttft"], found["tpot"]):
        assert time["low"] < time["predicted"] < time["high"]
    assert answer(capsys, *typed)["cards"] <= found["cards"], "a wish less takes no more cards"


@pytest.mark.parametrize("seed", range(12))
def test_no_split_and_no_batch_does_with_fewer_cards(seed: int) -> None:
    """Against every split and every batch up to 64, tried one by one."""
    draw = random.Random(seed)
    wish = Wish(
        model=MODELS[draw.choice(["llama-3.1-8b", "qwen2.5-32b", "mixtral-8x7b", "gemma-2-9b"])],
        weights=WEIGHT_FORMATS[draw.choice(["bf16", "fp8", "int4-g32"])],
        card=ACCELERATORS[draw.choice(["h100-sxm", "a100-80gb-sxm", "b200-sxm"])],
        prompt=draw.choice([128, 1000, 3000]),
        answer=draw.choice([64, 500]),
        rate=draw.choice([0.5, 3, 8]),
        tpot=draw.choice([0, 0.05]),
    )
    found = best_service(wish)
    assert keeps(found.times, wish)
    assert found.replicas * found.times.requests_per_second >= wish.rate * (1 - 1e-9)
    for tensor in (t for t in range(1, SERVER + 1) if not undivided_heads(wish.model, t)):
        for batch in range(1, 65):
            other = replace(found.plan, tensor=tensor, batch=batch)
            if not (
                fits(memory_plan(other), other.card) and keeps(service_times(other, SERVING), wish)
            ):
                continue
            assert -(-wish.rate // gives(other)) * tensor >= found.cards, other


def test_a_batch_of_one_on_an_h100_by_hand() -> None:
    """Llama 3.1 8B in BF16: 15.0 GB read at 0.901 of 3.35 TB/s, and 288 kernels of 4.76 µs."""
    plan = ServicePlan(
        model=MODELS[LLAMA],
        weights=bf16_weights,
        card=ACCELERATORS["h100-sxm"],
        prompt=10,
        answer=10,
    )
    read = 2 * (8_030_261_248 - 128_256 * 4096) + 15 * 131_072
    by_hand = read / (0.901 * 3.35e12) + 288 * 4.76e-6
    assert service_times(plan, SERVING).tpot == pytest.approx(by_hand, rel=2e-3)
    assert cost_per_million(price_per_hour=2, cards=1, tokens_per_second=1e6 / 3600) == 2


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ([LLAMA, "--prompt", "10"], "--answer 1000"),
        ([LLAMA, "--answer", "10"], "--prompt 1000"),
        ([LLAMA, "--prompt", "10", "--answer", "10", "--rate", "many"], "--rate is a positive"),
        ([LLAMA, "--prompt", "10", "--answer", "10", "--rate", ""], "--rate is a positive"),
        (
            [LLAMA, "--prompt", "10", "--answer", "10", "--gpu", "rtx-4060"],
            "does not fit one NVIDIA",
        ),
        ([LLAMA, "--prompt", "10", "--answer", "10", "--tpot", "0"], "--tpot is a positive"),
        ([LLAMA, "--prompt", "10", "--answer", "10", "--tpot", "1us"], "--tpot is a positive"),
        ([LLAMA, "--prompt", "0", "--answer", "10"], "--prompt must be a whole number"),
        ([LLAMA, "--prompt", "130k", "--answer", "10"], "are beyond Llama 3.1 8B's 131,072"),
        ([LLAMA, "--prompt", "10", "--answer", "10", "--tpot", "1ms"], "no split over up to 8"),
        ([LLAMA, "--prompt", "10", "--answer", "10", "--gpu", "m4-max"], "is not published"),
        (["llama-3.1-405b", "--prompt", "9", "--answer", "9"], "does not fit 8 x NVIDIA H100"),
        (["no-such", "--prompt", "9", "--answer", "9"], "there is no model 'no-such'"),
    ],
)
def test_refusals_say_what_to_change(
    capsys: pytest.CaptureFixture[str], typed: list[str], said: str
) -> None:
    assert command.main(["serve", *typed]) == 2
    refusal = capsys.readouterr().err
    assert said in refusal
    assert refusal.count("\n") == 1


def test_a_table_says_it_to_people(capsys: pytest.CaptureFixture[str]) -> None:
    typed = ["gpt-oss-120b", "--prompt", "1k", "--answer", "1k", "--rate", "2", "--price", "3"]
    assert command.main(["serve", *typed]) == 0
    shown = capsys.readouterr().out
    for part in ("replica", "time per output token", "nine in ten", "a million output", "Assumed"):
        assert part in shown


def test_the_words_infer_and_train_are_the_old_spellings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for new, old in (
        (["infer", LLAMA], [LLAMA]),
        (["train", LLAMA, "--data", "8"], [LLAMA, "--train", "--data", "8"]),
    ):
        codes = [command.main([*new, "--json"]), command.main([*old, "--json"])]
        said = capsys.readouterr().out
        assert codes[0] == codes[1]
        assert said[: len(said) // 2] == said[len(said) // 2 :]


@pytest.mark.parametrize("slug", ["deepseek-v3", "gpt-oss-20b", "qwen3-0.6b", "gemma-2-2b"])
def test_weights_as_published_are_those_of_the_checkpoint(slug: str) -> None:
    wish = Wish(
        model=MODELS[slug],
        weights=WEIGHT_FORMATS["published"],
        card=ACCELERATORS["h200-sxm"],
        prompt=100,
        answer=100,
    )
    assert best_service(wish).plan.weights == published_weights(MODELS[slug])
