"""How far off a guess is, in words: what an exercise says before it unfolds its answer."""

RIGHT = 0.05  # of the answer to either side


def verdict(guess: float, answer: float) -> str:
    """Right within a twentieth; else by which share, or how many times, it is too low or too high.

    >>> verdict(9, 9.4), verdict(5, 10), verdict(12, 10), verdict(1000, 10), verdict(-1, 10)
    ('Right: 4% off.', '2.0 times too low.', '20% too high.', '100 times too high.', '110% too low.')
    >>> verdict(0, 0), verdict(2, 0)
    ('Right.', 'Too high by 2.')
    """
    if guess == answer:
        return "Right."
    if answer == 0:
        return f"Too {'high' if guess > 0 else 'low'} by {abs(guess):g}."
    off = abs(guess - answer) / abs(answer)
    if off <= RIGHT:
        return f"Right: {off:.0%} off."
    side = "high" if guess > answer else "low"
    ratio = guess / answer
    if 0.5 < ratio < 2 or ratio <= 0:
        return f"{off:.0%} too {side}."
    times = ratio if ratio > 1 else 1 / ratio
    return f"{times:,.0f} times too {side}." if times >= 10 else f"{times:.1f} times too {side}."
