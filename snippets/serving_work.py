"""What one step of serving asks of each card: bytes, operations, launches and messages.

`serving_time` turns the work into seconds; `scripts/predictions/serving.py` asks for it run by run.
Seconds here are the datasheet's, as if every byte and operation came at its full rate.
"""

from dataclasses import dataclass

from snippets.arguments import require_count, require_positive
from snippets.hardware.accelerator import Accelerator
from snippets.model_parameters import all_tensors, head_parameters, split_parameters
from snippets.models import Layer, Model, Tensor, layer_counts
from snippets.operations import layer_operations, looked_at
from snippets.parallelism import all_reduce_bytes
from snippets.speed import experts_read, power

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
    launches: int
    exchanges: int


def cards_reached(*, cards: int, experts_per_token: int) -> float:
    """Other cards that hold one of a token's experts, where the experts are spread evenly.

    >>> cards_reached(cards=1, experts_per_token=8), cards_reached(cards=2, experts_per_token=2)
    (0.0, 0.75)
    """
    require_count(cards=cards, experts_per_token=experts_per_token)
    return (cards - 1) * (1 - power(1 - 1 / cards, experts_per_token))


def launches(layer: Layer, bits: dict[str, float]) -> int:
    """Kernels of one layer's step in a fused engine, counted from what the layer consists of.

    Nine for a plain one: a norm, queries-keys-values, rotary positions and the cache, attention,
    output; a norm, gate and up, activation, down. Latent attention has two products and their norms
    more (4), an indexer its own attention and what packs it (12), a recurrent state a convolution and
    gates (3). Experts need a router, a choice, a sort and a sum (4), a shared one an MLP of its own
    (3). Inputs of attention and of MLP matrices with fewer than sixteen bits are packed first (2 each).

    >>> from snippets.models import deepseek_v3, llama_3_1_8b
    >>> full, eight = [{"attention": bits, "mlp": bits, "experts": bits} for bits in (16, 8)]
    >>> launches(llama_3_1_8b.kinds[0], full), launches(llama_3_1_8b.kinds[0], eight)
    (9, 13)
    >>> [launches(layer, eight) for layer in deepseek_v3.kinds]
    [17, 24]
    """
    parts = [tensor.part for tensor in layer.tensors]
    names = [tensor.name for tensor in layer.tensors]
    routed = "experts" in parts
    count = 0
    if layer.scores or layer.state:
        count += 5 + (2 if bits.get("attention", 16) < 16 else 0)
        count += 4 if "key_value_down" in names else 0
        count += 12 if layer.choosing else 0
        count += 3 if layer.state else 0
    if routed or "mlp" in parts:
        count += 4 + (2 if bits.get("experts" if routed else "mlp", 16) < 16 else 0)
        count += 4 if routed else 0
        count += 3 if routed and "mlp" in parts else 0
    return count


def weights_on_card(worker: Worker) -> float:
    """Bytes of weights on each card: experts are split over all, the rest over a tensor split.

    >>> from snippets.hardware import h100_sxm
    >>> from snippets.models import llama_3_1_8b
    >>> worker = Worker(model=llama_3_1_8b, card=h100_sxm, bits={"mlp": 8}, tensor=2)
    >>> round(weights_on_card(worker) / 1e9, 2)
    5.21
    """
    return sum(
        layers * on_card(worker, tensor.part, [tensor]) * worker.bits.get(tensor.part, 16) / 8
        for tensor, layers in all_tensors(worker.model)
    )


def on_card(worker: Worker, part: str, tensors: list[Tensor]) -> float:
    """Parameters of tensors on each card: experts' over all cards, others' over a tensor split.

    >>> from snippets.hardware import h100_sxm
    >>> from snippets.models import deepseek_v3
    >>> worker = Worker(model=deepseek_v3, card=h100_sxm, bits={}, tensor=2, attention_data=4)
    >>> up = Tensor(name="up", part="", inputs=8, outputs=6)
    >>> on_card(worker, "mlp", [up]), on_card(worker, "experts", [up])
    (24.0, 6.0)
    """
    cards = worker.tensor * (worker.attention_data if part == "experts" else 1)
    return split_parameters(tensors, cards)


