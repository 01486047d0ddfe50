"""Pages of a key-value cache: how many a conversation needs, and how much of them stays empty."""

import math

from snippets.arguments import require_count


def pages_needed(tokens: int, page_tokens: int) -> int:
    """Pages for so many tokens; the last one may be partly empty.

    >>> pages_needed(1, 16), pages_needed(16, 16), pages_needed(17, 16)
    (1, 1, 2)
    """
    require_count(tokens=tokens, page_tokens=page_tokens)
    return math.ceil(tokens / page_tokens)


def expected_page_waste(tokens: float, page_tokens: int) -> float:
    """Share of a conversation's pages that is empty, its last page being filled to any degree.

    Half a page less half a token, on average, of as many pages as the tokens take (Kwon et al.
    2023, section 4.1, says at most one page).

    >>> expected_page_waste(1, 1), expected_page_waste(15, 11)
    (0.0, 0.25)
    """
    require_count(page_tokens=page_tokens)
    empty = (page_tokens - 1) / 2
    return empty / (tokens + empty)
