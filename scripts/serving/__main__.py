"""Serve a file of requests: one JSON object a line in, one answer a line out.

    python -m scripts.serving requests.jsonl answers.jsonl --cache int8 --draft lookup

A request has "prompt", and may have "name", "most_tokens", "temperature", "seed" and "arrival" (seconds).
The model that ships with the repository answers, or the one in the folder that --model names.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence as List
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.core.faults import BadInput
from scripts.core.files import read_text, write_text
from scripts.quantization.subjects import EMBEDDED

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from scripts.serving.sequences import Request, Sequence

FIELDS = {"prompt", "name", "most_tokens", "temperature", "seed", "arrival"}


def main(arguments: List[str] | None = None) -> int:
    """Answer the file; 2 where it cannot be read or answered, with nothing written."""
    title, _, usage = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m scripts.serving",
        description=title,
        epilog=usage,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("requests", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("--model", type=Path, default=EMBEDDED, metavar="FOLDER")
    parser.add_argument("--device", default="cpu", metavar="cpu|cuda")
    parser.add_argument("--dtype", choices=("float32", "float16", "bfloat16"), default="float32")
    parser.add_argument("--pages", type=int, default=1024, help="pages of the cache")
    parser.add_argument("--page-tokens", type=int, default=16, help="tokens in a page")
    parser.add_argument("--cache", choices=("native", "int8", "int4"), default="native")
    parser.add_argument("--step-tokens", type=int, help="most tokens in a step: chunked prefill")
    parser.add_argument("--batching", choices=("continuous", "static"), default="continuous")
    parser.add_argument("--most-sequences", type=int, default=64)
    parser.add_argument("--no-prefixes", action="store_true", help="share no beginnings")
    parser.add_argument("--draft", choices=("lookup",), help="guess tokens from the text itself")
    try:
        _serve(parser.parse_args(arguments))
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _serve(asked: argparse.Namespace) -> None:
    import torch

    from scripts.models.checkpoints import load_model, load_tokenizer
    from scripts.serving.drafts import PromptLookup
    from scripts.serving.engine import Engine

    tokenizer = load_tokenizer(asked.model)
    requests = _read(asked.requests, tokenizer)
    model = load_model(asked.model, dtype=getattr(torch, asked.dtype), device=asked.device)
    engine = Engine(
        model,
        pages=asked.pages,
        page_tokens=asked.page_tokens,
        stored=asked.cache,
        most_sequences=asked.most_sequences,
        step_tokens=asked.step_tokens,
        batching=asked.batching,
        reuse_prefixes=not asked.no_prefixes,
        draft=PromptLookup() if asked.draft else None,
    )
    for request in requests:
        engine.check(request)  # before any time is spent
    answers = engine.run(requests)
    lines = [json.dumps(_answer(each, tokenizer), ensure_ascii=False) for each in answers]
    write_text(asked.answers, "\n".join([*lines, ""]))
    first = [each.token_times[0] - each.arrived for each in answers]
    print(
        f"{len(answers)} answers, {sum(step.generated for step in engine.steps)} tokens in "
        f"{len(engine.steps)} steps; first token after {statistics.median(first):.3f} s (median)"
    )


def _read(path: Path, tokenizer: Tokenizer) -> list[Request]:
    from scripts.serving.sequences import Request

    requests: dict[str, Request] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            asked: dict[str, Any] = dict(json.loads(line))
            if unknown := asked.keys() - FIELDS:
                raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
            request = Request(
                name=str(asked.get("name", number)),
                prompt=tuple(tokenizer.encode(str(asked["prompt"])).ids),
                most_tokens=int(asked.get("most_tokens", 32)),
                temperature=float(asked.get("temperature", 0)),
                seed=int(asked.get("seed", 0)),
                arrival=float(asked.get("arrival", 0)),
            )
        except (ValueError, TypeError, KeyError) as error:
            remedy = f'write {{"prompt": "..."}} and, if need be, {", ".join(sorted(FIELDS))}'
            raise BadInput(path, number, f"no request: {error}", remedy) from None
        if request.name in requests:
            raise BadInput(path, number, f"a second request {request.name}", "name it otherwise")
        requests[request.name] = request
    return list(requests.values())


def _answer(sequence: Sequence, tokenizer: Tokenizer) -> dict[str, Any]:
    times = sequence.token_times
    between = (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else None
    return {
        "name": sequence.request.name,
        "answer": tokenizer.decode(sequence.generated),
        "tokens": len(sequence.generated),
        "reused_tokens": sequence.reused_tokens,
        "seconds_to_first_token": round(times[0] - sequence.arrived, 6),
        "seconds_per_further_token": between and round(between, 6),
    }


if __name__ == "__main__":
    sys.exit(main())
