"""The engine asks it before every step: which sequences run, and how many tokens of each.

Continuous batching lets a request join as soon as there is room (Yu et al. 2022, Orca, section 3.2);
static batching waits until all of a batch have ended. With `step_tokens`, prompts are read in chunks
beside the tokens that are generated (Agrawal et al. 2023, arXiv:2308.16369, section 4). When pages run
out, the request that came last gives its own back and starts again later.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from scripts.serving.pages import OutOfPages, PagePool
from scripts.serving.sequences import Sequence
from snippets.paging import pages_needed

UNLIMITED = 2**62
BATCHING = ("continuous", "static")


@dataclass
class Scheduler:
    """`most_sequences` run at a time; a step computes at most `step_tokens` tokens, if that is set."""

    pool: PagePool
    most_sequences: int
    step_tokens: int | None = None
    batching: str = "continuous"
    reuse_prefixes: bool = True
    waiting: deque[Sequence] = field(default_factory=deque)
    running: list[Sequence] = field(default_factory=list)
    preemptions: int = 0

    def admit(self) -> None:
        """Let waiting sequences run, in their order, while there is room for what each has."""
        if self.batching == "static" and self.running:
            return
        while self.waiting and len(self.running) < self.most_sequences:
            sequence = self.waiting[0]
            if self.reuse_prefixes:
                sequence.reuse(self.pool)
            lacking = sum(self._lacking(each) for each in [sequence, *self.running])
            if lacking > self.pool.available:
                sequence.release(self.pool)
                return
            self.running.append(self.waiting.popleft())

    def plan(self, guesses: dict[Sequence, list[int]]) -> dict[Sequence, list[int]]:
        """The tokens of each sequence that the next step computes; pages for all of them are taken.

        Those that generate come first, each with its guesses where pages are left for them; what
        remains of `step_tokens` goes to prompts, in the order of arrival.
        """
        budget = self.step_tokens or UNLIMITED
        planned: dict[Sequence, list[int]] = {}
        for sequence in sorted(self.running, key=lambda each: each.left > 1):
            if sequence not in self.running or budget <= 0:  # it gave its pages back, or no room
                continue
            chunk = sequence.tokens[sequence.cached : sequence.cached + budget]
            if not self._take(sequence, sequence.cached + len(chunk), planned):
                continue
            if sequence.left == 1:
                chunk = chunk + self._affordable(sequence, guesses.get(sequence, []), budget - 1)
            planned[sequence] = chunk
            budget -= len(chunk)
        return planned

    def _take(self, sequence: Sequence, end: int, planned: dict[Sequence, list[int]]) -> bool:
        """Pages for `end` positions; whoever came last gives way. False if that is `sequence`."""
        while True:
            try:
                sequence.grow(end, self.pool)
                return True
            except OutOfPages:
                last = self.running.pop()
                last.release(self.pool)
                planned.pop(last, None)
                self.waiting.appendleft(last)
                self.preemptions += 1
                if last is sequence:
                    return False

    def _affordable(self, sequence: Sequence, guesses: list[int], budget: int) -> list[int]:
        size = self.pool.page_tokens
        room = len(sequence.pages) * size - sequence.cached - 1 + self.pool.available * size
        kept = guesses[: max(0, min(room, budget))]
        sequence.grow(sequence.cached + 1 + len(kept), self.pool)
        return kept

    def _lacking(self, sequence: Sequence) -> int:
        needed = pages_needed(len(sequence.tokens), self.pool.page_tokens)
        return max(0, needed - len(sequence.pages))
