"""Operations of one token: products with weights, and attention over the tokens before it.

`snippets/speed.py` divides them by what a card does in a second, `snippets/serving_work.py` counts a step's.
"""

from snippets.arguments import require_positive
from snippets.model_parameters import elements, head_parameters, used_parameters
from snippets.models import Layer, Model, layer_counts


def attention_operations(model: Model, tokens: float) -> float:
    """Operations of one token's attention over `tokens` cached ones, all layers together.

    A multiply and an add for each element of each key, and again of each value; a layer with a
    sliding window, or one that picks tokens, looks at no more than that. Recurrent layers update
    their states instead.

    >>> from snippets.models import deepseek_v2, gemma_3_1b, llama_2_7b
    >>> attention_operations(llama_2_7b, 1000), attention_operations(gemma_3_1b, 1000)
    (524288000.0, 62521344.0)
    >>> attention_operations(deepseek_v2, 1000)
    4915200000.0
    """
    require_positive(tokens=tokens)
    return sum(
        count * layer_operations(layer, looked_at(layer, tokens), tokens)
        for layer, count in layer_counts(model)
    )


def mean_attention_operations(model: Model, tokens: float) -> float:
    """Operations of one token's attention, in the mean over the positions of `tokens` tokens.

    A token sees half of its sequence on average; in a layer with a window of w, w − w²/2T.

    >>> from snippets.models import llama_2_7b, mistral_7b
    >>> mean_attention_operations(llama_2_7b, 1000)
    262144000.0
    >>> mean_attention_operations(mistral_7b, 8192), 2 * 32 * 32 * 256 * (4096 - 4096**2 / 2 / 8192)
    (1610612736.0, 1610612736.0)
    """
    require_positive(tokens=tokens)
    return sum(
        count * layer_operations(layer, mean_looked_at(layer, tokens), tokens / 2)
        for layer, count in layer_counts(model)
    )


def layer_operations(layer: Layer, seen: float, before: float) -> float:
    """Operations of a token's attention in a layer: `seen` tokens of the `before` there are.

    >>> layer_operations(Layer(tensors=[], scores=3, choosing=5, recurrence=7), 11, 13)
    210.0
    """
    chosen_from = layer.choosing * before / layer.every
    return 2 * (layer.scores * seen + chosen_from + layer.recurrence)


def looked_at(layer: Layer, tokens: float) -> float:
    """Tokens that one with `tokens` before it looks at in a layer.

    >>> looked_at(Layer(tensors=[], window=3), 10), looked_at(Layer(tensors=[], attends=3), 10)
    (3, 3)
    >>> looked_at(Layer(tensors=[], every=4, beside_window=3), 10)
    5.5
    """
    most = layer.attends or layer.window
    compressed = tokens / layer.every
    return (min(most, compressed) if most else compressed) + min(layer.beside_window, tokens)


def mean_looked_at(layer: Layer, tokens: float) -> float:
    """Tokens that one looks at in a layer, in the mean over `tokens` positions.

    >>> [mean_looked_at(Layer(tensors=[], window=w), 1000) for w in (0, 100, 4000)]
    [500.0, 95.0, 500.0]
    >>> [mean_looked_at(Layer(tensors=[], window=w, chunked=True), 1000) for w in (100, 4000)]
    [50.0, 500.0]
    """
    most = (layer.attends or layer.window) * layer.every
    return mean_window(most, layer.chunked, tokens) / layer.every + (
        mean_window(layer.beside_window, False, tokens) if layer.beside_window else 0
    )


def mean_window(window: float, chunked: bool, tokens: float) -> float:
    """Mean of min(position, window) over `tokens` positions; a chunked window starts anew.

    >>> mean_window(0, False, 10), mean_window(5, False, 10), mean_window(4, True, 10)
    (5.0, 3.75, 2.0)
    """
    if not 0 < window < tokens:
        return tokens / 2
    return window / 2 if chunked else window - window * window / (2 * tokens)


def multiplied_operations(model: Model) -> int:
    """Operations of one token's products with weights, forward.

    Two per parameter that it is multiplied by (Kaplan et al. 2020, section 2.1): all active ones, the
    embedding only as a head.

    >>> from snippets.models import gpt2_xl, mixtral_8x7b
    >>> multiplied_operations(gpt2_xl), multiplied_operations(mixtral_8x7b)
    (3111945600, 25497706496)
    """
    layers = sum(count * used_parameters(layer) for layer, count in layer_counts(model))
    norms = sum(elements(tensor) for tensor in model.around if tensor.part == "norms")
    return 2 * (layers + norms + head_parameters(model))


def forward_operations(model: Model, *, context: float) -> float:
    """Operations of one token's forward pass with `context` tokens before it.

    >>> from snippets.models import gpt2_xl, mixtral_8x7b
    >>> forward_operations(gpt2_xl, context=100), forward_operations(mixtral_8x7b, context=100)
    (3142665600.0, 25550135296.0)
    """
    return multiplied_operations(model) + attention_operations(model, context)


def training_operations_per_token(model: Model, *, tokens: float) -> float:
    """Operations of one token in training on sequences of `tokens`: forward, and twice as many back.

    Recomputation does not count (Chowdhery et al. 2022, appendix B).

    >>> from snippets.models import gpt2_xl, mistral_7b
    >>> training_operations_per_token(gpt2_xl, tokens=1000)
    9796636800.0
    >>> training_operations_per_token(mistral_7b, tokens=8192)
    47495798784.0
    """
    return 3 * (multiplied_operations(model) + mean_attention_operations(model, tokens))
