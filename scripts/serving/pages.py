"""The engine takes pages for a sequence's keys and values here and gives them back; a page is a number.

Pages are counted by reference, so that sequences with a common beginning share them. A full page can
be remembered under a key of all tokens up to its end; when nobody holds it any longer it stays to be
found again, until its place is needed (Kwon et al. 2023, arXiv:2309.06180, section 4).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

Key = int


class OutOfPages(Exception):
    """Every page is held by some sequence."""


class PagePool:
    """`pages` pages of `page_tokens` tokens each."""

    def __init__(self, pages: int, page_tokens: int) -> None:
        self.pages, self.page_tokens = pages, page_tokens
        self._free = list(range(pages))[::-1]
        self._holders = [0] * pages
        self._key_of: dict[int, Key] = {}
        self._page_of: dict[Key, int] = {}
        self._unheld: OrderedDict[int, None] = OrderedDict()  # remembered, the oldest first

    @property
    def held(self) -> int:
        """Pages that some sequence holds."""
        return self.pages - self.available

    @property
    def available(self) -> int:
        """Pages that can be taken: free, or remembered and held by nobody."""
        return len(self._free) + len(self._unheld)

    def take(self) -> int:
        """A page for one sequence. Raises OutOfPages."""
        if not self.available:
            raise OutOfPages
        if not self._free:
            page, _ = self._unheld.popitem(last=False)
            self._forget(page)
            self._free.append(page)
        page = self._free.pop()
        self._holders[page] = 1
        return page

    def release(self, page: int) -> None:
        """One holder less; a page without holders can be taken, remembered ones last."""
        self._holders[page] -= 1
        if self._holders[page] == 0:
            if page in self._key_of:
                self._unheld[page] = None
            else:
                self._free.append(page)

    def remember(self, page: int, key: Key) -> None:
        """Let a full page be found under `key`, unless another holds the same tokens already."""
        if key not in self._page_of and page not in self._key_of:
            self._page_of[key], self._key_of[page] = page, key

    def find(self, keys: Sequence[Key]) -> list[int]:
        """The remembered pages of the longest beginning of `keys`, each held once more."""
        found = []
        for key in keys:
            page = self._page_of.get(key)
            if page is None:
                break
            self._unheld.pop(page, None)
            self._holders[page] += 1
            found.append(page)
        return found

    def _forget(self, page: int) -> None:
        del self._page_of[self._key_of.pop(page)]


def page_keys(tokens: Sequence[int], page_tokens: int) -> list[Key]:
    """A key for each full page of a text: of its own tokens and of all before them."""
    keys: list[Key] = []
    for end in range(page_tokens, len(tokens) + 1, page_tokens):
        keys.append(next_key(keys, tokens[end - page_tokens : end]))
    return keys


def next_key(keys: Sequence[Key], tokens: Sequence[int]) -> Key:
    """The key of a page with `tokens` that follows the pages with `keys`."""
    return hash((keys[-1] if keys else 0, tuple(tokens)))
