"""From which size on a split of a model waits for its links: thresholds as multiples of one quotient.

The balance point of a link is the operations that a card does while the link carries one byte. Weights,
gradients and activations have two bytes each. The chapter on parallelism derives the thresholds.
"""

from snippets.arguments import require_positive


def data_tokens(link_balance: float) -> float:
    """Tokens on each rank from which on a backward pass hides the all-reduce of its gradients.

    4 bytes of each parameter travel in a long ring, beside 4 operations with each token. The same holds
    for ZeRO-3, pass by pass: 2 bytes gathered beside 2 operations.

    >>> data_tokens(2000)
    2000
    """
    require_positive(link_balance=link_balance)
    return link_balance


def tensor_ranks(hidden_size: float, link_balance: float) -> float:
    """The ranks up to which a layer's products take longer than its two sums, in the forward pass.

    In the backward pass the products double, and the sums do not. A layer has 12 h² parameters. A
    token's sums send 8 h (n - 1) / n bytes, its products on one rank
    are 24 h² / n operations.

    >>> tensor_ranks(8192, 2048)
    13.0
    """
    require_positive(hidden_size=hidden_size, link_balance=link_balance)
    return 1 + 3 * hidden_size / link_balance


def pipeline_width(link_balance: float) -> float:
    """Hidden size times layers of a stage, from which on its work takes longer than handing it on.

    A token hands on 2 h bytes after 24 h² operations in each layer.

    >>> pipeline_width(1200)
    100.0
    """
    require_positive(link_balance=link_balance)
    return link_balance / 12


def expert_width(link_balance: float) -> float:
    """The inner width of an expert from which on its products take longer than its tokens' way.

    A token goes to its expert and comes back, 4 h bytes, for three matrices of h × f: 6 h f operations.

    >>> expert_width(1500)
    1000.0
    """
    require_positive(link_balance=link_balance)
    return 2 * link_balance / 3


def context_tokens(link_balance: float, key_value_share: float) -> float:
    """Tokens on each rank from which on ring attention hides the keys and values that are handed on.

    `key_value_share` is the width of the keys over that of the queries. 4 bytes of each number of a
    key's width travel for each token; each pair of tokens takes 4 operations for each of the queries'.

    >>> context_tokens(2000, 0.25)
    500.0
    """
    require_positive(link_balance=link_balance, key_value_share=key_value_share)
    return link_balance * key_value_share
