"""A small random checkpoint on disk with its text, chosen as a user would choose one."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from scripts.models.gpt_neox import GPTNeoX, GPTNeoXConfig
from scripts.quantization.novels import HELD_OUT, novel
from scripts.train_embedded import train_tokenizer

CONFIG = {
    "vocab_size": 320,
    "hidden_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 256,
    "max_position_embeddings": 32,
}


@pytest.fixture
def checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with config.json, model.safetensors and tokenizer.json; the environment names it."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    text = novel(HELD_OUT)[2000:6000]
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    train_tokenizer([text], vocab_size=CONFIG["vocab_size"]).save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    model = GPTNeoX(GPTNeoXConfig(**CONFIG))
    for parameter in model.parameters():
        if parameter.ndim == 2:
            torch.nn.init.normal_(parameter, std=0.15)
    save_file(
        {n: p.detach().half() for n, p in model.named_parameters()}, folder / "model.safetensors"
    )
    config = {"model_type": "gpt_neox", "hidden_act": "gelu", **CONFIG}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    monkeypatch.setenv("SIXTEEN_BYTES_MODEL", str(folder))
    monkeypatch.setenv("SIXTEEN_BYTES_TEXT", str(tmp_path / "text.txt"))
    monkeypatch.setenv("SIXTEEN_BYTES_CALIBRATION", str(tmp_path / "text.txt"))
    return folder
