"""From what people type to what the registries hold."""

import contextlib
import difflib
import json
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from snippets.hardware import ACCELERATORS, Accelerator, slug_of
from snippets.models import MODELS, Model, model_from_config

Named = TypeVar("Named")
MOST = 10**12  # of anything that is counted
WRITTEN = re.compile(
    r"([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?:e(\d{1,2}))?\s*([km]?)", re.ASCII
)
SCALES = {"": 1, "k": 2**10, "m": 2**20}


class Refusal(Exception):
    """A plan that cannot be answered; the message says what to change."""

    def __init__(self, message: str) -> None:
        super().__init__(re.sub(r"(\S{40})\S{200,}", r"\1…", message))  # what was typed, in short


def slug(typed: str) -> str:
    """Lower case, hyphens, and no owner before a slash: however a name is written."""
    return re.sub(r"[\s_]+", "-", typed.strip().lower().rsplit("/", 1)[-1])


def look_up(kind: str, typed: str, known: Mapping[str, Named]) -> Named:
    """The entry of that name, or a Refusal with the nearest ones."""
    wanted = slug(typed)
    by_slug = {slug(name): entry for name, entry in known.items()}
    if wanted in by_slug:
        return by_slug[wanted]
    near = difflib.get_close_matches(wanted, known, n=4, cutoff=0.5)
    near += [name for name in known if wanted and wanted in name and name not in near][:4]
    hint = f"nearest are {', '.join(near)}" if near else f"known are {', '.join(known)}"
    raise Refusal(f"there is no {kind} {typed!r}; {hint}")


def read_model(path: str) -> Model:
    """The model of a config.json, or of the folder that holds one."""
    file = Path(path) / "config.json" if Path(path).is_dir() else Path(path)
    try:
        config = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise Refusal(f"{file}: {error.strerror}") from error
    except RecursionError as error:
        raise Refusal(f"{file} is nested too deep for a configuration") from error
    except ValueError as error:  # no UTF-8, no JSON, or a number of thousands of digits
        raise Refusal(f"{file} is not JSON: {error}") from error
    try:
        return model_from_config(config, name=file.resolve().parent.name)
    except ValueError as error:
        raise Refusal(f"{path}: {error}") from error


def find_model(name: str | None, path: str | None) -> Model:
    """The model of a slug, or of a config.json by its path; Refusal for neither and for both."""
    if path is not None and name is not None:
        raise Refusal(f"{name} or the configuration {path}? Give one of them")
    if path is not None:
        return read_model(path)
    if name is not None and name.endswith(".json"):
        return read_model(name)
    if name is None:
        raise Refusal("name a model, or give --model path/to/config.json")
    return look_up("model", name, MODELS)


def find_card(typed: str) -> Accelerator:
    """The card of a slug, or of a name that a driver prints."""
    with contextlib.suppress(ValueError):
        return ACCELERATORS[slug_of(typed)]
    try:
        return look_up("GPU", typed, ACCELERATORS)
    except Refusal as refusal:
        raise Refusal(f"{refusal}; docs/data/hardware/cards.csv has a row for each card") from None


def parse_number(typed: str) -> tuple[Decimal, str] | None:
    """A number as people write it, and the letter of its scale; None for what is none."""
    match = WRITTEN.fullmatch(typed.strip().lower())
    if not match:
        return None
    return Decimal(match[1].replace(",", "")).scaleb(int(match[2] or 0)), match[3]


def parse_whole(typed: str, what: str, *, least: int = 1) -> int:
    """A whole number: 4096, 4,096, 1e6, 32k (times 1,024) or 1m (times 1,048,576)."""
    found = parse_number(typed)
    if found is None:
        raise Refusal(f"{what} is written like 4096, 4,096, 32k or 1e6, not {typed!r}")
    number = found[0] * SCALES[found[1]]
    if number > MOST:
        raise Refusal("a number is too large for any plan")
    if number < least or number % 1:
        raise Refusal(f"{what} must be a whole number from {least} up, not {typed!r}")
    return int(number)


def parse_positive(typed: str, what: str) -> float:
    """A positive number: 2, 0.5, 1,000."""
    found = parse_number(typed)
    if found is None or found[1] or not 0 < found[0] <= MOST:
        raise Refusal(f"{what} is a positive number like 2, 0.5 or 1,000, not {typed!r}")
    return float(found[0])


def parse_seconds(typed: str, what: str) -> float:
    """A time: 0.5, 0.5s or 500ms."""
    number = typed.strip().lower()
    scale = 1e-3 if number.endswith("ms") else 1.0
    return parse_positive(number.removesuffix("ms").removesuffix("s"), what) * scale
