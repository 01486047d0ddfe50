"""The experiment on SmolLM2 hands it one GGUF file, llama.cpp's format; back come a Llama-family model
and its tokenizer. Quantized tensors are restored to the numbers that they stand for.

Needs the package `gguf`.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from scripts.core.faults import BadInput
from scripts.models.llama import Llama, LlamaConfig

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAMES = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}


def load_gguf(path: Path, *, dtype: torch.dtype) -> tuple[Llama, Tokenizer]:
    """The model in `dtype`, for evaluation, and its tokenizer.

    Raises BadInput for a file that is not GGUF, another architecture, or another tokenizer.
    """
    gguf = importlib.import_module("gguf")
    try:
        reader = gguf.GGUFReader(path)
        fields = {name: field.contents() for name, field in reader.fields.items()}
    except (OSError, ValueError, IndexError) as error:
        raise BadInput(path, 0, f"not a GGUF file: {error}", "fetch the file again") from None
    for field, value in (
        ("general.architecture", "llama"),
        ("tokenizer.ggml.model", "gpt2"),
        ("tokenizer.ggml.pre", "smollm"),
    ):
        if fields.get(field) != value:
            raise BadInput(
                path,
                0,
                f"{field} is {fields.get(field)!r}, and this reader knows only {value!r}",
                "use a GGUF file of SmolLM2",
            )
    tensors = {
        tensor.name: gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        for tensor in reader.tensors
    }
    model = Llama(_config(fields, tied="output.weight" not in tensors))
    state = {name: torch.from_numpy(array) for name, array in _renamed(tensors, model.config)}
    missing = model.load_state_dict(state, strict=False).missing_keys
    if set(missing) - ({"lm_head.weight"} if model.config.tie_word_embeddings else set()):
        raise BadInput(path, 0, f"lacks {missing[0]}", "fetch the file again")
    return model.to(dtype).requires_grad_(False).eval(), _tokenizer(fields)


def _config(fields: dict[str, Any], *, tied: bool) -> LlamaConfig:
    heads = fields["llama.attention.head_count"]
    return LlamaConfig(
        vocab_size=fields["llama.vocab_size"],
        hidden_size=fields["llama.embedding_length"],
        num_hidden_layers=fields["llama.block_count"],
        num_attention_heads=heads,
        num_key_value_heads=fields["llama.attention.head_count_kv"],
        intermediate_size=fields["llama.feed_forward_length"],
        max_position_embeddings=fields["llama.context_length"],
        head_dim=fields["llama.embedding_length"] // heads,
        rope_theta=fields["llama.rope.freq_base"],
        rms_norm_eps=fields["llama.attention.layer_norm_rms_epsilon"],
        tie_word_embeddings=tied,
    )


def _renamed(
    tensors: dict[str, NDArray[Any]], config: LlamaConfig
) -> list[tuple[str, NDArray[Any]]]:
    found = []
    for name, array in tensors.items():
        if name.startswith("blk."):
            _, layer, kind, _ = name.split(".")
            if kind in ("attn_q", "attn_k"):
                array = _halves(array, head_dim=config.head_dim)
            found.append((f"model.layers.{layer}.{NAMES[kind]}.weight", array))
        else:
            outer = {
                "token_embd.weight": "model.embed_tokens.weight",
                "output_norm.weight": "model.norm.weight",
                "output.weight": "lm_head.weight",
            }
            found.append((outer[name], array))
    return [(name, array.copy()) for name, array in found]


def _halves(rows: NDArray[Any], *, head_dim: int) -> NDArray[Any]:
    """llama.cpp rotates neighbouring rows of a head, checkpoints its first half against its second."""
    columns = rows.shape[1]
    pairs = rows.reshape(-1, head_dim // 2, 2, columns)
    return pairs.swapaxes(1, 2).reshape(-1, columns)


def _tokenizer(fields: dict[str, Any]) -> Tokenizer:
    vocabulary = {token: i for i, token in enumerate(fields["tokenizer.ggml.tokens"])}
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer
