"""Reads a model from a config.json: the registry's, one that is pasted, one on the command line.

`model_from_config` is called with the parsed file and a name, and gives a Model; its ValueError says
what is missing or not known. The page calls the same code, translated.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from snippets.models.blocks import matrix, norms, vector
from snippets.models.configuration import (
    Configuration,
    listed,
    section,
    value,
    whole,
    whole_or_zero,
)
from snippets.models.decoder import Decoder
from snippets.models.families import FAMILIES
from snippets.models.fields import check_fields, unknown_type
from snippets.models.hybrid import LETTERS
from snippets.models.model import Beside, Layer, Model, Tensor
from snippets.models.stored import stored_bits
from snippets.models.towers import towers

# What model classes take where a file is silent: `python -m tests.models.class_defaults` writes it.
DEFAULTS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "snippets/models/defaults.json").read_text(encoding="utf-8")
)
FROM_OUTSIDE = (
    "torch_dtype",
    "dtype",
    "quantization_config",
    "tie_word_embeddings",
    "architectures",
)
TEXT_MODELS = {  # what reads text in a model that reads images too, where it does not say so itself
    "gemma3": "gemma3_text",
    "gemma4": "gemma4_text",
    "kimi_k25": "deepseek_v3",
    "llama4": "llama4_text",
    "llava": "llama",
    "mistral3": "mistral",
    "mllama": "mllama_text_model",
    "paligemma": "gemma",
    "qwen2_5_vl": "qwen2",
    "qwen2_vl": "qwen2",
    "qwen3_5": "qwen3_5_text",
    "qwen3_5_moe": "qwen3_5_moe_text",
    "qwen3_vl": "qwen3_vl_text",
    "qwen3_vl_moe": "qwen3_vl_moe_text",
}
COPIES = ("deepseek_v3", "deepseek_v32", "glm4_moe", "glm_moe_dsa")  # of embedding and head
RENAMED = {"qwen2_vl_text": "qwen2", "qwen2_5_vl_text": "qwen2", "mimo": "qwen2"}


def model_from_config(config: Any, *, name: str) -> Model:
    """A model from the contents of its config.json; ValueError says what is missing or not known."""
    if not isinstance(config, dict):
        raise ValueError("a config.json holds one object, with a model_type")
    outer_kind = config.get("model_type")
    kind = TEXT_MODELS.get(outer_kind, outer_kind) if isinstance(outer_kind, str) else outer_kind
    outer, inner = config, config.get("text_config")
    if isinstance(inner, dict):
        config = inner | {key: config[key] for key in FROM_OUTSIDE if key in config}
        kind = inner.get("model_type", kind)
    kind = RENAMED.get(kind, kind) if isinstance(kind, str) else kind
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise ValueError(unknown_type(kind, config))
    read = Configuration(kind, config, DEFAULTS.get(kind, {}))
    decoder = FAMILIES[kind](read)
    check(decoder)
    bits = stored_bits(read, decoder.shape.layers)
    beside = towers(str(outer_kind), outer, decoder.shape.hidden)
    beside = [replace(each, bits=bits["vectors"]) for each in beside]
    beside += further_tokens(read, decoder, bits)
    made = model_of(replace(decoder, beside=beside), read, bits, name)
    check_fields(read)
    return made


def further_tokens(read: Configuration, decoder: Decoder, bits: dict[str, float]) -> list[Beside]:
    """Modules that predict tokens after the next: each a layer, a matrix of two states, and norms.

    DeepSeek-AI 2024 (DeepSeek-V3), section 2.2. Embedding and head are the model's, but the
    checkpoints of DeepSeek and GLM hold them a second time.
    """
    count = whole_or_zero(read, "num_nextn_predict_layers", "mtp_num_hidden_layers")
    if not count:
        return []
    hidden = decoder.shape.hidden
    pattern = value(read, "mtp_hybrid_override_pattern")
    kinds = [LETTERS[each] for each in pattern] if isinstance(pattern, str) else []
    layers = [decoder.kinds[each] for each in kinds or [decoder.order[-1]]]
    around = [*matrix("states", "router", 2 * hidden, hidden), vector("norm", "norms", 3 * hidden)]
    if read.kind in COPIES:
        around += matrix("embedding", "embedding", decoder.shape.vocabulary, hidden, count=2)
    held = around + [tensor for layer in layers for tensor in layer.tensors]
    sizes = [each.count * (each.inputs or 1) * each.outputs for each in held]
    stored = [bits[each.part if each.inputs else "vectors"] for each in held]
    total = sum(sizes)
    mean = sum(sizes[i] * stored[i] for i in range(len(held))) / total
    return [Beside(name="further-token modules", parameters=count * total, bits=mean)]


def labels(read: Configuration) -> int | None:
    """Rows of what stands in the head's place: of a classifier its labels, of a bare model none."""
    classes = listed(read, "architectures")
    name = classes[0] if classes and isinstance(classes[0], str) else "ForCausalLM"
    if "ForSequenceClassification" in name or "ForTokenClassification" in name:
        held = section(read, "id2label")
        return whole(read, "num_labels", default=len(held) or 2)
    if "RewardModel" in name:
        return 1
    bare = name[-5:] == "Model" and "LMHead" not in name and read.kind != "chatglm"
    return 0 if bare else None