def product_rate(card: Accelerator, bits: float) -> float:
    """Operations/s of products with matrices of `bits`; at sixteen where the card knows no fewer.

    >>> from snippets.hardware import b200_sxm, h100_sxm
    >>> [product_rate(card, 4.5) / 1e12 for card in (h100_sxm, b200_sxm)]
    [989.0, 9000.0]
    >>> product_rate(h100_sxm, 8) / 1e12
    1979.0
    """
    fp4 = card.dense_fp4 if bits < 8 else None
    fp8 = card.dense_fp8 if 8 <= bits < 16 else None
    found = fp4 or fp8 or card.dense_bf16 or card.dense_fp16
    if found is None:
        raise ValueError(f"the rate of {card.name}'s products is not published")
    return found


def layer_products(worker: Worker, layer: Layer, tokens: float, count: int) -> list[Product]:
    """The products of `count` like layers for `tokens` tokens over all of the worker's cards.

    >>> from snippets.hardware import h100_sxm
    >>> from snippets.models import mixtral_8x7b
    >>> worker = Worker(model=mixtral_8x7b, card=h100_sxm, bits={"experts": 8}, tensor=2)
    >>> made = layer_products(worker, mixtral_8x7b.kinds[0], tokens=4, count=32)
    >>> [round(product.rows, 2) for product in made]  # attention, experts, router
    [4.0, 1.46, 4.0]
    >>> [round(product.memory * 1e3, 2) for product in made]
    [0.4, 4.6, 0.0]
    """
    made = []
    for part in ("attention", "mlp", "experts", "router"):
        tensors = [each for each in layer.tensors if each.part == part and each.inputs]
        if not tensors:
            continue
        bits = worker.bits.get(part, 16)
        held = count * on_card(worker, part, tensors)
        read, used = 1.0, tokens / worker.attention_data
        if tensors[0].idle:
            every, own = tensors[0].count, tensors[0].count - tensors[0].idle
            read, used = experts_read(every, own, tokens) / every, tokens * own / every
        rate = product_rate(worker.card, 16 if worker.weight_only else bits)
        made.append(
            Product(
                memory=read * held * bits / 8 / worker.card.memory_bandwidth,
                operations=2 * used * held / rate,
                rows=used / read,
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

    >>> from snippets.hardware import h100_sxm
    >>> from snippets.models import llama_3_1_8b
    >>> worker = Worker(model=llama_3_1_8b, card=h100_sxm, bits={}, tensor=2, link=450e9)
    >>> work = step_work(worker, sequences=4, new_tokens=1, context=1000, decoding=True)
    >>> work.launches, work.exchanges, round(work.cache * 1e6, 1), round(work.link * 1e6, 1)
    (288, 64, 78.3, 4.7)
    """
    require_positive(sequences=sequences, new_tokens=new_tokens)
    model, card, tensor = worker.model, worker.card, worker.tensor
    tokens = sequences * new_tokens
    own = tokens / worker.attention_data
    state = own * model.hidden_size * ELEMENT
    sixteen = product_rate(card, 16)
    products: list[Product] = []
    cache, attention, sent = 0.0, 0.0, 0.0
    kernels, exchanges = 0, 0
    for layer, count in layer_counts(model):
        products += layer_products(worker, layer, tokens, count)
        kernels += count * launches(layer, worker.bits)
        seen = looked_at(layer, context)
        attention += count * own * layer_operations(layer, seen, context) / tensor / sixteen
        if decoding:
            kept = ELEMENT * layer.cache * seen / min(tensor, layer.cache_pieces or tensor)
            cache += count * own * (kept + 2 * layer.state / tensor) / card.memory_bandwidth
        used = [each.count - each.idle for each in layer.tensors if each.idle]
        routed = worker.attention_data > 1 and bool(used)
        sums = (1 if routed else 2) if tensor > 1 else 0
        exchanges += count * (sums + (1 if routed else 0))
        if sums:
            sent += count * sums * all_reduce_bytes(state, tensor)
        if routed:
            cards = tensor * worker.attention_data
            sent += count * 2 * state * cards_reached(cards=cards, experts_per_token=used[0])
    head = head_parameters(model) / tensor
    rows = sequences / worker.attention_data
    products += [
        Product(
            memory=ELEMENT * head / card.memory_bandwidth,
            operations=2 * rows * head / sixteen,
            rows=rows,
        )
    ]
    if sent and not worker.link:
        raise ValueError(f"the links of {card.name} to other cards are not published")
    return StepWork(
        products=products,
        cache=cache,
        attention=attention,
        link=sent / worker.link if sent else 0.0,
        launches=kernels,
        exchanges=exchanges,
    )
