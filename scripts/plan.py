"""Will it fit? Memory and ceilings on speed for a model, a card and a plan.

scripts/plan.py llama-3.1-70b --gpu h100-sxm --gpus 8 --format int4-g32 --context 32k --batch 16
scripts/plan.py llama-3.1-8b --gpu h100-sxm --train --data 8 --zero 1 --micro-batch 2
scripts/plan.py --model path/to/config.json --gpu rtx-4090
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from scripts.planner import inference, training  # noqa: E402
from scripts.planner.answer import Answer  # noqa: E402
from scripts.planner.names import Refusal, find_model, look_up, parse_tokens  # noqa: E402
from snippets.hardware import ACCELERATORS  # noqa: E402
from snippets.inference_plan import InferencePlan  # noqa: E402
from snippets.models import MODELS  # noqa: E402
from snippets.training_memory import (  # noqa: E402
    BOTH_GRADIENTS,
    FP32_GRADIENTS,
    MIXED_PRECISION,
)
from snippets.training_plan import TrainingPlan  # noqa: E402
from snippets.weight_formats import WEIGHT_FORMATS  # noqa: E402

STATES = {"16": MIXED_PRECISION, "18": FP32_GRADIENTS, "20": BOTH_GRADIENTS}
CACHE_FORMATS = {"fp32": 4.0, "fp16": 2.0, "bf16": 2.0, "fp8": 1.0, "int8": 1.0}


class Parser(argparse.ArgumentParser):
    """Refuses in one line, without the usage before it."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise Refusal(f"{message} (--help lists what there is)")


def parser() -> Parser:
    """The command line."""
    made = Parser(prog="plan.py", description=__doc__.splitlines()[0] if __doc__ else None)
    made.add_argument("name", nargs="?", help="a model that the handbook knows, see --list")
    made.add_argument("--model", metavar="CONFIG", help="a config.json instead")
    made.add_argument("--gpu", default="h100-sxm", help="a card, see --list")
    made.add_argument("--gpus", type=int, help="how many, all splitting the model (default 1)")
    made.add_argument("--format", default="bf16", help=f"weights: {', '.join(WEIGHT_FORMATS)}")
    made.add_argument("--context", help="tokens of a conversation or sequence: 4096, 32k")
    made.add_argument("--batch", type=int, default=1, help="conversations at once")
    made.add_argument("--cache", default="fp16", help=f"cache: {', '.join(CACHE_FORMATS)}")
    made.add_argument("--train", action="store_true", help="training instead of inference")
    for name, meaning in (
        ("tensor", "GPUs that split every matrix"),
        ("pipeline", "stages"),
        ("context-ranks", "GPUs that split each sequence"),
        ("micro-batch", "sequences at once"),
    ):
        made.add_argument(f"--{name}", type=int, default=1, help=f"training: {meaning}")
    made.add_argument("--data", type=int, help="training: copies, each with its own batch")
    made.add_argument("--micro-batches", type=int, help="training: in a step (default: as stages)")
    made.add_argument("--zero", type=int, default=0, help="training: ZeRO stage, 0 to 3")
    made.add_argument("--bytes", default="16", help="training: per parameter, 16, 18 or 20")
    made.add_argument("--recompute", action="store_true", help="training: keep layers' inputs only")
    made.add_argument(
        "--whole-states", action="store_true", help="training: no sequence parallelism"
    )
    made.add_argument("--json", action="store_true", help="for machines")
    made.add_argument("--list", action="store_true", help="all models, cards and formats")
    return made


def inference_plan(asked: argparse.Namespace) -> InferencePlan:
    model = find_model(asked.name, asked.model)
    return InferencePlan(
        model=model,
        weights=look_up("format", asked.format, WEIGHT_FORMATS),
        tokens=parse_tokens(asked.context) if asked.context else min(4096, model.context),
        batch=asked.batch,
        tensor=1 if asked.gpus is None else asked.gpus,
        cache_element_bytes=look_up("cache format", asked.cache, CACHE_FORMATS),
    )


def training_plan(asked: argparse.Namespace) -> TrainingPlan:
    model = find_model(asked.name, asked.model)
    others = asked.tensor * asked.pipeline * asked.context_ranks
    data = 1 if asked.data is None else asked.data
    if asked.gpus is not None and asked.data is None:
        if others < 1 or asked.gpus % others:
            raise Refusal(f"{asked.gpus} GPUs are not a multiple of the {others} of one copy")
        data = asked.gpus // others
    elif asked.gpus is not None and asked.gpus != others * data:
        raise Refusal(f"{asked.gpus} GPUs are not the {others * data} that the splits multiply to")
    return TrainingPlan(
        model=model,
        tokens=parse_tokens(asked.context) if asked.context else min(4096, model.context),
        micro_batch=asked.micro_batch,
        micro_batches=asked.pipeline if asked.micro_batches is None else asked.micro_batches,
        tensor=asked.tensor,
        pipeline=asked.pipeline,
        data=data,
        context=asked.context_ranks,
        zero_stage=asked.zero,
        state=look_up("number of bytes per parameter", asked.bytes, STATES),
        sequence_parallel=not asked.whole_states,
        recompute=asked.recompute,
    )


def respond(asked: argparse.Namespace) -> Answer:
    """The answer to a command line; Refusal says what to change."""
    gpu = look_up("GPU", asked.gpu, ACCELERATORS)
    if asked.gpus is not None and asked.gpus < 1:
        raise Refusal(f"--gpus must be a whole number from 1 up, not {asked.gpus}")
    try:
        if asked.train:
            return training.answer(training_plan(asked), gpu)
        return inference.answer(inference_plan(asked), gpu)
    except ValueError as error:
        raise Refusal(str(error)) from error


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when it fits, 1 when it does not, 2 when the plan cannot be."""
    try:
        asked = parser().parse_args(arguments)
        if asked.list:
            for title, known in (
                ("models", MODELS),
                ("GPUs", ACCELERATORS),
                ("formats", WEIGHT_FORMATS),
            ):
                print(f"{title}: {', '.join(known)}")
            return 0
        answer = respond(asked)
    except Refusal as refusal:
        print(f"plan.py: {refusal}", file=sys.stderr)
        return 2
    if asked.json:
        print(json.dumps(answer.to_json(), indent=2))
    else:
        from rich.console import Console

        from scripts.planner.show import show

        show(answer, Console(highlight=False, soft_wrap=True))
    return 0 if answer.fits else 1


if __name__ == "__main__":
    sys.exit(main())
