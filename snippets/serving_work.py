"""What one step of serving asks of each card: bytes, operations, launches and messages.

`serving_time` turns the work into seconds; `scripts/predictions/serving.py` asks for it run by run.
Times here are the datasheet's, as if every byte and operation came at its full rate.
"""

from dataclasses import dataclass

from snippets.arguments import require_count, require_positive
from snippets.hardware.accelerator import Accelerator
from snippets.models.model import Layer, Model, Tensor, layer_of
from snippets.parallelism import all_reduce_bytes

ELEMENT = 2  # bytes of an activation and of a cached element


@dataclass(frozen=True, kw_only=True)
class Worker:
    """One copy of a model on `tensor` × `attention_data` cards, which share the experts between them.

    Attention is split over `tensor` cards, and `attention_data` such groups serve different requests.
    `bits` are those of each part's matrices ("attention", "mlp", "experts"; 16 for all others), and
    products with them run at the rate of sixteen bits where `weight_only`. `link` is what a card
    sends to the others at once, in bytes/s.
    """

    model: Model
    card: Accelerator
    bits: dict[str, float]
    weight_only: bool = False
    tensor: int = 1
    attention_data: int = 1
    link: float = 0


@dataclass(frozen=True, kw_only=True)
class Product:
    """Products with like matrices: seconds to read them, seconds to compute, rows that share a read."""

    memory: float
    operations: float
    rows: float


@dataclass(frozen=True, kw_only=True)
class StepWork:
    """A step's work on one card: products, and seconds of caches, of attention and of the links."""

    products: list[Product]
    cache: float
    attention: float
    link: float
    launches: float
    all_reduces: int


def share_of_experts_read(*, experts: int, experts_per_token: int, tokens: float) -> float:
    """Share of a layer's experts that a batch of tokens touches, if the router has no favourites.

    A token passes over an expert with probability 1 - k/E, and all of them with that to the power of
    the tokens.

    >>> [share_of_experts_read(experts=8, experts_per_token=2, tokens=n) for n in (0, 1, 2)]
    [0.0, 0.25, 0.4375]
    >>> share_of_experts_read(experts=8, experts_per_token=9, tokens=1)
    Traceback (most recent call last):
    ValueError: a token cannot use 9 of 8 experts
    """
    require_count(experts=experts, experts_per_token=experts_per_token)
    if experts_per_token > experts:
        raise ValueError(f"a token cannot use {experts_per_token} of {experts} experts")
    return 1 - (1 - experts_per_token / experts) ** tokens


def cards_reached(*, cards: int, experts_per_token: int) -> float:
    """Other cards that hold one of a token's experts, where the experts are spread evenly.

    >>> cards_reached(cards=1, experts_per_token=8), cards_reached(cards=2, experts_per_token=2)
    (0.0, 0.75)
    """
    require_count(cards=cards, experts_per_token=experts_per_token)
    return (cards - 1) * (1 - (1 - 1 / cards) ** experts_per_token)


def launches(model: Model, layer: Layer, bits: dict[str, float]) -> int:
    """Kernels of one layer's step in a fused engine, counted from what the layer consists of.

    Nine for a plain one: a norm, queries-keys-values, rotary positions and the cache, attention,
    output; a norm, gate and up, activation, down. Latent attention has two products and their norms
    more (4), an indexer its own attention and what packs it (12), a recurrent state a convolution and
    gates (3). Experts need a router, a choice, a sort and a sum (4), a shared one an MLP of its own
    (3). Inputs of attention and of MLP matrices with fewer than sixteen bits are packed first (2 each).

    >>> plain = Layer(tensors=[Tensor(name="up", part="mlp", inputs=5, outputs=7)], scores=3, cache=4)
    >>> def counted(layer, **bits):
    ...     return launches(None, layer, {"attention": 16, "mlp": 16, "experts": 16} | bits)
    >>> counted(plain), counted(plain, attention=8), counted(plain, attention=8, mlp=8)
    (9, 11, 13)
    >>> counted(Layer(tensors=[], scores=3)), counted(Layer(tensors=plain.tensors))
    (5, 4)
    """
    parts = {tensor.part for tensor in layer.tensors}
    names = {tensor.name for tensor in layer.tensors}
    routed = "experts" in parts
    count = 0
    if layer.scores or layer.state:
        count += 5 + (2 if bits["attention"] < 16 else 0)
        count += 4 if "key_value_down" in names else 0
        count += 12 if layer.choosing else 0
        count += 3 if layer.state else 0
    if routed or "mlp" in parts:
        count += 4 + (2 if bits["experts" if routed else "mlp"] < 16 else 0)
        count += 4 if routed else 0
        count += 3 if routed and "mlp" in parts else 0
    return count


def looked_at(layer: Layer, context: float) -> float:
    """Tokens of a context that a new token attends to in a layer.

    >>> [looked_at(Layer(tensors=[], window=w, attends=a), 100) for w, a in ((0, 0), (7, 0), (0, 9))]
    [100, 7, 9]
    """
    seen = min(context, layer.window) if layer.window else context
    return min(seen, layer.attends) if layer.attends else seen


def held_on_card(worker: Worker, tensor: Tensor) -> float:
    """Elements of a tensor on each card: experts over all, the others over those of one tensor split.

    >>> from snippets.hardware import h100_sxm
    >>> worker = Worker(model=None, card=h100_sxm, bits={}, tensor=4, attention_data=2)
    >>> up = {"name": "up", "inputs": 10, "outputs": 16}
    >>> held_on_card(worker, Tensor(part="mlp", **up)), held_on_card(worker, Tensor(part="experts", **up))
    (40.0, 20.0)
    >>> held_on_card(worker, Tensor(part="attention", pieces=2, **up))
    80.0
    """
    elements = tensor.count * tensor.outputs * max(tensor.inputs, 1)
    if tensor.part == "experts":
        return elements / (worker.tensor * worker.attention_data)
    return elements / (min(worker.tensor, tensor.pieces) if tensor.pieces else worker.tensor)


