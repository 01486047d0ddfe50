"""The engine asks a draft for guesses at the next tokens of sequences that generate, and checks them all
in one step of its own (Leviathan et al. 2023, arXiv:2211.17192, section 2). Wrong guesses cost time,
never another answer.
"""

from __future__ import annotations

from collections.abc import Sequence as List
from dataclasses import dataclass, field
from typing import Protocol

from scripts.models.checkpoints import CausalModel
from scripts.serving.forward import Chunk, cache_shape, forward
from scripts.serving.paged_cache import PagedCache
from scripts.serving.pages import OutOfPages, PagePool
from scripts.serving.sampling import next_tokens
from scripts.serving.sequences import Sequence


class Draft(Protocol):
    """Whatever guesses."""

    def propose(self, sequences: List[Sequence], count: int) -> dict[Sequence, list[int]]:
        """At most `count` guesses for each."""

    def forget(self, sequence: Sequence) -> None:
        """The sequence has ended."""


@dataclass
class PromptLookup:
    """What followed the last time that the last tokens stood in the text (Saxena 2023)."""

    longest: int = 3

    def propose(self, sequences: List[Sequence], count: int) -> dict[Sequence, list[int]]:
        """The tokens behind the latest earlier place with the longest common ending."""
        return {each: self._found(each.tokens, count) for each in sequences}

    def forget(self, sequence: Sequence) -> None:
        """Nothing is kept."""

    def _found(self, tokens: list[int], count: int) -> list[int]:
        for length in range(min(self.longest, len(tokens) - 1), 0, -1):
            ending = tokens[-length:]
            for start in range(len(tokens) - length - 1, -1, -1):
                if tokens[start : start + length] == ending:
                    return tokens[start + length : start + length + count]
        return []


@dataclass
class _Progress:
    """Tokens whose keys and values the draft's cache holds, and its pages."""

    tokens: list[int] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)


class SmallModel:
    """A model that is faster to ask, with a cache of its own: fewer bits, or fewer parameters."""

    def __init__(self, model: CausalModel, *, pages: int, page_tokens: int) -> None:
        self.model = model
        self.pool = PagePool(pages, page_tokens)
        weight = next(model.parameters())
        self.cache = PagedCache(
            cache_shape(model),
            slots=pages * page_tokens,
            stored="native",
            dtype=weight.dtype,
            device=str(weight.device),
        )
        self._progress: dict[Sequence, _Progress] = {}

    def propose(self, sequences: List[Sequence], count: int) -> dict[Sequence, list[int]]:
        """What the model itself would generate next; fewer guesses where its pages run out."""
        texts = {each: list(each.tokens) for each in sequences}
        for _ in range(count):
            chunks = {each: chunk for each in texts if (chunk := self._chunk(each, texts[each]))}
            if not chunks:
                break
            logits = forward(self.model, self.cache, list(chunks.values()))
            for each, rows in zip(chunks, logits, strict=True):
                self._progress[each].tokens = list(texts[each])
                asked = each.request
                texts[each] += next_tokens(
                    rows,
                    temperature=asked.temperature,
                    seed=asked.seed,
                    first=len(texts[each]),
                )
        return {each: text[len(each.tokens) :] for each, text in texts.items()}

    def forget(self, sequence: Sequence) -> None:
        """Its pages are free again."""
        for page in self._progress.pop(sequence, _Progress()).pages:
            self.pool.release(page)

    def _chunk(self, sequence: Sequence, text: list[int]) -> Chunk | None:
        known = self._progress.setdefault(sequence, _Progress())
        size = self.pool.page_tokens
        try:
            while len(known.pages) * size < len(text):
                known.pages.append(self.pool.take())
        except OutOfPages:
            return None
        same = 0
        for mine, right in zip(known.tokens, text[:-1], strict=False):
            if mine != right:  # a guess that was wrong
                break
            same += 1
        slots = [known.pages[i // size] * size + i % size for i in range(len(text))]
        return Chunk(text[same:], same, slots, wanted=1)
