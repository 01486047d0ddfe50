"""The published training runs, as they were reported, and what is odd among them.

`scripts/predictions.py` and the experiment "predictions" read them here; a file's rows come back
as runs, or BadInput says which line is none.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.core.faults import BadInput
from snippets.arguments import require_count, require_positive
from snippets.models import Model, model_from_config

ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / "docs/data/nanotron-runs.csv"
GiB = 2**30
GB = 10**9
TOKENS = 4096
COUNTS = ("nodes", "mbs", "grad_acc", "gbs", "dp", "pp", "tp", "zero")


def nanotron_model(
    name: str, *, layers: int, hidden_size: int, intermediate_size: int, tied: bool
) -> Model:
    """Its heads are not published: with as many key-value heads, no figure depends on them."""
    config = {
        "model_type": "llama",
        "num_hidden_layers": layers,
        "hidden_size": hidden_size,
        "num_attention_heads": 64 if layers == 80 else 32,
        "intermediate_size": intermediate_size,
        "vocab_size": 131072,
        "max_position_embeddings": TOKENS,
        "tie_word_embeddings": tied,
    }
    return model_from_config(config, name=name)


# The 80B's shape is not published: it is Llama 70B's with as many key-value heads as heads, which
# has 80.0e9 parameters.
MODELS = {
    model.name: model
    for model in (
        nanotron_model("1.34B", layers=16, hidden_size=2048, intermediate_size=8192, tied=True),
        nanotron_model("3.57B", layers=28, hidden_size=3072, intermediate_size=8192, tied=True),
        nanotron_model("8.86B", layers=32, hidden_size=4096, intermediate_size=14336, tied=False),
        nanotron_model("80B", layers=80, hidden_size=8192, intermediate_size=28672, tied=False),
    )
}


@dataclass(frozen=True)
class Run:
    """One line of the source; `memory` in the source's unit."""

    model: str
    nodes: int
    mbs: int
    grad_acc: int
    gbs: int
    dp: int
    pp: int
    tp: int
    zero: int
    memory: float

    def __str__(self) -> str:
        splits = f"T{self.tp} P{self.pp} D{self.dp} ZeRO {self.zero}"
        return f"{self.model} {splits}, {self.grad_acc} micro-batches of {self.mbs}"


def read_runs(path: Path = RUNS) -> list[Run]:
    """The runs of a file; lines that begin with # are its provenance. BadInput for what is none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(path, 0, f"cannot be read: {error}", "name a CSV file of runs") from error
    numbered = [(at, text) for at, text in enumerate(lines, 1) if not text.startswith("#")]
    rows = csv.DictReader(text for _, text in numbered)
    return [_run(path, at, row) for (at, _), row in zip(numbered[1:], rows, strict=False)]


def _run(path: Path, line: int, row: dict[str, str | None]) -> Run:
    """A row's run."""
    try:
        if None in row.values():
            raise ValueError("it has fewer values than there are columns")
        run = Run(
            model=row["model"] or "",
            memory=float(row["memory"] or ""),
            **{name: int(row[name] or "") for name in COUNTS},
        )
        if run.model not in MODELS:
            raise ValueError(f"the model is one of {', '.join(MODELS)}, not {run.model}")
        require_count(**{name: getattr(run, name) for name in COUNTS if name != "zero"})
        require_positive(memory=run.memory)
        return run
    except (KeyError, TypeError, ValueError) as error:
        columns = ", ".join(("model", *COUNTS, "memory"))
        remedy = f"give every column of {columns}"
        raise BadInput(path, line, f"this is no run: {error}", remedy) from error


def contradicts_itself(run: Run) -> bool:
    """Whether its batch is not what its splits multiply to."""
    return run.dp * run.mbs * run.grad_acc != run.gbs


def inconsistent_pairs(runs: Sequence[Run]) -> list[tuple[Run, Run]]:
    """Pairs that differ in the micro-batch, where the larger one reports less memory.

    The splits and the ZeRO stage are the same but for the copies, of which the larger micro-batch
    has as many or fewer (so each GPU holds no less), and as many micro-batches are in flight.
    """
    groups: dict[tuple[object, ...], list[Run]] = {}
    for run in runs:
        flying = min(run.pp, run.grad_acc)
        alone = run.dp == 1  # without copies there are no buckets to exchange
        groups.setdefault((run.model, run.tp, run.pp, run.zero, flying, alone), []).append(run)
    return [
        (small, large)
        for group in groups.values()
        for small in group
        for large in group
        if large.mbs > small.mbs and large.dp <= small.dp and large.memory < small.memory
    ]


def repeats(runs: Sequence[Run]) -> list[tuple[Run, Run]]:
    """Runs of the same settings, the least and the greatest memory of each that differ."""
    groups: dict[tuple[object, ...], list[Run]] = {}
    for run in runs:
        settings = tuple(value for name, value in vars(run).items() if name != "memory")
        groups.setdefault(settings, []).append(run)
    extremes = [
        (min(group, key=lambda run: run.memory), max(group, key=lambda run: run.memory))
        for group in groups.values()
    ]
    return [(least, most) for least, most in extremes if least.memory < most.memory]