def weights_on_card(worker: Worker) -> float:
    """Bytes of weights on each card."""
    model = worker.model
    layers = [tensor for index in range(model.layers) for tensor in layer_of(model, index).tensors]
    return sum(
        held_on_card(worker, tensor) * worker.bits.get(tensor.part, 16) / 8
        for tensor in layers + model.around
    )


def sequence_on_card(worker: Worker, tokens: float) -> float:
    """Bytes that one sequence of `tokens` tokens keeps on each card of its tensor split."""
    total = 0.0
    for index in range(worker.model.layers):
        layer = layer_of(worker.model, index)
        kept = min(tokens, layer.window) if layer.window else tokens
        pieces = min(worker.tensor, max(layer.cache_pieces, 1))
        total += ELEMENT * layer.cache * kept / layer.every / pieces + layer.state / worker.tensor
    return total


def product_rate(card: Accelerator, bits: float, *, weight_only: bool = False) -> float:
    """Operations/s of products with matrices of `bits`; at sixteen where the card knows no fewer."""
    fewest = 16.0 if weight_only else bits
    fp4 = card.dense_fp4 if fewest < 8 else None
    fp8 = card.dense_fp8 if fewest == 8 else None
    found = fp4 or fp8 or card.dense_bf16 or card.dense_fp16
    if found is None:
        raise ValueError(f"the rate of {card.name}'s products is not published")
    return found


def experts_of(layer: Layer) -> Tensor | None:
    """One of the tensors of a layer's experts."""
    found = [tensor for tensor in layer.tensors if tensor.part == "experts"]
    return found[0] if found else None


def layer_products(worker: Worker, layer: Layer, tokens: float) -> list[Product]:
    """The products of one layer for `tokens` tokens over all of the worker's cards."""
    card, own = worker.card, tokens / worker.attention_data
    some = experts_of(layer)
    made = []
    for part in ("attention", "mlp", "experts", "router"):
        tensors = [each for each in layer.tensors if each.part == part and each.inputs]
        if not tensors:
            continue
        bits = worker.bits.get(part, 16)
        elements = sum(held_on_card(worker, tensor) for tensor in tensors)
        read, used, rows = 1.0, own, own
        if some and part == "experts":
            share = (some.count - some.idle) / some.count
            read = share_of_experts_read(
                experts=some.count, experts_per_token=some.count - some.idle, tokens=tokens
            )
            used = tokens * share
            rows = used / read
        operations = 2 * used * elements
        made.append(
            Product(
                memory=read * elements * bits / 8 / card.memory_bandwidth,
                operations=operations / product_rate(card, bits, weight_only=worker.weight_only),
                rows=rows,
            )
        )
    return made


def step_work(
    worker: Worker, *, sequences: float, new_tokens: float, context: float, decoding: bool
) -> StepWork:
    """A step in which each of `sequences` sequences has `new_tokens` tokens, `context` before each.

    `decoding` reads the cache from memory; a prompt's own keys and values are at hand. Tensor-split
    layers sum their hidden states twice; with `attention_data` a token's state goes to the cards of
    its experts and comes back.
    """
    require_positive(sequences=sequences, new_tokens=new_tokens)
    model, card, tensor = worker.model, worker.card, worker.tensor
    tokens = sequences * new_tokens
    own = tokens / worker.attention_data
    sixteen = product_rate(card, 16)
    products: list[Product] = []
    cache = attention = sent = kernels = 0.0
    all_reduces = 0
    for kind, layer in enumerate(model.kinds):
        count = model.order.count(kind)
        products += [
            Product(memory=count * p.memory, operations=count * p.operations, rows=p.rows)
            for p in layer_products(worker, layer, tokens)
        ]
        kernels += count * launches(model, layer, worker.bits)
        seen = looked_at(layer, context)
        folded = (
            decoding and layer.cache_pieces == 1
        )  # latent attention: each head sees the latents
        scores = 2 * model.heads * layer.cache if folded else layer.scores
        scored = scores * seen / layer.every + layer.choosing * context
        attention += count * 2 * own * scored / tensor / sixteen
        if decoding:
            pieces = min(tensor, max(layer.cache_pieces, 1))
            kept = ELEMENT * layer.cache * seen / layer.every / pieces
            cache += count * own * (kept + 2 * layer.state / tensor) / card.memory_bandwidth
        some = experts_of(layer)
        exchanged = worker.attention_data > 1 and some is not None
        if tensor > 1:
            sums = count * (1 if exchanged else 2)
            all_reduces += sums
            sent += sums * all_reduce_bytes(own * model.hidden_size * ELEMENT, tensor)
        if exchanged and some is not None:
            cards = tensor * worker.attention_data
            reached = cards_reached(cards=cards, experts_per_token=some.count - some.idle)
            all_reduces += count
            sent += count * 2 * own * model.hidden_size * ELEMENT * reached
    head = model.vocabulary * model.hidden_size / tensor
    own_sequences = sequences / worker.attention_data
    products.append(
        Product(
            memory=2 * head / card.memory_bandwidth,
            operations=2 * own_sequences * head / sixteen,
            rows=own_sequences,
        )
    )
    if sent and not worker.link:
        raise ValueError(f"the links of {card.name} to other cards are not published")
    return StepWork(
        products=products,
        cache=cache,
        attention=attention,
        link=sent / worker.link if sent else 0.0,
        launches=kernels,
        all_reduces=all_reduces,
    )
