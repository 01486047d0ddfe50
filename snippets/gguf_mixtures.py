"""Which format each matrix has in a GGUF file: the mixtures of llama.cpp's quantizer.

After `llama_tensor_get_type` of llama.cpp (src/llama-quant.cpp), IQ4_XS with an importance matrix
and the others without: output head, values and the MLP's last matrix get more bits, in some layers
or in all.
"""

from snippets.models.model import Model, Tensor

BITS = {  # per weight, scales included: ggml-common.h, bytes of a block over its weights
    "F32": 32.0,
    "Q2_K": 2.625,
    "Q3_K": 3.4375,
    "IQ4_XS": 4.25,
    "IQ4_NL": 4.5,
    "Q4_0": 4.5,
    "Q4_K": 4.5,
    "Q5_0": 5.5,
    "Q5_K": 5.5,
    "Q5_1": 6.0,
    "Q6_K": 6.5625,
    "Q8_0": 8.5,
}
NARROW = {  # where a row is no multiple of 256 weights
    "Q2_K": "IQ4_NL",
    "Q3_K": "IQ4_NL",
    "IQ4_XS": "IQ4_NL",
    "Q4_K": "Q5_0",
    "Q5_K": "Q5_1",
    "Q6_K": "Q8_0",
}
# The format of most matrices of a mixture.
BASE = {
    "Q4_0": "Q4_0",
    "Q8_0": "Q8_0",
    "Q2_K": "Q2_K",
    "Q3_K_M": "Q3_K",
    "Q4_K_M": "Q4_K",
    "Q5_K_M": "Q5_K",
    "Q6_K": "Q6_K",
    "IQ4_XS": "IQ4_XS",
}


def spread(layer: int, layers: int) -> bool:
    """The first and the last eighth of the layers, and every third between them.

    >>> [layer for layer in range(32) if spread(layer, 32)]
    [0, 1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28, 29, 30, 31]
    """
    eighth = layers // 8
    return layer < eighth or layer >= 7 * layers // 8 or (layer - eighth) % 3 == 2


def layer_format(mixture: str, tensor: Tensor, model: Model, layer: int) -> str:
    """The format of a layer's matrix, if its rows are multiples of 256 weights.

    >>> from snippets.models import llama_3_1_8b
    >>> value, down = llama_3_1_8b.kinds[0].tensors[2], llama_3_1_8b.kinds[0].tensors[6]
    >>> [layer_format("Q4_K_M", value, llama_3_1_8b, layer) for layer in (0, 4)]
    ['Q6_K', 'Q4_K']
    >>> [layer_format(name, down, llama_3_1_8b, 0) for name in ("Q2_K", "Q3_K_M", "IQ4_XS")]
    ['Q3_K', 'Q5_K', 'IQ4_XS']
    """
    base = BASE[mixture]
    eight = model.experts == 8
    shared = model.heads // model.kv_heads
    more = spread(layer, model.layers)
    if tensor.name == "value":
        found = base
        if mixture == "Q2_K":
            found = "Q4_K" if shared >= 4 else "Q3_K"
        elif mixture == "Q3_K_M":
            found = "Q5_K" if layer < 2 else "Q4_K"
        elif mixture == "IQ4_XS" and shared >= 4:
            found = "Q5_K"
        elif mixture in ("Q4_K_M", "Q5_K_M") and more:
            found = "Q6_K"
        if model.layers == 80 and shared == 8 and found in ("Q3_K", "Q4_K"):
            found = "Q5_K"
        return "Q8_0" if eight else found
    if tensor.name == "key" and eight:
        return "Q8_0"
    if tensor.name == "down":
        if mixture == "Q2_K":
            return "Q3_K"
        if mixture == "Q3_K_M":
            return "Q5_K" if layer < model.layers // 16 else "Q4_K"
        if mixture in ("Q4_K_M", "Q5_K_M") and more:
            return "Q6_K"
    if tensor.name == "output":
        if eight and mixture in ("Q2_K", "Q3_K_M", "Q4_K_M", "IQ4_XS"):
            return "Q5_K"
        if not eight and mixture in ("Q2_K", "Q3_K_M"):
            return "Q3_K" if mixture == "Q2_K" else "Q4_K"
    return base


def mixture_bits(mixture: str, tensor: Tensor, model: Model) -> float:
    """Mean bits per weight of a tensor over the layers.

    Vectors and routers stay in FP32. The output head, or a tied embedding, has six bits at least.

    >>> from snippets.models import llama_3_1_8b, qwen2_5_0_5b
    >>> embedding, _, head = llama_3_1_8b.around
    >>> [mixture_bits("Q4_0", tensor, llama_3_1_8b) for tensor in (embedding, head)]
    [4.5, 6.5625]
    >>> mixture_bits("Q4_K_M", llama_3_1_8b.kinds[0].tensors[2], llama_3_1_8b)
    5.53125
    >>> mixture_bits("Q4_K_M", qwen2_5_0_5b.around[0], qwen2_5_0_5b)
    8.5
    """
    if not tensor.inputs or tensor.part == "router":
        return BITS["F32"]
    if tensor.part == "head" or (tensor.part == "embedding" and model.tied_embeddings):
        return row_bits("Q8_0" if mixture == "Q8_0" else "Q6_K", tensor)
    if tensor.part in ("embedding", "positions"):
        return row_bits(BASE[mixture], tensor)
    layers = range(model.layers)
    formats = [layer_format(mixture, tensor, model, layer) for layer in layers]
    return sum(row_bits(each, tensor) for each in formats) / model.layers


def row_bits(kind: str, tensor: Tensor) -> float:
    """Bits of a format, or of the one that stands in for it where rows are no multiple of 256.

    >>> narrow = Tensor(name="up", part="mlp", inputs=896, outputs=256)
    >>> row_bits("Q4_K", narrow), row_bits("Q4_0", narrow)
    (5.5, 4.5)
    """
    row = tensor.outputs if tensor.part == "embedding" else tensor.inputs
    return BITS[NARROW.get(kind, kind) if row % 256 else kind]
