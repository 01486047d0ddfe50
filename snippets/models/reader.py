"""Reads a model from a config.json: the registry's, one that is pasted, one on the command line.

`model_from_config` is called with the parsed file and a name, and gives a Model; its ValueError says
what is missing or not known. The page calls the same code, translated.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from snippets.models.blocks import matrix, norms, vector
from snippets.models.configuration import Configuration
from snippets.models.decoder import Decoder
from snippets.models.dense import (
    falcon,
    gemma,
    gemma2,
    gemma3,
    gpt2,
    gpt_neox,
    llama,
    mistral,
    opt,
    phi,
    qwen2,
    qwen3,
)
from snippets.models.model import Layer, Model, Tensor
from snippets.models.routed import deepseek, deepseek_v3, gpt_oss, mixtral, qwen3_moe
from snippets.models.stored import stored_bits

# What model classes take where a file is silent: `python -m tests.models.class_defaults` writes it.
DEFAULTS: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("defaults.json").read_text(encoding="utf-8")
)
FAMILIES: dict[str, Callable[[Configuration], Decoder]] = {
    "deepseek_v2": deepseek,
    "deepseek_v3": deepseek_v3,
    "falcon": falcon,
    "gemma": gemma,
    "gemma2": gemma2,
    "gemma3_text": gemma3,
    "gpt2": gpt2,
    "gpt_neox": gpt_neox,
    "gpt_oss": gpt_oss,
    "llama": llama,
    "mistral": mistral,
    "mixtral": mixtral,
    "opt": opt,
    "phi": phi,
    "phi3": mistral,
    "qwen2": qwen2,
    "qwen3": qwen3,
    "qwen3_moe": qwen3_moe,
}
FROM_OUTSIDE = ("torch_dtype", "dtype", "quantization_config", "tie_word_embeddings")


def model_from_config(config: Any, *, name: str) -> Model:
    """A model from the contents of its config.json; ValueError says what is missing or not known."""
    if not isinstance(config, dict):
        raise ValueError("a config.json holds one object, with a model_type")
    kind = config.get("model_type")
    inner = config.get("text_config")
    if isinstance(inner, dict):
        outer = {key: config[key] for key in FROM_OUTSIDE if key in config}
        config = inner | outer
        kind = config.get("model_type", kind)
    if not isinstance(kind, str) or kind not in FAMILIES:
        known = ", ".join(sorted(FAMILIES))
        raise ValueError(f"model_type {kind!r} is not known here; known are {known}")
    read = Configuration(kind, config, DEFAULTS.get(kind, {}))
    decoder = FAMILIES[kind](read)
    check(decoder)
    return model_of(decoder, read, name)


def check(decoder: Decoder) -> None:
    """Raise ValueError for a decoder that nobody could build."""
    found = decoder.shape
    if found.heads % found.kv_heads:
        raise ValueError(
            f"{found.heads} heads do not share {found.kv_heads} key-value heads evenly"
        )


def model_of(decoder: Decoder, read: Configuration, name: str) -> Model:
    """The model that a family's decoder describes."""
    found = decoder.shape
    index = {kind: i for i, kind in enumerate(decoder.kinds)}
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
        around=around(decoder),
        beside=decoder.beside,
        stored_bits=stored_bits(read),
        from_class=[key for key, own in read.asked.items() if not own and key in SIZES],
    )


SIZES = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "vocab_size",
)


def around(decoder: Decoder) -> list[Tensor]:
    """The tensors before and after the layers; a tied head is the embedding, and no tensor."""
    found = decoder.shape
    made = matrix("embedding", "embedding", found.vocabulary, found.hidden)
    if decoder.positions:
        made += matrix("positions", "positions", decoder.positions, found.hidden)
    made += decoder.around
    if decoder.final_norm:
        made += norms(found.hidden, 1, bias=decoder.norm_bias)
    if not decoder.tied:
        made += matrix("head", "head", found.hidden, found.vocabulary)
    if decoder.head_bias:
        made += [vector("head", "head", found.vocabulary, pieces=0)]
    return made


def most_routed(layers: list[Layer]) -> Tensor | None:
    """The experts' first tensor, where there are experts."""
    found = [tensor for layer in layers for tensor in layer.tensors if tensor.part == "experts"]
    return found[0] if found else None
