"""Checkpoints as the hub lays them out load, and compute what transformers computes."""

import json
from pathlib import Path

import pytest
import torch
import transformers

from scripts.core.faults import BadInput
from scripts.models.checkpoints import (
    layer_matrices,
    load_model,
    load_tokenizer,
    matrices_by_arithmetic,
)

GPT_NEOX = {
    "vocab_size": 97,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 256,
    "max_position_embeddings": 128,
}
LLAMA = {**GPT_NEOX, "intermediate_size": 160, "num_key_value_heads": 2}


def save(folder: Path, config: transformers.PreTrainedConfig, **how: object) -> torch.nn.Module:
    torch.manual_seed(0)
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder, **how)
    return model


@pytest.mark.parametrize(
    "config",
    [
        transformers.GPTNeoXConfig(**GPT_NEOX),
        transformers.GPTNeoXConfig(**GPT_NEOX, use_parallel_residual=False),
        transformers.GPTNeoXConfig(**GPT_NEOX, tie_word_embeddings=True),
        transformers.LlamaConfig(**LLAMA),
        transformers.LlamaConfig(**LLAMA, tie_word_embeddings=True),
        transformers.LlamaConfig(**LLAMA, head_dim=32, rms_norm_eps=1e-5),
    ],
    ids=["neox", "neox-serial", "neox-tied", "llama", "llama-tied", "llama-wide-heads"],
)
@pytest.mark.parametrize("shard", ["5GB", "100KB"], ids=["whole", "sharded"])
def test_logits_equal_those_of_transformers(
    tmp_path: Path, config: transformers.PreTrainedConfig, shard: str
) -> None:
    reference = save(tmp_path, config, max_shard_size=shard)
    assert (shard == "100KB") == (len(list(tmp_path.glob("*.safetensors"))) > 1)
    tokens = torch.randint(97, (2, 50), generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        expected = reference(tokens).logits
        found = load_model(tmp_path, dtype=torch.float32)(tokens)
    assert torch.allclose(found, expected, atol=1e-4, rtol=1e-4)


def test_matrices_of_the_layers_are_counted(tmp_path: Path) -> None:
    save(tmp_path, transformers.GPTNeoXConfig(**GPT_NEOX))
    matrices = layer_matrices(load_model(tmp_path, dtype=torch.float16))
    assert len(matrices) == 2 * 4
    assert sum(matrix.numel() for matrix in matrices.values()) == 2 * 12 * 64**2
    assert {matrix.dtype for matrix in matrices.values()} == {torch.float16}


def test_pythia_has_96_matrices_of_1_207_959_552_weights() -> None:
    """The shapes alone, as Pythia-1.4B's config.json gives them."""
    from scripts.models.checkpoints import build

    pythia = {
        "model_type": "gpt_neox",
        "hidden_act": "gelu",
        "vocab_size": 50304,
        "hidden_size": 2048,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "intermediate_size": 8192,
        "max_position_embeddings": 2048,
    }
    model = build(pythia, path=Path("config.json"))
    matrices = layer_matrices(model)
    assert (len(matrices), sum(m.numel() for m in matrices.values())) == (96, 1_207_959_552)
    assert matrices_by_arithmetic(model.config) == (96, 1_207_959_552)


def test_tables_of_old_checkpoints_are_ignored(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    save(tmp_path, transformers.GPTNeoXConfig(**GPT_NEOX))
    path = tmp_path / "model.safetensors"
    stale = {"gpt_neox.layers.0.attention.masked_bias": torch.tensor(-1e9)}
    save_file({**load_file(path), **stale}, path)
    load_model(tmp_path, dtype=torch.float32)


def change(folder: Path, **fields: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_what_cannot_be_loaded_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"config\.json: no such file"):
        load_model(tmp_path, dtype=torch.float32)
    save(tmp_path, transformers.LlamaConfig(**LLAMA))
    change(tmp_path, vocab_size=98)
    with pytest.raises(BadInput, match=r"embed_tokens\.weight is \(97, 64\).*asks for \(98, 64\)"):
        load_model(tmp_path, dtype=torch.float32)
    change(tmp_path, vocab_size=97, model_type="mamba")
    with pytest.raises(BadInput, match="model_type is 'mamba'"):
        load_model(tmp_path, dtype=torch.float32)
    change(tmp_path, model_type="llama", rope_parameters={"rope_type": "llama3"})
    with pytest.raises(BadInput, match="rope_type is 'llama3'"):
        load_model(tmp_path, dtype=torch.float32)
    change(tmp_path, rope_parameters=None)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(BadInput, match=r"model\.safetensors: cannot be read"):
        load_model(tmp_path, dtype=torch.float32)
    with pytest.raises(BadInput, match=r"tokenizer\.json: no such file"):
        load_tokenizer(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(BadInput, match="not a tokenizer"):
        load_tokenizer(tmp_path)
