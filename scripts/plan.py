"""Will it fit, and how many cards does it take? For a model, a card and a plan.

scripts/plan.py infer llama-3.1-70b --gpu h100-sxm --gpus 8 --format int4-g32 --context 32k --batch 16
scripts/plan.py train llama-3.1-8b --gpu h100-sxm --data 8 --zero 1 --micro-batch 2
scripts/plan.py serve llama-3.1-70b --gpu h100-sxm --prompt 2000 --answer 500 --rate 10 --tpot 50ms
scripts/plan.py infer --model path/to/config.json --gpu rtx-4090
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from scripts.planner import inference, plans, service, training  # noqa: E402
from scripts.planner.answer import Answer  # noqa: E402
from scripts.planner.names import (  # noqa: E402
    Refusal,
    find_card,
    find_model,
    look_up,
    parse_positive,
    parse_seconds,
    parse_whole,
)
from snippets.hardware import ACCELERATORS  # noqa: E402
from snippets.inference_plan import InferencePlan  # noqa: E402
from snippets.models import MODELS  # noqa: E402
from snippets.training_plan import TrainingPlan  # noqa: E402
from snippets.weight_formats import WEIGHT_FORMATS  # noqa: E402

USING = ("format", "batch", "cache")
TRAINING = (
    *("tensor", "context-ranks", "micro-batch", "micro-batches", "data", "zero", "bytes"),
    *("recompute", "whole-states", "adapters", "frozen"),
)


class Parser(argparse.ArgumentParser):
    """Refuses in one line, without the usage before it."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """Raise Refusal with what argparse objects to."""
        raise Refusal(f"{message} (--help lists what there is)")


def parser() -> Parser:
    """The command line of `infer` and `train`; numbers stay as they are typed."""
    made = Parser(
        prog="plan.py [infer | train | serve]",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "name", nargs="?", help="a model that the handbook knows, see --list, or a config.json"
    )
    for name, default, meaning in (
        ("model", None, "the path of a config.json instead, or of its folder"),
        ("gpu", "h100-sxm", "a card, see --list"),
        ("gpus", None, "how many; using a model, those of a stage split its matrices"),
        ("format", "published", f"weights: {', '.join(WEIGHT_FORMATS)}"),
        ("context", None, "tokens of a conversation or sequence: 4096, 32k"),
        ("batch", "1", "conversations at once"),
        ("cache", "fp16", f"cache: {', '.join(plans.CACHE_FORMATS)}"),
        ("tensor", "1", "training: GPUs that split every matrix"),
        ("pipeline", "1", "stages, each with its share of the layers"),
        ("context-ranks", "1", "training: GPUs that split each sequence"),
        ("micro-batch", "1", "training: sequences at once"),
        ("data", None, "training: copies, each with its own batch"),
        ("micro-batches", None, "training: in a step (default: as stages)"),
        ("zero", "0", "training: ZeRO stage, 0 to 3"),
        ("bytes", "16", "training: per parameter, 16, 18 or 20"),
        ("adapters", "0", "training: rank of adapters (LoRA); 0 trains all weights"),
        ("frozen", "bf16", f"beside adapters, weights: {', '.join(plans.FROZEN)}"),
    ):
        made.add_argument(f"--{name}", default=default, help=meaning)
    for name, meaning in (
        ("train", "training instead of inference"),
        ("recompute", "training: keep layers' inputs only"),
        ("whole-states", "training: no sequence parallelism"),
        ("json", "for machines"),
        ("list", "all models, cards and formats"),
    ):
        made.add_argument(f"--{name}", action="store_true", help=meaning)
    return made


def serving_parser() -> Parser:
    """The command line of `serve`."""
    made = Parser(prog="plan.py serve", description="How many cards does a service take?")
    made.add_argument("name", nargs="?", help="a model that the handbook knows, or a config.json")
    for name, default, meaning in (
        ("model", None, "the path of a config.json instead, or of its folder"),
        ("gpu", "h100-sxm", "a card, see --list"),
        ("format", "published", f"weights: {', '.join(WEIGHT_FORMATS)}"),
        ("prompt", None, "tokens of a request's prompt: 2000, 8k"),
        ("answer", None, "tokens of its answer"),
        ("rate", None, "requests per second, over all replicas"),
        ("ttft", None, "time to the first token at most: 0.5, 500ms"),
        ("tpot", None, "time per output token at most: 0.05, 50ms"),
        ("price", None, "of one card for an hour, in any currency"),
    ):
        made.add_argument(f"--{name}", default=default, help=meaning)
    made.add_argument("--json", action="store_true", help="for machines")
    return made


def wish(asked: argparse.Namespace) -> service.Wish:
    """What a `serve` command line asks for."""
    for name in ("prompt", "answer"):
        if getattr(asked, name) is None:
            raise Refusal(f"give the tokens of a request's {name}: --{name} 1000")
    seconds = {
        name: parse_seconds(typed, f"--{name}")
        for name in ("ttft", "tpot")
        if (typed := getattr(asked, name)) is not None
    }
    numbers = {
        name: parse_positive(typed, f"--{name}")
        for name in ("rate", "price")
        if (typed := getattr(asked, name)) is not None
    }
    return service.Wish(
        model=find_model(asked.name, asked.model),
        weights=look_up("format", asked.format, WEIGHT_FORMATS),
        card=find_card(asked.gpu),
        prompt=count(asked, "prompt"),
        answer=count(asked, "answer"),
        **seconds,
        **numbers,
    )


def serve(arguments: Sequence[str]) -> int:
    """Answer a `serve` command line: 0, or 2 where nothing keeps what is asked."""
    try:
        asked = serving_parser().parse_args(arguments)
        try:
            found = service.answer(wish(asked))
        except ValueError as error:
            raise Refusal(str(error)) from error
    except Refusal as refusal:
        print(f"plan.py: {refusal}", file=sys.stderr)
        return 2
    if asked.json:
        print(json.dumps(found, indent=2))
    else:
        from rich.console import Console

        from scripts.planner.show import show_service

        show_service(found, Console(highlight=False, soft_wrap=True))
    return 0


def refuse_what_is_not_asked(asked: argparse.Namespace) -> None:
    """Refuse an option that this kind of plan would ignore."""
    if asked.train and asked.adapters == "0" and asked.frozen != parser().get_default("frozen"):
        raise Refusal("--frozen is for adapters: give their rank, --adapters 16")
    ignored, kind = (USING, "using a model") if asked.train else (TRAINING, "training (--train)")
    for option in ignored:
        name = option.replace("-", "_")
        if getattr(asked, name) != parser().get_default(name):
            raise Refusal(f"--{option} is for {kind}")


def count(asked: argparse.Namespace, option: str) -> int:
    """A number that was asked for; 0 where none was."""
    typed = getattr(asked, option.replace("-", "_"))
    least = 0 if option in ("zero", "adapters") else 1
    return 0 if typed is None else parse_whole(typed, f"--{option}", least=least)


def inference_plan(asked: argparse.Namespace) -> InferencePlan:
    """The plan of a command line without --train."""
    caches = {name: name for name in plans.CACHE_FORMATS}
    plan = InferencePlan(
        model=find_model(asked.name, asked.model),
        weights=look_up("format", asked.format, WEIGHT_FORMATS),
        tokens=count(asked, "context"),
        batch=count(asked, "batch"),
        pipeline=count(asked, "pipeline"),
    )
    cache = look_up("cache format", asked.cache, caches)
    return plans.settled_inference(plan, gpus=count(asked, "gpus"), cache=cache)


def training_plan(asked: argparse.Namespace) -> TrainingPlan:
    """The plan of a command line with --train."""
    plan = TrainingPlan(
        model=find_model(asked.name, asked.model),
        state=look_up("number of bytes per parameter", asked.bytes, plans.STATES),
        tokens=count(asked, "context"),
        micro_batch=count(asked, "micro-batch"),
        micro_batches=count(asked, "micro-batches"),
        tensor=count(asked, "tensor"),
        pipeline=count(asked, "pipeline"),
        data=count(asked, "data"),
        context=count(asked, "context-ranks"),
        zero_stage=count(asked, "zero"),
        sequence_parallel=not asked.whole_states,
        recompute=asked.recompute,
        adapter_rank=count(asked, "adapters"),
        frozen=look_up("format", asked.frozen, plans.FROZEN),
    )
    return plans.settled_training(plan, gpus=count(asked, "gpus"))


def respond(asked: argparse.Namespace) -> Answer:
    """The answer to a command line; Refusal says what to change."""
    gpu = find_card(asked.gpu)
    refuse_what_is_not_asked(asked)
    try:
        if asked.train:
            return training.answer(training_plan(asked), gpu)
        return inference.answer(inference_plan(asked), gpu)
    except ValueError as error:
        raise Refusal(str(error)) from error
    except OverflowError as error:
        raise Refusal("a number is too large for any plan") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when it fits, 1 when it does not, 2 when the plan cannot be."""
    typed = list(sys.argv[1:] if arguments is None else arguments)
    verb = typed.pop(0) if typed[:1] in (["infer"], ["train"], ["serve"]) else ""
    if verb == "serve":
        return serve(typed)
    try:
        asked = parser().parse_args(["--train", *typed] if verb == "train" else typed)
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