def check(decoder: Decoder) -> None:
    """Raise ValueError for a decoder that nobody could build."""
    found = decoder.shape
    if found.heads % found.kv_heads:
        raise ValueError(
            f"{found.heads} heads do not share {found.kv_heads} key-value heads evenly"
        )


def model_of(decoder: Decoder, read: Configuration, bits: dict[str, float], name: str) -> Model:
    """The model that a family's decoder describes."""
    found = decoder.shape
    index = {kind: i for i, kind in enumerate(decoder.kinds)}
    rows = labels(read)
    if rows is not None:
        decoder = replace(decoder, tied=False)
    router = most_routed(list(decoder.kinds.values()))
    return Model(
        name=name,
        layers=found.layers,
        hidden_size=found.hidden,
        heads=found.heads,
        kv_heads=found.kv_heads,
        head_dim=found.head_dim,
        intermediate_size=found.width,
        vocabulary=found.vocabulary,
        context=found.context,
        window=max(layer.window for layer in decoder.kinds.values()),
        experts=router.count if router else 0,
        experts_per_token=router.count - router.idle if router else 0,
        tied_embeddings=decoder.tied,
        kinds=list(decoder.kinds.values()),
        order=[index[kind] for kind in decoder.order],
        around=around(decoder, found.vocabulary if rows is None else rows),
        beside=decoder.beside,
        stored_bits=bits,
        from_class=[key for key, own in read.asked.items() if not own and key in SIZES],
    )


SIZES = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "vocab_size",
)


def around(decoder: Decoder, rows: int) -> list[Tensor]:
    """The tensors before and after the layers; a tied head is the embedding, and no tensor."""
    found = decoder.shape
    width = decoder.embedding_width or found.hidden
    made = matrix("embedding", "embedding", found.vocabulary + decoder.more_rows, width)
    if decoder.positions:
        made += matrix("positions", "positions", decoder.positions, found.hidden)
    made += decoder.around
    if decoder.final_norm:
        made += norms(found.hidden, 1, bias=decoder.norm_bias)
    if not decoder.tied and rows:
        made += matrix("head", "head", width, rows)
    if decoder.head_bias:
        made += [vector("head", "head", found.vocabulary, pieces=0)]
    return made


def most_routed(layers: list[Layer]) -> Tensor | None:
    """The experts' first tensor, where there are experts."""
    found = [tensor for layer in layers for tensor in layer.tensors if tensor.part == "experts"]
    return found[0] if found else None
