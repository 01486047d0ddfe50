"""A small Llama written as GGUF, as llama.cpp's converter writes it, loads and computes the same."""

import json
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer

from scripts.core.faults import BadInput
from scripts.models.gguf_llama import NAMES, load_gguf
from scripts.quantization.corpus import train_tokenizer
from scripts.quantization.novels import HELD_OUT, novel

HEADS, KEY_HEADS, WIDTH = 4, 2, 64


def interleaved(rows: torch.Tensor, heads: int) -> torch.Tensor:
    """The order of a head's rows in llama.cpp: first half and second half take turns."""
    return rows.view(heads, 2, -1, rows.shape[1]).transpose(1, 2).reshape(rows.shape)


def write(path: Path, model: torch.nn.Module, tokenizer: Tokenizer, *, pre: str = "smollm") -> None:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_vocab_size(tokenizer.get_vocab_size())
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(2)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_feed_forward_length(96)
    writer.add_context_length(128)
    writer.add_rope_freq_base(5000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    vocabulary = tokenizer.get_vocab()
    writer.add_token_list(sorted(vocabulary, key=vocabulary.__getitem__))
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    writer.add_token_merges([" ".join(merge) for merge in merges])
    ours = {theirs: name for name, theirs in NAMES.items()}
    for name, weight in model.state_dict().items():
        parts = name.removesuffix(".weight").split(".")
        if "layers" in name:
            kind = ours[".".join(parts[3:])]
            heads = {"attn_q": HEADS, "attn_k": KEY_HEADS}.get(kind)
            weight = interleaved(weight, heads) if heads else weight
            writer.add_tensor(f"blk.{parts[2]}.{kind}.weight", weight.numpy())
        elif name != "lm_head.weight":
            outer = {"embed_tokens": "token_embd", "norm": "output_norm"}[parts[-1]]
            writer.add_tensor(f"{outer}.weight", weight.numpy().astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture
def tokenizer() -> Tokenizer:
    return train_tokenizer([novel(HELD_OUT)[:4000]], vocab_size=300)


@pytest.fixture
def model() -> torch.nn.Module:
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=300,
        hidden_size=WIDTH,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS,
        max_position_embeddings=128,
        rms_norm_eps=1e-5,
        rope_theta=5000.0,
        tie_word_embeddings=True,
    )
    model = transformers.LlamaForCausalLM(config).eval().requires_grad_(False)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def test_logits_and_tokens(model: torch.nn.Module, tokenizer: Tokenizer, tmp_path: Path) -> None:
    write(tmp_path / "tiny.gguf", model, tokenizer)
    loaded, read = load_gguf(tmp_path / "tiny.gguf", dtype=torch.float32)
    text = "Sir Walter Elliot, of Kellynch Hall"
    assert read.encode(text).ids == tokenizer.encode(text).ids
    tokens = torch.randint(300, (2, 40), generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        assert torch.allclose(loaded(tokens), model(tokens).logits, atol=1e-4, rtol=1e-4)


def test_what_is_no_such_file_is_refused(
    model: torch.nn.Module, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    (tmp_path / "not.gguf").write_bytes(b"not a GGUF file at all")
    with pytest.raises(BadInput, match=r"not\.gguf: not a GGUF file"):
        load_gguf(tmp_path / "not.gguf", dtype=torch.float32)
    write(tmp_path / "other.gguf", model, tokenizer, pre="llama-bpe")
    with pytest.raises(BadInput, match=r"tokenizer\.ggml\.pre is 'llama-bpe'"):
        load_gguf(tmp_path / "other.gguf", dtype=torch.float32)
