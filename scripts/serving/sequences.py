"""What the engine, its scheduler and its drafts know of one request: what was asked, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass, field

from scripts.serving.pages import Key, PagePool, next_key, page_keys


@dataclass(frozen=True)
class Request:
    """A prompt as tokens, and how many tokens to generate at the most. It ends before that at `stop`.

    `temperature` 0 takes the likeliest token; otherwise tokens are drawn, by `seed`. `arrival` is in
    seconds from the start of a run.
    """

    name: str
    prompt: tuple[int, ...]
    most_tokens: int
    temperature: float = 0.0
    seed: int = 0
    stop: int | None = None
    arrival: float = 0.0


@dataclass(eq=False)
class Sequence:
    """A request under way. Keys and values of the first `cached` of its `tokens` are in the cache."""

    request: Request
    tokens: list[int]
    arrived: float = 0.0
    pages: list[int] = field(default_factory=list)
    cached: int = 0
    keys: list[Key] = field(default_factory=list)  # of its full pages that can be found again
    token_times: list[float] = field(default_factory=list)
    reused_tokens: int = 0

    @property
    def left(self) -> int:
        """Tokens still to be computed: one while it generates, more while the prompt is read."""
        return len(self.tokens) - self.cached

    @property
    def generated(self) -> list[int]:
        """The tokens of the answer so far."""
        return self.tokens[len(self.request.prompt) :]

    @property
    def is_finished(self) -> bool:
        """Whether the answer has ended."""
        answer, asked = self.generated, self.request
        return len(answer) >= asked.most_tokens or bool(answer and answer[-1] == asked.stop)

    def slots(self, end: int, page_tokens: int) -> list[int]:
        """The slots of the first `end` positions."""
        return [self.pages[i // page_tokens] * page_tokens + i % page_tokens for i in range(end)]

    def grow(self, end: int, pool: PagePool) -> None:
        """Take pages for the first `end` positions. Raises OutOfPages, with what was taken kept."""
        while len(self.pages) * pool.page_tokens < end:
            self.pages.append(pool.take())

    def trim(self, pool: PagePool) -> None:
        """Give back pages that hold nothing but guesses that were wrong."""
        while (len(self.pages) - 1) * pool.page_tokens >= self.cached:
            pool.release(self.pages.pop())

    def release(self, pool: PagePool) -> None:
        """Give back all pages; what they held would have to be computed, or found, again."""
        for page in reversed(self.pages):
            pool.release(page)
        self.pages, self.keys, self.cached = [], [], 0

    def reuse(self, pool: PagePool) -> None:
        """Hold remembered pages of the same beginning, all but the last token at the most."""
        self.keys = page_keys(self.tokens[:-1], pool.page_tokens)
        self.pages = pool.find(self.keys)
        self.keys = self.keys[: len(self.pages)]
        self.cached = self.reused_tokens = len(self.pages) * pool.page_tokens

    def remember(self, pool: PagePool) -> None:
        """Let full pages be found by sequences with the same beginning."""
        size = pool.page_tokens
        while (len(self.keys) + 1) * size <= self.cached:
            number = len(self.keys)
            key = next_key(self.keys, self.tokens[number * size : (number + 1) * size])
            self.keys.append(key)
            pool.remember(self.pages[number], key)
