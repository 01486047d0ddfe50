"""Published serving runs: what each says of itself, and the workers that it describes.

`serving.py` reads a file of runs here and asks for each run's workers; BadInput names a line that is
no run, Unpredictable a run that says too little, or what cannot be.
"""

import csv
import re
from dataclasses import dataclass, replace
from pathlib import Path

from scripts.core.faults import BadInput
from snippets.hardware import ACCELERATORS, usable_memory
from snippets.kv_cache import cache_share_bytes
from snippets.models import MODELS, Model
from snippets.serving_work import Worker, weights_on_card

ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / "docs/data/serving-runs.csv"
HELD_BACK_MODELS = ("meta-llama/Llama-3.1-70B", "moonshotai/Kimi-K2.5")
HELD_BACK_CARDS = ("h200_sxm", "gb300")
# Bits of a weight with its scales, by the names that the runs give formats.
BITS = {
    "bf16": 16.0,
    "bfloat16": 16.0,
    "float16": 16.0,
    "fp8": 8.0,
    "fp8_block": 8.0,
    "fp8_static": 8.0,
    "int8_wo": 8.0,
    "nvfp4": 4.5,
    "int4_wo": 4.5,
    "mxfp4": 4.25,
    "w4a16_mxfp4": 4.25,
    "w4a8_mxfp4_mxfp8": 4.25,
}
# What names of checkpoints end in: the format or the tuning, which no shape depends on.
ENDINGS = re.compile(r"-(instruct|it|chat|base|thinking|fp8|fp4|nvfp4|bf16|hf|\d{4})$")
SAME_SHAPE = {"deepseek-v3.1": "deepseek-v3"}
CARDS = {"a100_sxm": "a100-80gb-sxm"} | {
    slug.replace("-", "_"): slug
    for slug in ACCELERATORS
    if "nvidia" in ACCELERATORS[slug].name.lower()
}
# Cards that reach each other over NVLink: those of a server of eight, or of a rack.
LINKED = {"gb200": 72, "gb300": 72}
SERVER = 8
NETWORK = 50e9  # bytes/s of each card between servers: 400 Gbit/s (NVIDIA DGX H100 user guide)
# Of what the weights leave, engines give this share to caches (TensorRT-LLM's
# free_gpu_memory_fraction), and the rest to activations and libraries.
FOR_CACHES = 0.9


class Unpredictable(Exception):
    """Why nothing can be said of a run."""


@dataclass(frozen=True, kw_only=True)
class Split:
    """How one kind of worker is split, as it is written; None for what is left open."""

    tensor: int
    pipeline: int
    attention_data: int
    experts_tensor: int
    experts_parallel: int
    batch: int | None
    workers: int | None


@dataclass(frozen=True, kw_only=True)
class Run:
    """One line: the service that was measured, and the milliseconds that it took."""

    line: int
    model: str
    system: str
    backend: str
    mode: str
    matrices: str
    experts: str
    precision: str
    prompt: int
    output: int
    concurrency: int | None
    prefill: Split
    decode: Split
    ttft: float
    tpot: float

    def __str__(self) -> str:
        split = self.decode
        cards = f"T{split.tensor} D{split.attention_data} E{split.experts_parallel}"
        return (
            f"{self.model.split('/')[-1]}, {self.system}, {self.backend} {self.mode},"
            f" {self.matrices or self.precision or 'own format'}, {cards},"
            f" {self.prompt}+{self.output}, {self.concurrency or self.decode.batch} at once"
        )


@dataclass(frozen=True, kw_only=True)
class Service:
    """What a run describes: its workers, and how many requests are in flight and have a place."""

    prefill: Worker
    decode: Worker
    prefill_workers: int
    decode_workers: int
    concurrency: float
    admitted: float


