"""Fine-tuning with adapters: what a step holds, counted, and what it does to the model that ships."""

import gc
import importlib.util
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor, nn

    from scripts.devices.device import Device
    from scripts.models.llama import LlamaConfig
    from scripts.quantization.subjects import Subject
    from scripts.records.journal import Journal
    from snippets.models import Model

# Model, whether its frozen matrices are in four bits, tokens of the one sequence. What is in four bits is
# really run, since nothing quantizes a fake tensor; what is in 16 bits is counted on those.
CASES = {
    "llama_3_1_8b": ("llama-3.1-8b", False, 2048),
    "smollm2_135m": ("smollm2-135m", False, 512),
    "smollm2_135m_nf4": ("smollm2-135m", True, 128),
}
FOUR_BITS = importlib.util.find_spec("bitsandbytes") is not None
RANK = 16
HELD_OUT = 0.2  # the last part of the text, which no step has read


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """Which models are counted, and how long the one that ships is tuned; without bitsandbytes
    (pip install '.[qlora]') nothing in four bits.
    """
    from scripts.quantization.subjects import EMBEDDED_CHOICE

    return {
        "preset": preset,
        "rank": RANK,
        "cases": {name: list(case) for name, case in CASES.items() if FOUR_BITS or not case[1]},
        "tuned": {"fp32": False, "nf4": True} if FOUR_BITS else {"fp32": False},
        "model": EMBEDDED_CHOICE.model,
        "text": EMBEDDED_CHOICE.text,
        "tuned_rank": 8,
        "steps": 200 if preset == "full" else 20,
        "windows": 2**20 if preset == "full" else 4,
        "sequences": 8,
        "learning_rate": 2e-3,
    }


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """Bytes of each case by part; the loss of the shipped model before and after, by frozen format."""
    run.progress(total=len(parameters["cases"]) + len(parameters["tuned"]))
    counted = {
        name: run.once(name, partial(_counted, *case, rank=parameters["rank"]), weight=1)
        for name, case in parameters["cases"].items()
    }
    tuned = {
        name: run.once(f"tuned {name}", partial(_tuned, four_bits, device, parameters), weight=1)
        for name, four_bits in parameters["tuned"].items()
    }
    return {"counted": counted, "tuned": tuned}


def config_of(model: "Model") -> "LlamaConfig":
    """A registry's model as the class that is built of it wants it."""
    from scripts.models.llama import LlamaConfig

    return LlamaConfig(
        vocab_size=model.vocabulary,
        hidden_size=model.hidden_size,
        num_hidden_layers=model.layers,
        num_attention_heads=model.heads,
        num_key_value_heads=model.kv_heads,
        intermediate_size=model.intermediate_size,
        max_position_embeddings=model.context,
        head_dim=model.head_dim,
        tie_word_embeddings=model.tied_embeddings,
    )


def _counted(slug: str, four_bits: bool, tokens: int, *, rank: int) -> dict[str, Any]:
    """One step on one sequence: bytes by part after each phase, BF16 with FP32 master adapters."""
    from scripts.accounting.training_recipes import RECIPES
    from scripts.accounting.training_steps import take_steps
    from scripts.models.adapters import adapt
    from scripts.models.llama import Llama
    from snippets.models import MODELS

    def build() -> "nn.Module":
        model = Llama(config_of(MODELS[slug]))
        adapt(model, model.model.layers, rank=rank, four_bits=four_bits)
        gc.collect()  # what was quantized refers to itself, and would be counted until it is found
        return model

    if four_bits:
        _warm_up()
    steps = take_steps(
        RECIPES["bf16_master"],
        build,
        vocab_size=MODELS[slug].vocabulary,
        sequences=1,
        tokens=tokens,
        real=four_bits,
        count=1,
    )
    held = steps.phases["first_step"].by_category
    forward = steps.phases["forward"].by_category
    return {
        "trained_parameters": steps.parameters,
        # bitsandbytes keeps the scales beside the weights, which are the parameters.
        "frozen_bytes": held["frozen_weights"] + held.get("temporaries", 0),
        "weight_bytes": held["weights"],
        "gradient_bytes": held["gradients"],
        "optimizer_bytes": held["optimizer"] + held["master_weights"],
        "activation_bytes": forward["activations"],
        "peak_bytes": max(phase.peak for phase in steps.phases.values()),
    }


def _warm_up() -> None:
    """The library's first product looks for kernels that are not there; the error keeps its tensors."""
    import torch

    from scripts.models.adapters import adapt

    tiny = torch.nn.Sequential(torch.nn.Linear(64, 64))
    adapt(tiny, tiny, rank=1, four_bits=True)(torch.ones(2, 64))


def _tuned(four_bits: bool, device: "Device", parameters: dict[str, Any]) -> dict[str, Any]:
    """The loss on the end of a novel, before and after adapters have read the rest of it."""
    import torch

    from scripts.models.adapters import adapt
    from scripts.quantization.loss import nats_per_token, windows_in
    from scripts.quantization.subjects import EMBEDDED_CHOICE, load

    torch.manual_seed(0)
    subject: Subject = load(EMBEDDED_CHOICE, dtype="fp32", device=device.torch_name)
    cut = round((1 - HELD_OUT) * len(subject.tokens))
    read, held_out = subject.tokens[:cut], subject.tokens[cut:]
    model: Any = subject.model
    loss = partial(
        nats_per_token,
        model,
        held_out,
        context=subject.context,
        windows=range(min(parameters["windows"], windows_in(held_out, context=subject.context))),
    )
    before = loss()
    adapt(model, model.layers, rank=parameters["tuned_rank"], four_bits=four_bits)
    start = loss()
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=parameters["learning_rate"], weight_decay=0.0)
    for windows in _windows(read, subject.context, parameters):
        logits = model(windows[:, :-1])
        torch.nn.functional.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten()).backward()
        optimizer.step()
        optimizer.zero_grad()
    return {
        "trained_parameters": sum(weight.numel() for weight in trained),
        "loss_unrounded": before,
        "loss_before": start,
        "loss_after": loss(),
    }


def _windows(tokens: "Tensor", context: int, parameters: dict[str, Any]) -> "list[Tensor]":
    """A batch of windows for each step, drawn anew with the same seed."""
    import torch

    generator = torch.Generator().manual_seed(0)
    starts = torch.randint(
        len(tokens) - context - 1,
        (parameters["steps"], parameters["sequences"]),
        generator=generator,
    )
    return [
        torch.stack([tokens[first : first + context + 1] for first in batch])
        for batch in starts.tolist()
    ]
