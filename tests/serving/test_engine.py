"""The engine's answers are those of plain decoding, whatever is combined; no page is lost or leaked."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from scripts.core.faults import BadInput
from scripts.models.checkpoints import CausalModel
from scripts.models.gpt_neox import GPTNeoX, GPTNeoXConfig
from scripts.models.llama import Llama, LlamaConfig
from scripts.serving.drafts import PromptLookup, SmallModel
from scripts.serving.engine import Engine
from scripts.serving.sampling import next_tokens
from scripts.serving.sequences import Request
from snippets.bandwidth import kv_cache_bytes_per_token

VOCABULARY, LONGEST = 23, 64


def gpt_neox(**changed: Any) -> GPTNeoX:
    sizes = {"vocab_size": VOCABULARY, "hidden_size": 64, "intermediate_size": 48}
    heads = {"num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": LONGEST}
    return GPTNeoX(GPTNeoXConfig(**sizes, **heads, **changed))


def llama() -> Llama:
    sizes = {"vocab_size": VOCABULARY, "hidden_size": 64, "intermediate_size": 48, "head_dim": 32}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": LONGEST}
    return Llama(LlamaConfig(**sizes, **heads, num_hidden_layers=2))


@pytest.fixture(scope="module", params=["gpt_neox", "sequential", "llama"])
def model(request: pytest.FixtureRequest) -> CausalModel:
    """FP64 with large weights: no two tokens are ever nearly equally likely."""
    torch.manual_seed(1)
    made = {"gpt_neox": gpt_neox, "llama": llama}.get(
        request.param, lambda: gpt_neox(use_parallel_residual=False)
    )()
    made = made.double().requires_grad_(False).eval()
    for weight in made.parameters():
        weight.mul_(3)
    return made


@torch.inference_mode()
def plain(model: CausalModel, asked: Request) -> list[int]:
    """Decoding without a cache: the whole text again for every token."""
    text = list(asked.prompt)
    for _ in range(asked.most_tokens):
        logits = model(torch.tensor([text]))[0, -1:]
        drawn = next_tokens(logits, temperature=asked.temperature, seed=asked.seed, first=len(text))
        text += drawn
        if drawn[0] == asked.stop:
            break
    return text[len(asked.prompt) :]


def requests(draw: random.Random, count: int) -> list[Request]:
    beginning = tuple(draw.randrange(VOCABULARY) for _ in range(12))
    found = []
    for number in range(count):
        own = tuple(draw.randrange(VOCABULARY) for _ in range(draw.randint(1, 15)))
        found.append(
            Request(
                name=str(number),
                prompt=draw.choice([own, beginning[: draw.randint(1, 12)] + own]),
                most_tokens=draw.randint(1, 12),
                temperature=draw.choice([0.0, 0.0, 0.7]),
                seed=draw.randrange(5),
                stop=draw.choice([None, None, 3]),
            )
        )
    return found


def engine(model: CausalModel, draw: random.Random, **settings: Any) -> Engine:
    """Any features together; pages for little more than the longest request."""
    page_tokens = draw.choice([1, 4, 5, 16])
    drafts = {
        "none": None,
        "lookup": PromptLookup(),
        "model": SmallModel(model, pages=40, page_tokens=3),
    }
    chosen = {
        "pages": draw.choice([40 // page_tokens + 1, 200]),
        "page_tokens": page_tokens,
        "most_sequences": draw.randint(1, 5),
        "step_tokens": draw.choice([None, 1, 7, 16]),
        "batching": draw.choice(["continuous", "static"]),
        "reuse_prefixes": draw.random() < 0.7,
        "draft": drafts[draw.choice(list(drafts))],
        "guesses": draw.randint(1, 4),
    }
    return Engine(model, **(chosen | settings))


def stepped(running: Engine, asked: list[Request], draw: random.Random) -> Iterator[None]:
    """Submits requests while others run, and stops after every step."""
    coming = list(asked)
    while coming or running.is_busy:
        while coming and (not running.is_busy or draw.random() < 0.4):
            running.submit(coming.pop(0))
        running.step()
        yield


def check_pages(running: Engine) -> None:
    size = running.pool.page_tokens
    held = [sequence.pages for sequence in running.scheduler.running]
    assert running.pool.held == len({page for pages in held for page in pages})
    for sequence in running.scheduler.running:
        assert len(sequence.pages) == -(-sequence.cached // size)
    holders = [sum(page in pages for pages in held) for page in range(running.pool.pages)]
    assert holders == running.pool._holders


def check_schedule(model: CausalModel, seed: int) -> None:
    draw = random.Random(seed)
    asked = requests(draw, draw.randint(1, 6))
    running = engine(model, draw)
    for _ in stepped(running, asked, draw):
        check_pages(running)
    answers = {each.request.name: each.generated for each in running.finished}
    assert answers == {each.name: plain(model, each) for each in asked}
    assert running.pool.held == 0
    assert running.pool.available == running.pool.pages
    assert sum(step.generated for step in running.steps) == sum(map(len, answers.values()))


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_random_schedules_answer_as_plain_decoding(model: CausalModel, seed: int) -> None:
    check_schedule(model, seed)


@pytest.mark.thorough
def test_a_thousand_random_schedules(model: CausalModel) -> None:
    for seed in range(3, 337):  # of each of three models
        check_schedule(model, seed)


@pytest.mark.parametrize("stored", ["int8", "int4"])
@pytest.mark.parametrize("schedules", [1, pytest.param(4, marks=pytest.mark.thorough)])
def test_a_quantized_cache_answers_alike_alone_and_together(
    model: CausalModel, stored: str, schedules: int
) -> None:
    draw = random.Random(stored)
    asked = requests(draw, 2 + schedules)
    alone = {}
    for each in asked:
        (answer,) = Engine(model, pages=64, page_tokens=1, stored=stored).run([each])
        alone[each.name] = answer.generated
    for _ in range(schedules):
        together = engine(model, draw, stored=stored)
        for _ in stepped(together, asked, draw):
            check_pages(together)
        assert {each.request.name: each.generated for each in together.finished} == alone


@pytest.mark.parametrize("stored", ["native", "int8", "int4"])
def test_the_cache_takes_what_the_formula_says(model: CausalModel, stored: str) -> None:
    running = Engine(model, pages=10, page_tokens=4, stored=stored)
    config = model.config
    per_token = kv_cache_bytes_per_token(
        layers=config.num_hidden_layers,
        kv_heads=getattr(config, "num_key_value_heads", config.num_attention_heads),
        head_dim=config.head_dim,
        bytes_per_element={"native": 8, "int8": (8 + 16 / 32) / 8, "int4": (4 + 16 / 32) / 8}[
            stored
        ],
    )
    assert running.cache.bytes == 40 * per_token
    assert running.cache.shape.bytes_per_token(stored, torch.float64) == per_token


def test_a_quantized_cache_is_near(model: CausalModel) -> None:
    prompt = tuple(range(VOCABULARY))
    logits = {}
    for stored in ("native", "int8", "int4"):
        running = Engine(model, pages=8, stored=stored)
        shape = running.cache.shape
        slots = torch.arange(len(prompt))
        numbers = torch.randn(len(prompt), shape.kv_heads, shape.head_dim, dtype=torch.float64)
        running.cache.write(1, slots, numbers, -numbers)
        keys, values = running.cache.read(1, slots[None])
        assert torch.equal(keys, -values)
        logits[stored] = (keys[0] - numbers).norm() / numbers.norm()
    assert logits["native"] == 0
    assert 0.003 < logits["int8"] < 0.01  # a uniform error of a step over the square root of twelve
    assert 0.05 < logits["int4"] < 0.15


def test_prefixes_are_read_once(model: CausalModel) -> None:
    prompt = tuple(range(20))
    running = Engine(model, pages=64, page_tokens=4)
    first, second = (Request(name, prompt, 4) for name in "ab")
    running.run([first])
    running.run([second])
    assert [each.reused_tokens for each in running.finished] == [0, 16]
    assert [step.prompt_tokens for step in running.steps if step.prompt_tokens] == [20, 4]
    assert running.finished[0].generated == running.finished[1].generated


def test_a_model_that_guesses_for_itself_is_always_right(model: CausalModel) -> None:
    draft = SmallModel(model, pages=64, page_tokens=4)
    running = Engine(model, pages=64, draft=draft, guesses=3)
    (answer,) = running.run([Request("a", (1, 2, 3), 9, temperature=0.9, seed=4)])
    assert [step.generated for step in running.steps] == [1, 4, 4]
    assert sum(step.right_guesses for step in running.steps) == 6
    assert answer.generated == plain(model, answer.request)
    assert draft.pool.held == 0


def test_what_runs_out_of_pages_starts_again(model: CausalModel) -> None:
    asked = [Request(str(i), (i, i + 1, i + 2), 12) for i in range(4)]
    running = Engine(model, pages=6, page_tokens=4, reuse_prefixes=False)
    answers = running.run(asked)
    assert running.scheduler.preemptions > 0
    assert [each.generated for each in answers] == [plain(model, each) for each in asked]


@pytest.mark.parametrize(
    ("prompt", "most_tokens", "message"),
    [
        ((1,) * 30, 5, "needs 35 tokens of cache, and there is room for 32"),
        ((1,) * 60, 5, "needs 65 positions, and the model has 64"),
        ((VOCABULARY,), 1, f"outside the {VOCABULARY} of the model"),
        ((), 1, "asks for no token, or from none"),
        ((1,), 0, "asks for no token, or from none"),
    ],
)
def test_what_cannot_be_answered_is_refused(
    model: CausalModel, prompt: tuple[int, ...], most_tokens: int, message: str
) -> None:
    running = Engine(model, pages=8, page_tokens=4)
    with pytest.raises(BadInput, match=message):
        running.submit(Request("long", prompt, most_tokens))
    assert not running.is_busy


@pytest.mark.parametrize("settings", [{"pages": 0}, {"batching": "none"}, {"stored": "int2"}])
def test_settings_without_sense_are_refused(model: CausalModel, settings: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        Engine(model, **({"pages": 4} | settings))


def test_drawn_tokens_follow_the_softmax() -> None:
    logits = torch.tensor([[0.0, 1.0, 2.0]]).repeat(4000, 1)
    drawn = torch.tensor(next_tokens(logits, temperature=1.0, seed=0, first=0))
    shares = torch.bincount(drawn, minlength=3) / len(drawn)
    assert torch.allclose(shares, logits[0].softmax(0), atol=0.03)
