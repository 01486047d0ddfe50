"""Train the small decoder that ships with this repository, on five novels of Jane Austen.

    python -m scripts.quantization.train_embedded --work build/embedded

The text stands in docs/data/embedded/text; nothing is fetched. Seed, steps and schedule are
fixed and no decision reads a clock. A run that is killed continues from its last checkpoint,
with the weights it would have had: batches and dropout depend on the step alone. The held-out
novel, Persuasion, is never trained on; but the recipe was chosen while looking at its loss.
`--install` puts the finished model into docs/data.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from safetensors.torch import save as serialised
from torch import Tensor, nn

from scripts.core.files import write_bytes, write_text
from scripts.devices import device as devices
from scripts.models.gpt_neox import GPTNeoX, GPTNeoXConfig
from scripts.models.muon import Muon
from scripts.quantization.corpus import Corpus
from scripts.quantization.loss import nats_per_token, windows_in
from scripts.quantization.novels import TRAINED_ON
from scripts.quantization.subjects import EMBEDDED
from scripts.records.record import RECORDS, Record, write_record


@dataclass(frozen=True)
class Recipe:
    """What the result depends on."""

    vocab_size: int = 2048
    hidden_size: int = 256
    num_hidden_layers: int = 3
    num_attention_heads: int = 4
    context: int = 512
    batch: int = 8
    steps: int = 3000
    warmup_steps: int = 60
    decay_steps: int = 1200
    muon_learning_rate: float = 0.02
    muon_weight_decay: float = 0.05
    adam_learning_rate: float = 3e-3
    adam_weight_decay: float = 0.1
    dropout: float = 0.1
    seed: int = 1813


def initial_model(recipe: Recipe) -> GPTNeoX:
    """Normal weights; the matrices that write to the residual stream start at zero."""
    config = GPTNeoXConfig(
        vocab_size=recipe.vocab_size,
        hidden_size=recipe.hidden_size,
        num_hidden_layers=recipe.num_hidden_layers,
        num_attention_heads=recipe.num_attention_heads,
        intermediate_size=4 * recipe.hidden_size,
        max_position_embeddings=recipe.context,
    )
    torch.manual_seed(recipe.seed)
    model = GPTNeoX(config, dropout=recipe.dropout)
    generator = torch.Generator().manual_seed(recipe.seed)
    for name, parameter in model.named_parameters():
        if name.endswith(("attention.dense.weight", "dense_4h_to_h.weight")):
            nn.init.zeros_(parameter)
        elif parameter.ndim == 2:
            width = 0.02 if "embed" in name else 0.5 / math.sqrt(parameter.shape[1])
            nn.init.normal_(parameter, std=width, generator=generator)
    return model


def batches(tokens: Tensor, *, recipe: Recipe, start: int) -> Iterator[tuple[int, Tensor]]:
    """(step, windows of context + 1 tokens): each epoch cuts the text at another offset."""
    length = recipe.context
    steps_per_epoch = (len(tokens) - 1 - length) // length // recipe.batch
    for step in range(start, recipe.steps):
        epoch, place = divmod(step, steps_per_epoch)
        generator = torch.Generator().manual_seed(recipe.seed + 1 + epoch)
        offset = int(torch.randint(length, (), generator=generator))
        order = torch.randperm((len(tokens) - 1 - offset) // length, generator=generator)
        chosen = order[place * recipe.batch : (place + 1) * recipe.batch] * length + offset
        yield step, torch.stack([tokens[first : first + length + 1] for first in chosen.tolist()])


def learning_rate_factor(step: int, *, recipe: Recipe) -> float:
    """Linear warm-up, a plateau, then a straight line to zero at the last step."""
    return min(1.0, (step + 1) / recipe.warmup_steps, (recipe.steps - step) / recipe.decay_steps)


class Training:
    """A model and its optimizers, at some step of a recipe."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.model = initial_model(recipe)
        matrices = [p for p in self.model.layers.parameters() if p.ndim == 2]
        by_muon = {id(p) for p in matrices}
        others = [p for p in self.model.parameters() if id(p) not in by_muon]
        self.muon = Muon(matrices, weight_decay=recipe.muon_weight_decay)
        self.adam = torch.optim.AdamW(
            [
                {
                    "params": [p for p in others if p.ndim == 2],
                    "weight_decay": recipe.adam_weight_decay,
                },
                {"params": [p for p in others if p.ndim < 2], "weight_decay": 0.0},
            ],
            lr=recipe.adam_learning_rate,
            betas=(0.9, 0.95),
            fused=True,
        )
        self.done = 0
        self.log: list[dict[str, float]] = []
        self.losses: list[float] = []

    def take_step(self, step: int, windows: Tensor) -> None:
        """One update. Dropout depends on the step alone, so that a resumed run repeats it."""
        torch.manual_seed(self.recipe.seed * 1_000_003 + step)
        self.model.train()
        logits = self.model(windows[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
        loss.backward()
        factor = learning_rate_factor(step, recipe=self.recipe)
        for group in self.adam.param_groups:
            group["lr"] = self.recipe.adam_learning_rate * factor
        self.adam.step()
        self.muon.step(learning_rate=self.recipe.muon_learning_rate * factor)
        self.model.zero_grad(set_to_none=True)
        self.losses.append(float(loss.detach()))
        self.done = step + 1

    def evaluate(self, corpus: Corpus) -> dict[str, float]:
        """Add to the log: the mean training loss since last time, the loss on the held-out novel."""
        self.model.eval()
        context = self.recipe.context
        windows = range(windows_in(corpus.held_out, context=context))
        per_token = nats_per_token(self.model, corpus.held_out, context=context, windows=windows)
        trained = sum(self.losses) / len(self.losses)
        self.losses.clear()
        entry = {
            "step": self.done,
            "training_nats_per_byte": trained * len(corpus.training) / corpus.training_bytes,
            "held_out_nats_per_token": per_token,
            "held_out_nats_per_byte": per_token * len(corpus.held_out) / corpus.held_out_bytes,
        }
        self.log.append(entry)
        return entry

    def save(self, path: Path) -> None:
        """Everything that the next step depends on, whole or not at all."""
        state = {
            "recipe": asdict(self.recipe),
            "done": self.done,
            "model": self.model.state_dict(),
            "adam": self.adam.state_dict(),
            "momenta": self.muon.momenta,
            "log": self.log,
            "losses": self.losses,
        }
        torch.save(state, path.with_suffix(".unfinished"))
        os.replace(path.with_suffix(".unfinished"), path)

    def load(self, path: Path) -> None:
        """Continue from a checkpoint of the same recipe."""
        state = torch.load(path, weights_only=True)
        if state["recipe"] != asdict(self.recipe):
            raise SystemExit(f"{path} belongs to another recipe: remove it to start anew")
        self.model.load_state_dict(state["model"])
        self.adam.load_state_dict(state["adam"])
        self.muon.momenta = state["momenta"]
        self.done, self.log, self.losses = state["done"], state["log"], state["losses"]


def train(
    recipe: Recipe, corpus: Corpus, *, work: Path, evaluate_every: int, checkpoint_every: int
) -> Training:
    """Train to the recipe's last step, continuing from a checkpoint in `work` if there is one."""
    work.mkdir(parents=True, exist_ok=True)
    checkpoint = work / "checkpoint.pt"
    training = Training(recipe)
    if checkpoint.exists():
        training.load(checkpoint)
    for step, windows in batches(corpus.training, recipe=recipe, start=training.done):
        training.take_step(step, windows)
        last = training.done == recipe.steps
        if training.done % evaluate_every == 0 or last:
            print(json.dumps(training.evaluate(corpus)), flush=True)
        if training.done % checkpoint_every == 0 or last:
            training.save(checkpoint)
    return training


def install(training: Training, corpus: Corpus, *, folder: Path) -> None:
    """Weights in FP16, configuration and tokenizer, as the hub lays them out."""
    weights = {
        name: parameter.detach().half().contiguous()
        for name, parameter in training.model.named_parameters()
    }
    write_bytes(folder / "model.safetensors", serialised(weights, metadata={"format": "pt"}))
    config = {
        "architectures": ["GPTNeoXForCausalLM"],
        "model_type": "gpt_neox",
        "hidden_act": "gelu",
        "torch_dtype": "float16",
        **asdict(training.model.config),
    }
    write_text(folder / "config.json", json.dumps(config, indent=2) + "\n")
    write_text(folder / "tokenizer.json", corpus.tokenizer.to_str(pretty=True) + "\n")


def record(training: Training, corpus: Corpus) -> Record:
    """The log of a finished training."""
    device = devices.cpu()
    last = training.log[-1]
    columns: dict[str, Any] = {
        name: [entry[name] for entry in training.log] for name in training.log[0]
    }
    return Record(
        experiment="embedded-training",
        parameters={**asdict(training.recipe), "trained_on": list(TRAINED_ON)},
        device=device.as_record(),
        software={
            "python": platform.python_version(),
            "torch": torch.__version__,
            "cuda": None,
            "commit": None,
        },
        when=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        provenance={
            "kind": "measured",
            "command": "python -m scripts.quantization.train_embedded --work build/embedded --install",
        },
        fingerprint=None,
        results={
            "parameters": sum(p.numel() for p in training.model.parameters()),
            "training_bytes": corpus.training_bytes,
            "training_tokens": len(corpus.training),
            "trained_tokens": training.done * training.recipe.batch * training.recipe.context,
            "epochs": training.done
            * training.recipe.batch
            * training.recipe.context
            / len(corpus.training),
            "held_out_bytes": corpus.held_out_bytes,
            "held_out_tokens": len(corpus.held_out),
            "held_out_nats_per_token": last["held_out_nats_per_token"],
            "held_out_nats_per_byte": last["held_out_nats_per_byte"],
            "log": columns,
        },
    )


def main() -> None:
    """Train, print the log as it grows, and put the result where it was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, default=Path("build/embedded"), help="for checkpoints")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--evaluate-every", type=int, default=250)
    parser.add_argument("--checkpoint-every", type=int, default=50)
    parser.add_argument("--install", action="store_true", help="into docs/data, with its record")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    recipe = Recipe()
    corpus = Corpus(vocab_size=recipe.vocab_size)
    training = train(
        recipe,
        corpus,
        work=arguments.work,
        evaluate_every=arguments.evaluate_every,
        checkpoint_every=arguments.checkpoint_every,
    )
    if arguments.install:
        install(training, corpus, folder=EMBEDDED)
        log = record(training, corpus)
        write_record(RECORDS / f"{log.key}.json", log)


if __name__ == "__main__":
    main()
