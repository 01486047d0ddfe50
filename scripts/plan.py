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

from scripts.planner import inference, plans, training  # noqa: E402
from scripts.planner.answer import Answer  # noqa: E402
from scripts.planner.names import Refusal, find_card, find_model, look_up, parse_tokens  # noqa: E402
from snippets.hardware import ACCELERATORS  # noqa: E402
from snippets.inference_plan import InferencePlan  # noqa: E402
from snippets.models import MODELS  # noqa: E402
from snippets.training_plan import TrainingPlan  # noqa: E402
from snippets.weight_formats import WEIGHT_FORMATS  # noqa: E402

USING = ("format", "batch", "cache")
TRAINING = (
    "tensor",
    "pipeline",
    "context-ranks",
    "micro-batch",
    "micro-batches",
    "data",
    "zero",
    "bytes",
    "recompute",
    "whole-states",
)


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
    made.add_argument("--cache", default="fp16", help=f"cache: {', '.join(plans.CACHE_FORMATS)}")
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


def refuse_what_is_not_asked(asked: argparse.Namespace) -> None:
    """Refuse an option that this kind of plan would ignore."""
    ignored, kind = (USING, "using a model") if asked.train else (TRAINING, "training (--train)")
    for option in ignored:
        name = option.replace("-", "_")
        if getattr(asked, name) != parser().get_default(name):
            raise Refusal(f"--{option} is for {kind}")


def inference_plan(asked: argparse.Namespace) -> InferencePlan:
    return plans.inference_plan(
        model=find_model(asked.name, asked.model),
        weights=look_up("format", asked.format, WEIGHT_FORMATS),
        context=parse_tokens(asked.context) if asked.context else None,
        batch=asked.batch,
        gpus=asked.gpus,
        cache_element_bytes=look_up("cache format", asked.cache, plans.CACHE_FORMATS),
    )


def training_plan(asked: argparse.Namespace) -> TrainingPlan:
    return plans.training_plan(
        model=find_model(asked.name, asked.model),
        state=look_up("number of bytes per parameter", asked.bytes, plans.STATES),
        context=parse_tokens(asked.context) if asked.context else None,
        gpus=asked.gpus,
        tensor=asked.tensor,
        pipeline=asked.pipeline,
        data=asked.data,
        context_ranks=asked.context_ranks,
        micro_batch=asked.micro_batch,
        micro_batches=asked.micro_batches,
        zero_stage=asked.zero,
        sequence_parallel=not asked.whole_states,
        recompute=asked.recompute,
    )


def respond(asked: argparse.Namespace) -> Answer:
    """The answer to a command line; Refusal says what to change."""
    gpu = find_card(asked.gpu)
    refuse_what_is_not_asked(asked)
    try:
        plans.check_gpus(asked.gpus)
        if asked.train:
            answer = training.answer(training_plan(asked), gpu)
        else:
            answer = inference.answer(inference_plan(asked), gpu)
    except ValueError as error:
        raise Refusal(str(error)) from error
    except OverflowError as error:
        raise Refusal("a number is too large for any plan") from error
    return answer


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
