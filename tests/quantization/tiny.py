"""A small random checkpoint on disk, with its text."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file

from scripts.models.gpt_neox import GPTNeoX, GPTNeoXConfig
from scripts.quantization.corpus import train_tokenizer
from scripts.quantization.novels import HELD_OUT, novel

CONFIG = {
    "vocab_size": 320,
    "hidden_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 256,
    "max_position_embeddings": 32,
}


def write_checkpoint(folder: Path) -> dict[str, str]:
    """config.json, model.safetensors and tokenizer.json; the environment that chooses them."""
    folder.mkdir()
    text = folder.with_suffix(".txt")
    text.write_text(novel(HELD_OUT)[2000:6000], encoding="utf-8")
    tokenizer = train_tokenizer([text.read_text()], vocab_size=CONFIG["vocab_size"])
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    model = GPTNeoX(GPTNeoXConfig(**CONFIG))
    for parameter in model.parameters():
        if parameter.ndim == 2:
            torch.nn.init.normal_(parameter, std=0.15)
    weights = {name: parameter.detach().half() for name, parameter in model.named_parameters()}
    save_file(weights, folder / "model.safetensors")
    config = {"model_type": "gpt_neox", "hidden_act": "gelu", **CONFIG}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return {
        "SIXTEEN_BYTES_MODEL": str(folder),
        "SIXTEEN_BYTES_TEXT": str(text),
        "SIXTEEN_BYTES_CALIBRATION": str(text),
    }
