"""The models that the lab examines, each with its text.

The embedded model is always there. Another is chosen by two environment variables:

    SIXTEEN_BYTES_MODEL   a folder with config.json, *.safetensors and tokenizer.json, or a name on the
                          hub, such as EleutherAI/pythia-1.4b
    SIXTEEN_BYTES_TEXT    a UTF-8 file; without it, the raw test text of WikiText-2
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.core.faults import BadInput
from scripts.core.files import read_text
from scripts.quantization.novels import HELD_OUT, TRAINED_ON, novel

if TYPE_CHECKING:
    from torch import Tensor

    from scripts.models.checkpoints import CausalModel

EMBEDDED = Path(__file__).parents[2] / "docs" / "data" / "embedded"
LONGEST_CONTEXT = 1024
CALIBRATION_CHARACTERS = 500_000
WIKITEXT_FILES = {"test": "SIXTEEN_BYTES_TEXT", "train": "SIXTEEN_BYTES_CALIBRATION"}
WIKITEXT = ("Salesforce/wikitext", "wikitext-2-raw-v1")


@dataclass(frozen=True)
class Choice:
    """Which model and text; kept in a record's parameters, so that another choice measures anew.

    The digest is that of the embedded model's weights, which training again would change.
    """

    model: str
    text: str
    weights_sha256: str | None = None

    @property
    def is_embedded(self) -> bool:
        """Whether it is the model that ships with the repository."""
        return self.model == "embedded"


EMBEDDED_CHOICE = Choice("embedded", HELD_OUT)


@dataclass
class Subject:
    """A model in memory and its text as tokens. `bytes_per_token` of the text's UTF-8."""

    model: CausalModel
    tokens: Tensor
    context: int
    bytes_per_token: float


def chosen() -> Choice:
    """What the environment asks for: the embedded model unless it says otherwise.

    Where what it asks for is not to be had, that is said, and the embedded model is used.
    """
    model = os.environ.get("SIXTEEN_BYTES_MODEL", "embedded")
    text = os.environ.get("SIXTEEN_BYTES_TEXT", "WikiText-2")
    if model == "embedded" or not _to_be_had(model, text):
        weights = EMBEDDED / "model.safetensors"
        if not weights.is_file():
            raise BadInput(
                weights,
                0,
                "the embedded model has not been trained",
                "train it: python -m scripts.quantization.train_embedded; or choose a checkpoint "
                "of yours with SIXTEEN_BYTES_MODEL",
            )
        return Choice("embedded", HELD_OUT, hashlib.sha256(weights.read_bytes()).hexdigest())
    return Choice(model, text)


@functools.cache
def _to_be_had(model: str, text: str) -> bool:
    """Whether model and text are there or can be fetched, which is then done; says why not, once."""
    try:
        _folder(model)
        _text(text)
    except BadInput as error:
        print(f"{error.fault}\nmeanwhile the embedded model is used", file=sys.stderr)
        return False
    return True


def load(choice: Choice, *, dtype: str, device: str) -> Subject:
    """The model with its text. `dtype`: fp32, fp16 or bf16.

    Raises BadInput, saying what to fetch and where to put it, when something is not there.
    """
    import torch

    from scripts.models.checkpoints import load_model, load_tokenizer

    folder = EMBEDDED if choice.is_embedded else _folder(choice.model)
    text = novel(choice.text) if choice.is_embedded else _text(choice.text)
    dtypes = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
    model = load_model(folder, dtype=dtypes[dtype], device=device)
    ids = load_tokenizer(folder).encode(text, add_special_tokens=False).ids
    return Subject(
        model=model,
        tokens=torch.tensor(ids, device=device),
        context=min(LONGEST_CONTEXT, model.config.max_position_embeddings),
        bytes_per_token=len(text.encode()) / len(ids),
    )


def calibration_tokens(choice: Choice, *, device: str) -> Tensor:
    """Tokens to calibrate on, never those that the loss is measured on.

    For the embedded model the beginning of a novel that it was trained on; for others the training
    text of WikiText-2, or a file named by SIXTEEN_BYTES_CALIBRATION.
    """
    import torch

    from scripts.models.checkpoints import load_tokenizer

    if choice.is_embedded:
        folder, text = EMBEDDED, novel(TRAINED_ON[0])
    else:
        folder = _folder(choice.model)
        file = os.environ.get("SIXTEEN_BYTES_CALIBRATION")
        text = read_text(Path(file)) if file else _wikitext("train")
    beginning = text[:CALIBRATION_CHARACTERS]
    ids = load_tokenizer(folder).encode(beginning, add_special_tokens=False).ids
    return torch.tensor(ids, device=device)


def _folder(model: str) -> Path:
    if Path(model).is_dir():
        return Path(model)
    from huggingface_hub import snapshot_download

    wanted = ["config.json", "tokenizer.json", "*.safetensors", "*.safetensors.index.json"]
    try:
        return Path(snapshot_download(model, allow_patterns=wanted))
    except Exception as error:  # the hub's client raises a dozen kinds, offline ones among them
        raise BadInput(
            f"SIXTEEN_BYTES_MODEL={model}",
            0,
            f"neither a folder nor to be had from the hub ({type(error).__name__})",
            f"on a machine with a connection run `hf download {model}`, copy the folder that it "
            "prints to this machine, and set SIXTEEN_BYTES_MODEL to that folder; or unset it to use "
            "the model that ships with this repository",
        ) from None


def _text(text: str) -> str:
    return _wikitext("test") if text == "WikiText-2" else read_text(Path(text))


def _wikitext(split: str) -> str:
    try:
        datasets = importlib.import_module("datasets")  # an optional extra
        return "\n\n".join(datasets.load_dataset(*WIKITEXT, split=split)["text"])
    except Exception as error:  # not installed, or no connection, in its many forms
        raise BadInput(
            "WikiText-2",
            0,
            f"the text is not to be had ({type(error).__name__}: {error})",
            f"pip install datasets, with a connection to the hub; or save the raw {split} text to "
            f"a file and set {WIKITEXT_FILES[split]} to it",
        ) from None
