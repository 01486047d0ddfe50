"""Speculative decoding: how many tokens a checked guess is worth, and from which batch on it costs time.

The chapter on inference shows it; the experiment `serving` compares it with what the engine did.
"""

from snippets.arguments import require_count, require_not_negative, require_positive


def expected_tokens(acceptance: float, guesses: int) -> float:
    """Tokens that one round gives: the guesses until the first wrong one, and one of the model's own.

    Each guess is right with probability `acceptance`, whatever came before (Leviathan et al. 2023,
    section 3.1, equation 1).

    >>> expected_tokens(0.5, 2), expected_tokens(0.8, 0), expected_tokens(1, 4)
    (1.75, 1.0, 5)
    >>> expected_tokens(1.2, 4)
    Traceback (most recent call last):
    ValueError: acceptance is a probability: at most 1, not 1.2
    """
    require_not_negative(acceptance=acceptance, guesses=guesses)
    if acceptance > 1:
        raise ValueError(f"acceptance is a probability: at most 1, not {acceptance}")
    if acceptance == 1:
        return guesses + 1
    return (1 - acceptance ** (guesses + 1)) / (1 - acceptance)


def checking_cost(*, sequences: float, guesses: int, balanced_batch: float) -> float:
    """How many times as long a step takes that checks guesses, by the roofline of its matrices.

    Reading the weights takes as long as computing `balanced_batch` tokens.

    >>> checking_cost(sequences=1, guesses=4, balanced_batch=300)
    1.0
    >>> checking_cost(sequences=100, guesses=4, balanced_batch=300)
    1.6666666666666667
    >>> checking_cost(sequences=400, guesses=1, balanced_batch=300)
    2.0
    """
    require_positive(sequences=sequences, balanced_batch=balanced_batch)
    require_not_negative(guesses=guesses)
    plain = max(1.0, sequences / balanced_batch)
    return max(1.0, sequences * (guesses + 1) / balanced_batch) / plain


def speculation_speedup(
    *, acceptance: float, guesses: int, draft_cost: float, checking: float = 1
) -> float:
    """How many times as fast tokens come: those of a round over its steps.

    `draft_cost` is what one guess takes and `checking` what the checking step takes, both in steps
    of plain decoding (Leviathan et al. 2023, section 3.3, theorem 3.8 where `checking` is 1).

    >>> speculation_speedup(acceptance=0.5, guesses=2, draft_cost=0.125)
    1.4
    >>> speculation_speedup(acceptance=0.5, guesses=2, draft_cost=0, checking=3.5)
    0.5
    """
    require_not_negative(draft_cost=draft_cost)
    require_positive(checking=checking)
    return expected_tokens(acceptance, guesses) / (checking + guesses * draft_cost)


def losing_batch(*, acceptance: float, guesses: int, balanced_batch: float) -> float:
    """The batch from which on free guesses cost more time than they save, by the roofline.

    There checking takes as many plain steps as a round gives tokens.

    >>> losing_batch(acceptance=0.5, guesses=2, balanced_batch=300)
    175.0
    >>> batch = losing_batch(acceptance=0.8, guesses=4, balanced_batch=295)
    >>> round(batch, 1), round(checking_cost(sequences=batch, guesses=4, balanced_batch=295), 4)
    (198.3, 3.3616)
    """
    require_count(guesses=guesses)
    require_positive(balanced_batch=balanced_batch)
    return balanced_batch * expected_tokens(acceptance, guesses) / (guesses + 1)
