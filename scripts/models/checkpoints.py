"""The quantization lab hands it a folder as the hub lays it out (config.json, *.safetensors,
tokenizer.json); back come the model and its tokenizer, or BadInput that says what is missing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from tokenizers import Tokenizer
from torch import nn

from scripts.core.faults import BadInput
from scripts.core.files import read_text
from scripts.models.gpt_neox import GPTNeoX, GPTNeoXConfig
from scripts.models.llama import Llama, LlamaConfig

CausalModel = GPTNeoX | Llama

# Tables that old checkpoints store, and that these models compute.
COMPUTED = (".attention.bias", ".attention.masked_bias", ".rotary_emb.inv_freq")


def load_model(folder: Path, *, dtype: torch.dtype, device: str = "cpu") -> CausalModel:
    """The model in a folder, in `dtype`, for evaluation.

    Raises BadInput for an architecture other than GPT-NeoX and Llama, a missing or broken file, and
    weights that do not fit the configuration.
    """
    model = build(_json(folder / "config.json"), path=folder / "config.json")
    expected = model.state_dict()
    found: dict[str, torch.Tensor] = {}
    for path in _weight_files(folder):
        try:
            with safe_open(path, framework="pt", device=device) as file:
                for name in sorted(file.keys()):
                    if not name.endswith(COMPUTED):
                        found[name] = file.get_tensor(name).to(dtype)
        except (OSError, SafetensorError) as error:
            raise BadInput(
                path, 0, f"cannot be read: {error}", "fetch the checkpoint again"
            ) from None
    for name in _tied(model, found):
        found[name] = found[_INPUT_EMBEDDING[type(model)]]
    for name, tensor in expected.items():
        shape = tuple(found[name].shape) if name in found else None
        if shape != tuple(tensor.shape):
            raise BadInput(
                folder,
                0,
                f"{name} is {shape or 'missing'}, but config.json asks for {tuple(tensor.shape)}",
                "fetch the checkpoint again, config.json and weights of one version",
            )
    model.load_state_dict(found, assign=True, strict=False)
    return model.requires_grad_(False).eval()


def build(config: dict[str, Any], *, path: Path) -> CausalModel:
    """The model that a config.json describes, without memory for its weights yet."""
    kind = config.get("model_type")
    with torch.device("meta"):
        if kind == "gpt_neox":
            return GPTNeoX(_gpt_neox(config, path=path))
        if kind == "llama":
            return Llama(_llama(config, path=path))
    raise BadInput(
        path, 0, f"model_type is {kind!r}", "use a checkpoint of type gpt_neox (Pythia) or llama"
    )


def load_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer in a folder. Raises BadInput when tokenizer.json is missing or broken."""
    path = folder / "tokenizer.json"
    try:
        return Tokenizer.from_str(read_text(path))
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(path, 0, f"not a tokenizer: {error}", "fetch the file again") from None


def layer_matrices(model: CausalModel) -> dict[str, nn.Parameter]:
    """The matrices of the layers by name: what is quantized. Embeddings and norms are not."""
    return {
        f"layers.{name}": parameter
        for name, parameter in model.layers.named_parameters()
        if parameter.ndim == 2
    }


def matrices_by_arithmetic(config: GPTNeoXConfig | LlamaConfig) -> tuple[int, int]:
    """How many matrices the layers have by their shape, and how many weights together."""
    width, mlp = config.hidden_size, config.intermediate_size
    if isinstance(
        config, GPTNeoXConfig
    ):  # queries, keys and values at once; output; two of the MLP
        count, weights = 4, 4 * width * width + 2 * width * mlp
    else:  # queries, output; keys, values; three of the MLP
        queries = config.num_attention_heads * config.head_dim
        keys = config.num_key_value_heads * config.head_dim
        count, weights = 7, 2 * width * queries + 2 * width * keys + 3 * width * mlp
    return config.num_hidden_layers * count, config.num_hidden_layers * weights


_INPUT_EMBEDDING = {GPTNeoX: "gpt_neox.embed_in.weight", Llama: "model.embed_tokens.weight"}
_OUTPUT_EMBEDDING = {GPTNeoX: "embed_out.weight", Llama: "lm_head.weight"}


def _tied(model: CausalModel, found: dict[str, torch.Tensor]) -> list[str]:
    output = _OUTPUT_EMBEDDING[type(model)]
    return [output] if model.config.tie_word_embeddings and output not in found else []


def _weight_files(folder: Path) -> list[Path]:
    index = folder / "model.safetensors.index.json"
    if index.exists():
        return [folder / name for name in sorted(set(_json(index)["weight_map"].values()))]
    return [folder / "model.safetensors"]


def _json(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(read_text(path)))
    except ValueError as error:
        raise BadInput(path, 0, f"not JSON: {error}", "fetch the file again") from None


def _gpt_neox(config: dict[str, Any], *, path: Path) -> GPTNeoXConfig:
    _require(config, "hidden_act", "gelu", path=path)
    rope = config.get("rope_parameters") or {}
    return GPTNeoXConfig(
        vocab_size=config["vocab_size"],
        hidden_size=config["hidden_size"],
        num_hidden_layers=config["num_hidden_layers"],
        num_attention_heads=config["num_attention_heads"],
        intermediate_size=config["intermediate_size"],
        max_position_embeddings=config["max_position_embeddings"],
        rotary_pct=rope.get("partial_rotary_factor", config.get("rotary_pct", 0.25)),
        rotary_emb_base=rope.get("rope_theta", config.get("rotary_emb_base", 10000)),
        layer_norm_eps=config.get("layer_norm_eps", 1e-5),
        use_parallel_residual=config.get("use_parallel_residual", True),
        tie_word_embeddings=config.get("tie_word_embeddings", False),
    )


def _llama(config: dict[str, Any], *, path: Path) -> LlamaConfig:
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    _require(config, "hidden_act", "silu", path=path)
    _require(rope, "rope_type", "default", path=path)
    _require(rope, "type", "default", path=path)  # as older checkpoints call it
    _require(config, "attention_bias", False, path=path)
    _require(config, "mlp_bias", False, path=path)
    heads = config["num_attention_heads"]
    return LlamaConfig(
        vocab_size=config["vocab_size"],
        hidden_size=config["hidden_size"],
        num_hidden_layers=config["num_hidden_layers"],
        num_attention_heads=heads,
        num_key_value_heads=config.get("num_key_value_heads") or heads,
        intermediate_size=config["intermediate_size"],
        max_position_embeddings=config["max_position_embeddings"],
        head_dim=config.get("head_dim") or config["hidden_size"] // heads,
        rope_theta=rope.get("rope_theta", config.get("rope_theta", 10000.0)),
        rms_norm_eps=config.get("rms_norm_eps", 1e-6),
        tie_word_embeddings=config.get("tie_word_embeddings", False),
    )


def _require(config: dict[str, Any], field: str, value: object, *, path: Path) -> None:
    if config.get(field, value) != value:
        raise BadInput(
            path,
            0,
            f"{field} is {config[field]!r}, and this reader knows only {value!r}",
            "use another checkpoint",
        )