def read_runs(path: Path = RUNS) -> list[Run]:
    """The runs of a file; lines that begin with # are its provenance. BadInput for what is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            str(path), 0, f"cannot be read: {error}", "give a CSV file of runs"
        ) from None
    runs = []
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if not line.startswith("#")]
    reader = csv.DictReader(line for _, line in lines)
    for row in reader:
        line = lines[reader.line_num - 1][0]
        try:
            runs.append(read_run(row, line))
        except (KeyError, TypeError, ValueError) as error:
            what = f"has no {error}" if isinstance(error, KeyError) else str(error)
            raise BadInput(
                str(path), line, f"is no serving run: {what}", "see docs/data/serving-runs.csv"
            ) from None
    return runs


def read_run(row: dict[str, str], line: int) -> Run:
    """A row as a run. Raises KeyError, TypeError and ValueError for what is missing or no number."""
    aggregated = row["mode"] == "agg"
    if row["mode"] not in ("agg", "disagg"):
        raise ValueError(f"mode must be agg or disagg, not {row['mode']!r}")
    prompt, output = int(row["isl"]), int(row["osl"])
    ttft, tpot = (float(row[f"silicon_{time}_ms"] or 0) for time in ("ttft", "tpot"))
    if not (prompt > 0 and output > 0):
        raise ValueError("lengths must be above zero")
    concurrency = whole(row["concurrency"])
    prefill = read_split(row, "" if aggregated else "prefill_")
    decode = read_split(row, "" if aggregated else "decode_")
    batch = decode.batch if aggregated else None
    if concurrency and batch and concurrency // batch > decode.attention_data:
        concurrency, decode = copies(concurrency, decode, batch)
        prefill = decode
    return Run(
        line=line,
        model=row["model_path"],
        system=row["system"],
        backend=row["backend"],
        mode=row["mode"],
        matrices=row["gemm_quant_mode"],
        experts=row["moe_quant_mode"] or row["gemm_quant_mode"],
        precision=row["precision"],
        prompt=prompt,
        output=output,
        concurrency=concurrency,
        prefill=prefill,
        decode=decode,
        ttft=ttft,
        tpot=tpot,
    )


def whole(text: str) -> int | None:
    """A count; None for an empty field or zero, by which the runs mean the same."""
    value = round(float(text)) if text else 0
    if value < 0:
        raise ValueError(f"{text!r} is no count")
    return value or None


def copies(concurrency: int, split: Split, batch: int) -> tuple[int, Split]:
    """The requests of one worker, and its split, where more are in flight than one batch.

    A batch is that of one copy of the attention: copies that divide the tensor split are inside of a
    worker, more are workers of their own, of which one is looked at.
    """
    count = max(concurrency // batch, 1)
    if split.tensor % count:
        return batch, split
    return concurrency, replace(split, tensor=split.tensor // count, attention_data=count)


def read_split(row: dict[str, str], kind: str) -> Split:
    """The split of the workers of a kind; what is not written is not split."""
    return Split(
        tensor=whole(row[f"{kind}tp_size"]) or 1,
        pipeline=whole(row[f"{kind}pp_size"]) or 1,
        attention_data=whole(row[f"{kind}attention_dp_size"]) or 1,
        experts_tensor=whole(row[f"{kind}moe_tp_size"]) or 1,
        experts_parallel=whole(row[f"{kind}moe_ep_size"]) or 1,
        batch=whole(row[f"{kind}batch_size"]),
        workers=whole(row[f"{kind}num_workers"]) if kind else 1,
    )


def held_back(run: Run) -> bool:
    """Whether a run was kept from the fit: two models, and two cards, whole."""
    return run.model in HELD_BACK_MODELS or run.system in HELD_BACK_CARDS


def model_named(path: str) -> Model:
    """The registry's model of a repository, whatever format or tuning its name ends in.

    Raises Unpredictable for one that it does not know.
    """
    slug = path.rsplit("/", 1)[-1].lower()
    while (shorter := ENDINGS.sub("", slug)) != slug:
        slug = shorter
    slug = SAME_SHAPE.get(slug, slug)
    if slug not in MODELS:
        raise Unpredictable(f"the model {path} is not known")
    return MODELS[slug]


def weight_bits(run: Run, model: Model) -> dict[str, float]:
    """Bits of each part's matrices: as the run says, or as the checkpoint stores them.

    Checkpoints of models with experts leave attention in sixteen bits where the others have four.
    """
    ending = run.model.rsplit("-", 1)[-1].lower()
    stated = run.matrices or (ending if ending in BITS else "")
    if not stated:
        return {part: model.stored_bits[part] for part in ("attention", "mlp", "experts")}
    try:
        matrices, experts = BITS[stated], BITS[run.experts or stated]
    except KeyError as error:
        raise Unpredictable(f"the weight format {error} is not known") from None
    attention = 16.0 if model.experts and matrices < 8 else matrices
    return {"attention": attention, "mlp": matrices, "experts": experts}


def worker(run: Run, split: Split) -> Worker:
    """The worker that a split describes. Raises Unpredictable for one that cannot be."""
    model = model_named(run.model)
    if run.system not in CARDS:
        raise Unpredictable(f"the card {run.system} is not known")
    if split.pipeline > 1:
        raise Unpredictable("its layers are split into pipeline stages")
    card = ACCELERATORS[CARDS[run.system]]
    tensor, data = split.tensor, split.attention_data
    experts, parallel = split.experts_tensor, split.experts_parallel
    # Several runs appear twice, once as n cards and once with n for both splits of the experts and
    # n × n cards: the first is what they mean.
    if experts == parallel > 1 and tensor * data == experts * parallel:
        tensor, data = (1, experts) if data > 1 else (experts, 1)
    if model.heads % tensor:
        raise Unpredictable(f"a tensor split of {tensor} does not divide {model.heads} heads")
    cards = tensor * data
    linked = cards <= LINKED.get(run.system, SERVER)
    made = Worker(
        model=model,
        card=card,
        bits=weight_bits(run, model),
        weight_only=run.matrices.endswith("_wo"),
        tensor=tensor,
        attention_data=data,
        link=(card.link_bandwidth or 0) if linked else NETWORK,
    )
    if weights_on_card(made) > usable_memory(card):
        raise Unpredictable(f"its weights do not fit {cards} of its cards")
    return made


def service(run: Run) -> Service:
    """What a run describes. Raises Unpredictable where that is not enough for a prediction."""
    prefill, decode = run.prefill, run.decode
    if not (run.ttft > 0 and run.tpot > 0):
        raise Unpredictable("its times are not written")
    if not prefill.workers or not decode.workers:
        raise Unpredictable("it is not written over how many workers the requests are spread")
    decoder = worker(run, decode)
    lanes = decode.workers * decoder.attention_data
    if not run.concurrency and not decode.batch:
        raise Unpredictable("it is not written how many requests are in flight")
    concurrency = run.concurrency or (decode.batch or 1) * lanes
    card = decoder.card
    free = usable_memory(card) - weights_on_card(decoder)
    tokens = run.prompt + run.output / 2
    each = cache_share_bytes(decoder.model, tokens=tokens, tensor=decoder.tensor)
    places = FOR_CACHES * free / each * lanes
    return Service(
        prefill=worker(run, prefill),
        decode=decoder,
        prefill_workers=prefill.workers,
        decode_workers=decode.workers,
        concurrency=concurrency,
        admitted=min(concurrency, max(places, lanes)),
    )


def may_draft(run: Run) -> bool:
    """Whether a run's model has layers that draft further tokens, so that it may have speculated."""
    return any(part.name == "further-token modules" for part in model_named(run.model).beside)
