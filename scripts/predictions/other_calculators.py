"""The same published runs through other public calculators, as far as each can describe them.

    pip install llm-analysis accelerate deepspeed   # into an environment of your own
    python scripts/predictions.py calculators

A calculator that is not installed is left out. Each is asked with the settings nearest to a run's,
in its own terms; the comparison says what it cannot be told.
"""

import importlib
import importlib.metadata
import importlib.util
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from scripts.predictions.published_runs import MODELS, TOKENS, Run
from scripts.predictions.training_memory import Errors, errors, refusal
from snippets.model_parameters import total_parameters


@dataclass(frozen=True)
class Calculator:
    """Another's estimate of a run, which runs it can describe, and what it cannot be told."""

    name: str
    package: str
    describes: Callable[[Run], bool]
    estimate: Callable[[Run], float]
    leaves_out: str


def llm_analysis(run: Run) -> float:
    """llm-analysis: weights, gradients, optimizer and activations under T x P x D and ZeRO."""
    analysis = importlib.import_module("llm_analysis.analysis")
    config = importlib.import_module("llm_analysis.config")
    logging.disable(logging.CRITICAL)
    model = MODELS[run.model]
    asked = analysis.LLMAnalysis(
        config.ModelConfig(
            name=run.model,
            num_layers=model.layers,
            n_head=model.heads,
            hidden_dim=model.hidden_size,
            vocab_size=model.vocabulary,
            max_seq_len=TOKENS,
            ffn_embed_dim=model.intermediate_size,
            expansion_ratio=model.intermediate_size / model.hidden_size,
            model_type="llama",
        ),
        config.get_gpu_config_by_name("h100-sxm-80gb"),
        config.get_dtype_config_by_name("w16a16e16"),
        config.ParallelismConfig(tp_size=run.tp, pp_size=run.pp, dp_size=run.dp),
    )
    found = asked.training(
        batch_size_per_gpu=run.mbs,
        gradient_accumulation_steps=run.grad_acc,
        seq_len=TOKENS,
        activation_recomputation=analysis.ActivationRecomputation.NONE,
        ds_zero=analysis.DSZeRO(run.zero),
        layernorm_dtype_bytes=2,
        flash_attn=True,
        mlp_gated_linear_units=True,
    )
    parts = ("weight", "gradient", "optimizer_state", "activation")
    return sum(float(found[f"{part}_memory_per_gpu"]) for part in parts)


def accelerate(run: Run) -> float:
    """accelerate estimate-memory: the largest of its four parts, in BF16, batch of one."""
    estimate = importlib.import_module("accelerate.commands.estimate")
    bytes_in_fp32 = 4 * total_parameters(MODELS[run.model])
    return float(max(estimate.estimate_training_usage(bytes_in_fp32, "bfloat16").values()))


def deepspeed(run: Run) -> float:
    """DeepSpeed's estimator for ZeRO-2, the nearest to ZeRO-1: both keep the weights whole.

    Its other estimator is for ZeRO-3, which divides the weights; no run did that.
    """
    zero = importlib.import_module("deepspeed.runtime.zero.stage_1_and_2")
    _, on_gpu = zero.estimate_zero2_model_states_mem_needs(
        total_parameters(MODELS[run.model]),
        num_gpus_per_node=min(run.dp, 8),
        num_nodes=max(run.dp // 8, 1),
        cpu_offload=False,
    )
    return float(on_gpu)


def whole_layers(run: Run) -> bool:
    """Whether the layers divide evenly among the pipeline's stages: llm-analysis takes no others."""
    return MODELS[run.model].layers % run.pp == 0


def copies_alone(run: Run) -> bool:
    """Whether a run has whole copies alone, as accelerate assumes."""
    return run.tp == run.pp == 1 and run.zero == 0


def zero_alone(run: Run) -> bool:
    """Whether a run divides the optimizer's state alone, as DeepSpeed's estimator assumes."""
    return run.tp == run.pp == 1 and run.zero == 1


CALCULATORS = (
    Calculator(
        "llm-analysis",
        "llm_analysis",
        whole_layers,
        llm_analysis,
        "logits, uneven stages, what frameworks add",
    ),
    Calculator(
        "accelerate estimate-memory",
        "accelerate",
        copies_alone,
        accelerate,
        "splits, micro-batches, activations; adds no parts up",
    ),
    Calculator(
        "DeepSpeed, ZeRO-2 estimator",
        "deepspeed",
        zero_alone,
        deepspeed,
        "splits, micro-batches, activations, that ZeRO-1 keeps all gradients",
    ),
)


@dataclass(frozen=True)
class Comparison:
    """A calculator's errors and this handbook's, over the runs that it can describe."""

    calculator: Calculator
    version: str
    theirs: Errors
    ours: Errors


def comparisons(runs: Sequence[Run]) -> Iterator[Comparison]:
    """Those of the calculators that are installed and can describe some of the runs."""
    for calculator in CALCULATORS:
        some = [run for run in runs if calculator.describes(run)]
        if some and importlib.util.find_spec(calculator.package) is not None:
            version = importlib.metadata.version(calculator.package.replace("_", "-"))
            yield Comparison(calculator, version, errors(some, calculator.estimate), errors(some))


def show(every: Sequence[Run]) -> None:
    """Print their errors beside ours over the same runs, and which are not installed."""
    for each in comparisons([run for run in every if not refusal(run)]):
        print(f"{each.calculator.name} {each.version}, {each.theirs.runs} runs: {each.theirs}")
        print(f"  cannot be told {each.calculator.leaves_out}; this handbook: {each.ours}")
    for calculator in CALCULATORS:
        if importlib.util.find_spec(calculator.package) is None:
            print(f"not installed: {calculator.package}")
