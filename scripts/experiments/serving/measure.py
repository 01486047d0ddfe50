"""The engine counted, not timed: what pages waste, what prefixes save, what batching and guesses give,
and what a cache in fewer bits costs the model that ships.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from scripts.quantization import subjects

if TYPE_CHECKING:
    import torch

    from scripts.devices.device import Device
    from scripts.models.checkpoints import CausalModel
    from scripts.records.journal import Journal
    from scripts.serving.engine import Engine
    from scripts.serving.sequences import Request

NEEDS = ("docs/data/embedded/model.safetensors",)
PAGE_TOKENS = (1, 8, 16, 64)
DRAFTS = {
    "lookup": "the text itself: what followed the same tokens before",
    "int4": "the model itself with weights in INT4, groups of 32",
    "int3": "the same with INT3",
}
CACHES = {"native": "FP32, as computed", "int8": "INT8, groups of 32", "int4": "INT4, groups of 32"}
DRAFT_BITS = (4, 3)


def parameters(*, preset: str, device: Device) -> dict[str, Any]:
    """How many requests with prompts out of the held-out novel, and how the engine is set up."""
    full = preset == "full"
    return {
        "preset": preset,
        "subject": asdict(subjects.EMBEDDED_CHOICE),
        "requests": 64 if full else 24,
        "prompt_tokens": [8, 160],
        "answer_tokens": [8, 96],
        "common_tokens": 64,
        "page_tokens": list(PAGE_TOKENS),
        "most_sequences": 8,
        "step_tokens": 32,
        "guesses": 4,
        "speculation_requests": 32 if full else 10,
        "draft_bits": list(DRAFT_BITS),
        "loss_windows": 64 if full else 16,
        "seed": 1,
        "dtype": "fp32",
    }


def measure(*, device: Device, parameters: dict[str, Any], run: Journal) -> dict[str, Any]:
    """Counts over whole runs of the engine, and the loss with each format of the cache."""
    choice = subjects.Choice(**parameters["subject"])
    subject = subjects.load(choice, dtype=parameters["dtype"], device=device.torch_name)
    ask = partial(_requests, subject.tokens.tolist(), parameters)
    run.progress(total=1)
    plain, common = ask(0), ask(parameters["common_tokens"])
    set_up = partial(_engine, subject.model, parameters)
    results: dict[str, Any] = {
        "requests": {
            "count": len(plain),
            "prompt_tokens": sum(len(each.prompt) for each in plain) / len(plain),
            "answer_tokens": sum(each.most_tokens for each in plain) / len(plain),
        }
    }
    results["pages"] = {
        f"tokens_{tokens}": run.once(
            f"pages {tokens}", partial(_waste, set_up, plain, page_tokens=tokens)
        )
        for tokens in [*parameters["page_tokens"], subject.context]
    }
    results["prefixes"] = {
        name: run.once(name, partial(_prompt_tokens, set_up, common, reuse_prefixes=reuse))
        for name, reuse in (("read_again", False), ("shared", True))
    }
    results["batching"] = {
        batching: run.once(batching, partial(_steps, set_up, plain, batching=batching))
        for batching in ("static", "continuous")
    }
    results["timeline"] = {
        name: run.once(f"timeline {name}", partial(_timeline, set_up, plain, step_tokens=tokens))
        for name, tokens in (("whole", None), ("chunked", parameters["step_tokens"]))
    }
    asked = plain[: parameters["speculation_requests"]]
    results["speculation"] = run.once(
        "speculation", partial(_speculation, choice, subject.model, parameters, asked, device)
    )
    results["cache"] = run.once(
        "cache", partial(_cache_losses, subject.model, subject.tokens, parameters)
    )
    return results


def _requests(novel: list[int], parameters: dict[str, Any], common: int) -> list[Request]:
    """The same requests each time, with `common` tokens before every prompt."""
    from scripts.serving.sequences import Request

    draw = random.Random(parameters["seed"])
    asked = []
    for number in range(parameters["requests"]):
        length = draw.randint(*parameters["prompt_tokens"])
        start = draw.randrange(common, len(novel) - length)
        asked.append(
            Request(
                name=str(number),
                prompt=(*novel[:common], *novel[start : start + length]),
                most_tokens=draw.randint(*parameters["answer_tokens"]),
                temperature=1.0,
                seed=number,
            )
        )
    return asked


def _engine(model: CausalModel, parameters: dict[str, Any], **settings: Any) -> Engine:
    """An engine with room for all sequences that run at a time, however long."""
    from scripts.serving.engine import Engine

    chosen = {"page_tokens": 16, "most_sequences": parameters["most_sequences"]} | settings
    positions = chosen["most_sequences"] * model.config.max_position_embeddings
    pages = -(-positions // chosen["page_tokens"])
    return Engine(model, **({"pages": pages, "reuse_prefixes": False} | chosen))


def _waste(
    set_up: Callable[..., Engine], requests: list[Request], **settings: Any
) -> dict[str, float]:
    """Slots of held pages that are empty, over all steps."""
    engine = set_up(**settings)
    engine.run(requests)
    held = sum(step.pages for step in engine.steps) * engine.pool.page_tokens
    cached = sum(step.cached_tokens for step in engine.steps)
    sequences = sum(step.sequences for step in engine.steps)
    return {
        "page_tokens": engine.pool.page_tokens,
        "waste": 1 - cached / held,
        "mean_tokens": cached / sequences,
    }


def _prompt_tokens(set_up: Callable[..., Engine], requests: list[Request], **settings: Any) -> int:
    """Tokens of prompts that were computed; the first request is answered before the others come."""
    engine = set_up(**settings)
    first, *others = requests
    engine.run([first])
    engine.run(others)
    return sum(step.prompt_tokens for step in engine.steps)


def _steps(
    set_up: Callable[..., Engine], requests: list[Request], **settings: Any
) -> dict[str, float]:
    engine = set_up(**settings)
    engine.run(requests)
    generated = sum(step.generated for step in engine.steps)
    return {"steps": len(engine.steps), "tokens_per_step": generated / len(engine.steps)}


def _timeline(
    set_up: Callable[..., Engine], requests: list[Request], **settings: Any
) -> dict[str, Any]:
    """Tokens of prompts and of answers in each step, and the most of a step in which one decodes."""
    engine = set_up(**settings)
    engine.run(requests)
    beside = [step.prompt_tokens + step.generated for step in engine.steps if step.generated]
    return {
        "prompt_tokens": [step.prompt_tokens for step in engine.steps],
        "generated": [step.generated for step in engine.steps],
        "steps": len(engine.steps),
        "most_tokens": max(beside),
    }


def _speculation(
    choice: subjects.Choice,
    model: CausalModel,
    parameters: dict[str, Any],
    requests: list[Request],
    device: Device,
) -> dict[str, Any]:
    """Each draft's guesses for one sequence at a time: how many were right, and tokens of a round."""
    from scripts.serving.drafts import Draft, PromptLookup, SmallModel

    longest = model.config.max_position_embeddings
    drafts: dict[str, Draft] = {"lookup": PromptLookup()}
    for bits in parameters["draft_bits"]:
        small = subjects.load(choice, dtype=parameters["dtype"], device=device.torch_name).model
        _round(small, bits)
        drafts[f"int{bits}"] = SmallModel(small, pages=longest // 16 + 1, page_tokens=16)
    found = {}
    for name, draft in drafts.items():
        guesses = parameters["guesses"]
        engine = _engine(model, parameters, most_sequences=1, draft=draft, guesses=guesses)
        engine.run(requests)
        rounds = [step for step in engine.steps if step.guesses == guesses]
        right = sum(step.right_guesses for step in rounds)
        wrong = sum(step.right_guesses < guesses for step in rounds)
        found[name] = {
            "title": DRAFTS[name],
            "rounds": len(rounds),
            "acceptance": right / (right + wrong),
            "tokens_per_round": sum(step.generated for step in rounds) / len(rounds),
        }
    return found


def _round(model: CausalModel, bits: int) -> None:
    from scripts.models.checkpoints import layer_matrices
    from scripts.quantization.rounding import PER_GROUP_32, round_to_nearest_

    for name, matrix in layer_matrices(model).items():
        round_to_nearest_(
            matrix.data, matrix.data.clone(), bits=bits, granularity=PER_GROUP_32, name=name
        )


def _cache_losses(
    model: CausalModel, tokens: torch.Tensor, parameters: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """Nats per token over windows of the held-out novel, all keys and values read from the cache."""
    import torch.nn.functional as F

    from scripts.serving.forward import Chunk, cache_shape, forward
    from scripts.serving.paged_cache import FORMATS, PagedCache

    length = model.config.max_position_embeddings
    dtype = next(model.parameters()).dtype
    losses: dict[str, dict[str, Any]] = {}
    for stored in FORMATS:
        cache = PagedCache(
            cache_shape(model),
            slots=length,
            stored=stored,
            dtype=dtype,
            device=str(tokens.device),
        )
        total = 0.0
        for window in range(parameters["loss_windows"]):
            text = tokens[window * length : (window + 1) * length]
            whole = Chunk(text.tolist(), 0, list(range(length)), wanted=length)
            (logits,) = forward(model, cache, [whole])
            total += float(F.cross_entropy(logits[:-1].float(), text[1:]))
        losses[stored] = {
            "title": CACHES[stored],
            "bits": cache.shape.bits_per_number(stored, dtype),
            "loss": total / parameters["loss_windows"],
        }
    return losses
