"""Four free guesses a round: tokens that they give, and the batch from which on they cost time."""

from snippets.speculation import expected_tokens, losing_batch

for acceptance in (0.6, 0.8, 0.9):
    tokens = expected_tokens(acceptance, guesses=4)
    batch = losing_batch(acceptance=acceptance, guesses=4, balanced_batch=295)
    print(f"{acceptance:.0%} right: {tokens:.2f} tokens a round, a loss from batch {batch:.0f} on")
