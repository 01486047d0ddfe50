"""Experiments, tests and the command line build an Engine round a model and submit requests to it; each
call of `step` computes some tokens of some of them, and `run` goes on until all are answered.

An answer's tokens are those that the model would generate alone, whatever shares the steps: batching,
chunks, pages, prefixes and guesses change only how long it takes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from torch import Tensor

from scripts.core.faults import BadInput
from scripts.models.checkpoints import CausalModel
from scripts.serving.drafts import Draft
from scripts.serving.forward import Chunk, cache_shape, forward
from scripts.serving.paged_cache import PagedCache
from scripts.serving.pages import PagePool
from scripts.serving.sampling import next_tokens
from scripts.serving.scheduler import BATCHING, Scheduler
from scripts.serving.sequences import Request, Sequence


@dataclass(frozen=True)
class Step:
    """What one step did: tokens of prompts and of answers that it computed, guesses that it checked
    and those that were right, tokens in the cache and pages held after it, and its seconds."""

    prompt_tokens: int
    sequences: int
    generated: int
    guesses: int
    right_guesses: int
    cached_tokens: int
    pages: int
    seconds: float


class Engine:
    """`pages` of `page_tokens` tokens each; keys and values are `stored` as computed, in 8 or 4 bits.

    `draft` makes `guesses` guesses a step. Raises BadInput for settings that make no sense.
    """

    def __init__(
        self,
        model: CausalModel,
        *,
        pages: int,
        page_tokens: int = 16,
        stored: str = "native",
        most_sequences: int = 64,
        step_tokens: int | None = None,
        batching: str = "continuous",
        reuse_prefixes: bool = True,
        draft: Draft | None = None,
        guesses: int = 4,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        if min(pages, page_tokens, most_sequences, step_tokens or 1, guesses) < 1:
            raise BadInput("engine", 0, "a size is below one", "give each at least one")
        if batching not in BATCHING:
            raise BadInput("engine", 0, f"batching {batching!r}", f"use {' or '.join(BATCHING)}")
        self.model, self.draft, self.guesses, self._clock = model, draft, guesses, clock
        self.pool = PagePool(pages, page_tokens)
        weight = next(model.parameters())
        try:
            self.cache = PagedCache(
                cache_shape(model),
                slots=pages * page_tokens,
                stored=stored,
                dtype=weight.dtype,
                device=str(weight.device),
            )
        except ValueError as error:
            raise BadInput("engine", 0, str(error), "choose another format of the cache") from None
        self.scheduler = Scheduler(self.pool, most_sequences, step_tokens, batching, reuse_prefixes)
        self.finished: list[Sequence] = []
        self.steps: list[Step] = []

    def submit(self, request: Request) -> None:
        """Queue a request. Raises BadInput for one that can never be answered."""
        self.check(request)
        sequence = Sequence(request, list(request.prompt), arrived=self._clock())
        self.scheduler.waiting.append(sequence)

    def check(self, request: Request) -> None:
        """Raise BadInput for a request that can never be answered, and say why."""
        tokens = len(request.prompt) + request.most_tokens
        room = self.pool.pages * self.pool.page_tokens
        longest = self.model.config.max_position_embeddings
        vocabulary = self.model.config.vocab_size
        if not request.prompt or request.most_tokens < 1:
            problem, remedy = "asks for no token, or from none", "give a prompt and a length"
        elif not all(0 <= token < vocabulary for token in request.prompt):
            problem, remedy = f"has tokens outside the {vocabulary} of the model", "encode it again"
        elif tokens > longest:
            problem = f"needs {tokens} positions, and the model has {longest}"
            remedy = "shorten the prompt or the answer"
        elif tokens > room:
            problem = f"needs {tokens} tokens of cache, and there is room for {room}"
            remedy = "give the engine more pages, or shorten the prompt or the answer"
        else:
            return
        raise BadInput(f"request {request.name}", 0, problem, remedy)

    @property
    def is_busy(self) -> bool:
        """Whether some request is not yet answered."""
        return bool(self.scheduler.running or self.scheduler.waiting)

    def step(self) -> list[Sequence]:
        """Compute one step; the sequences that ended with it."""
        began = self._clock()
        self.scheduler.admit()
        generating = [each for each in self.scheduler.running if each.left == 1]
        planned = self.scheduler.plan(self._guessed(generating))
        size = self.pool.page_tokens
        chunks = []
        for each, tokens in planned.items():
            slots = each.slots(each.cached + len(tokens), size)
            wanted = max(0, len(tokens) - each.left + 1)  # behind the text's end and each guess
            chunks.append(Chunk(tokens, each.cached, slots, wanted))
        logits = forward(self.model, self.cache, chunks) if chunks else []
        prompt = guesses = right = generated = 0
        for (each, tokens), rows in zip(planned.items(), logits, strict=True):
            if each.left > len(tokens):  # a part of a prompt
                each.cached += len(tokens)
                prompt += len(tokens)
            else:
                guessed = tokens[each.left :]
                prompt += each.left if each.left > 1 else 0
                new = self._accepted(each, guessed, rows)
                guesses, right = guesses + len(guessed), right + len(new) - 1
                generated += len(new)
            each.trim(self.pool)
            each.remember(self.pool)
        ended = [each for each in planned if each.is_finished]
        now = self._clock()
        for each in planned:
            each.token_times += [now] * (len(each.generated) - len(each.token_times))
        running = self.scheduler.running
        cached, held = sum(each.cached for each in running), self.pool.held
        for each in ended:
            self._end(each)
        self.steps.append(
            Step(prompt, len(planned), generated, guesses, right, cached, held, now - began)
        )
        return ended

    def run(self, requests: Iterable[Request]) -> list[Sequence]:
        """Answer requests, each from its arrival on; the sequences in the order of the requests."""
        coming = sorted(requests, key=lambda each: each.arrival)
        order = {request.name: number for number, request in enumerate(coming)}
        answers: list[Sequence] = []
        start = self._clock()
        while coming or self.is_busy:
            while coming and coming[0].arrival <= self._clock() - start:
                self.submit(coming.pop(0))
            if self.is_busy:
                answers += self.step()
            elif coming:
                time.sleep(max(0.0, coming[0].arrival - (self._clock() - start)))
        return sorted(answers, key=lambda each: order[each.request.name])

    def _guessed(self, sequences: list[Sequence]) -> dict[Sequence, list[int]]:
        if self.draft is None or not sequences:
            return {}
        proposed = self.draft.propose(sequences, self.guesses)
        # The step itself adds one token behind the guesses.
        left = {each: each.request.most_tokens - len(each.generated) - 1 for each in sequences}
        return {each: guesses[: left[each]] for each, guesses in proposed.items()}

    def _accepted(self, sequence: Sequence, guesses: list[int], rows: Tensor) -> list[int]:
        """Add what the model draws, as far as the guesses before it were right."""
        asked = sequence.request
        drawn = next_tokens(
            rows,
            temperature=asked.temperature,
            seed=asked.seed,
            first=len(sequence.tokens),
        )
        right = 0
        while right < len(guesses) and guesses[right] == drawn[right]:
            right += 1
        new = drawn[: right + 1]
        if asked.stop in new:
            new = new[: new.index(asked.stop) + 1]
        sequence.tokens += new
        sequence.cached = len(sequence.tokens) - 1
        return new

    def _end(self, sequence: Sequence) -> None:
        self.scheduler.running.remove(sequence)
        sequence.release(self.pool)
        if self.draft is not None:
            self.draft.forget(sequence)
        self.finished.append(sequence)
