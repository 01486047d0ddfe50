"""The parallelism lab: what ranks sent and held beside the formulas, and plans for real clusters."""

from collections.abc import Iterable, Mapping

from scripts.records.record import Record
from scripts.render import cluster_charts, pipeline_charts
from scripts.render.markdown import Table

STAGES = ("nothing", "optimizer", "and gradients", "and weights")
SCHEDULES = {
    "gpipe": "GPipe",
    "one_forward_one_backward": "1F1B",
    "interleaved": "interleaved 1F1B",
    "zero_bubble": "zero-bubble",
}
WAYS = {
    "written_out": "written out",
    "parallelize_module": "by PyTorch",
    "sequence_parallel": "tokens split too",
}


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """Tables and figures by path under docs/. Raises KeyError when no device has a record."""
    tables = [*(table(records) for table in MEASURED), _plans(records)]
    drawn = pipeline_charts.render(records[key(records, "parallelism-pipeline")])
    drawn |= cluster_charts.render(records[key(records, "parallelism-mesh")])
    drawn |= cluster_charts.collectives(
        {
            name: record
            for name, record in records.items()
            if name.endswith("/parallelism-collectives")
        }
    )
    return {
        **{f"tables/{table.name}.md": table.markdown().encode() for table in tables},
        **drawn,
    }


def keys(records: Mapping[str, Record], experiment: str) -> list[str]:
    """The names of all records of an experiment."""
    return sorted(name for name in records if name.endswith(f"/{experiment}"))


def key(records: Mapping[str, Record], experiment: str) -> str:
    """The name of the first record of an experiment: its device's measurements are drawn."""
    found = keys(records, experiment)
    if not found:
        raise KeyError(experiment)
    return found[0]


def _ranks(record: Record) -> list[int]:
    """The numbers of ranks that a record holds, those that have someone to talk to."""
    names = (name.removeprefix("ranks_") for name in record.results if name.startswith("ranks_"))
    return sorted(int(name) for name in names if name != "1")


def _fields(record: Record, *path: str) -> Iterable[str]:
    found = record.results
    for step in path:
        found = found[step]
    return found


def _sent(records: Mapping[str, Record]) -> Table:
    """Bytes a rank sends in a step of data parallelism, by formula and on the wire."""
    table = Table(
        "parallelism-sent",
        "device",
        "ranks",
        "split",
        "gradients or weights (MB)",
        "formula (MB)",
        "counted (MB)",
        "on the wire (MB)",
        "of that, headers (bytes)",
        "gradients off by (billionths)",
        records=records,
    )
    for name in keys(records, "parallelism-data"):
        table.of(records[name])
        size = f"4 * record('{name}: model.parameters')"
        for ranks in _ranks(records[name]):
            for way, label, factor in (("ddp", "DDP", ""), ("fsdp", "FSDP2", "3 / 2 * ")):
                place = f"{name}: ranks_{ranks}.{way}"
                transfers = _fields(records[name], f"ranks_{ranks}", way, "transfers")
                counted = _sum(place, transfers, "bytes_sent")
                table.row(
                    table.number("record", f"{name}: ranks_{ranks}.ranks"),
                    label,
                    table.number("calc", size, unit="MB", decimals=3),
                    table.number(
                        "calc", f"{factor}all_reduce_bytes({size}, {ranks})", unit="MB", decimals=3
                    ),
                    table.number("calc", counted, unit="MB", decimals=3),
                    table.number("record", f"{place}.wire_bytes", unit="MB", decimals=3),
                    table.number("record", f"{place}.header_bytes", decimals=0),
                    _off_by(table, place),
                )
    return table


def _off_by(table: Table, place: str) -> str:
    """How far gradients are from one process's, in billionths of their norm."""
    return table.number("calc", f"record('{place}.gradient_difference') * 1e9", decimals=0)


def _held(records: Mapping[str, Record]) -> Table:
    """Bytes per parameter that a rank holds between steps and in a forward pass, by ZeRO's stage."""
    table = Table(
        "parallelism-held",
        "device",
        "split by ZeRO",
        "ranks",
        "formula (bytes per parameter)",
        "held between steps",
        "weights gathered whole",
        "buffer and activations",
        "held in a forward pass",
        records=records,
    )
    for name in keys(records, "parallelism-data"):
        table.of(records[name])
        for stage, split in enumerate(STAGES):
            for ranks in (1, *_ranks(records[name])):
                memory = f"{name}: ranks_{ranks}.memory.stage_{stage}"
                state, gathered, all_of_it = (
                    f"record('{memory}.{part}_bytes')"
                    for part in ("between_steps", "gathered", "in_forward")
                )
                table.row(
                    split,
                    table.number("record", f"{name}: ranks_{ranks}.ranks"),
                    table.number(
                        "calc",
                        f"zero_bytes_per_parameter(stage={stage}, copies={ranks})",
                        decimals=2,
                    ),
                    *(
                        table.number(
                            "calc", f"({part}) / record('{name}: model.parameters')", decimals=2
                        )
                        for part in (
                            state,
                            gathered,
                            f"{all_of_it} - {state} - {gathered}",
                            all_of_it,
                        )
                    ),
                )
    return table


def _tensor(records: Mapping[str, Record]) -> Table:
    """Collectives of one step of tensor parallelism, three ways to write it."""
    table = Table(
        "parallelism-tensor",
        "device",
        "ranks",
        "split",
        "all-reduces",
        "reduce-scatters",
        "all-gathers",
        "a rank sends (bytes)",
        "formula (bytes)",
        "gradients off by (billionths)",
        records=records,
    )
    for name in keys(records, "parallelism-tensor"):
        table.of(records[name])
        model = f"{name}: model"
        for ranks in _ranks(records[name]):
            formula = (
                f"record('{model}.layers') * tensor_parallel_bytes("
                f"tokens=record('{model}.sequence_length'), sequences=record('{model}.sequences'), "
                f"width=record('{model}.hidden_size'), "
                f"bytes_per_element=record('{model}.bytes_per_element'), ranks={ranks})"
            )
            for way, label in WAYS.items():
                place = f"{name}: ranks_{ranks}.{way}"
                transfers = _fields(records[name], f"ranks_{ranks}", way, "transfers")
                counts = [
                    table.number(
                        "calc", _sum(place, [kind for kind in transfers if each in kind], "count")
                    )
                    if any(each in kind for kind in transfers)
                    else ""
                    for each in ("all_reduce", "reduce_scatter", "all_gather")
                ]
                table.row(
                    table.number("record", f"{name}: ranks_{ranks}.ranks"),
                    label,
                    *counts,
                    table.number("calc", _sum(place, transfers, "bytes_sent"), decimals=0),
                    table.number("calc", formula, decimals=0),
                    _off_by(table, place),
                )
    return table


def _sum(place: str, transfers: Iterable[str], field: str) -> str:
    """An expression for the total of a field over kinds of transfers."""
    return " + ".join(f"record('{place}.transfers.{kind}.{field}')" for kind in sorted(transfers))


def _schedules(records: Mapping[str, Record]) -> Table:
    """Idle time of torch's schedules, simulated and measured, and what the first rank keeps."""
    table = Table(
        "parallelism-schedules",
        "device",
        "schedule",
        "ranks",
        "micro-batches",
        "idle, simulated (%)",
        "idle, measured (%)",
        "kept by the first rank (micro-batches)",
        "sends",
        "gradients off by (billionths)",
        records=records,
    )
    for name in keys(records, "parallelism-pipeline"):
        table.of(records[name])
        for ranks in _ranks(records[name]):
            for schedule, label in SCHEDULES.items():
                cases = _fields(records[name], f"ranks_{ranks}", schedule)
                for count in sorted(int(case.removeprefix("micro_batches_")) for case in cases):
                    place = f"{name}: ranks_{ranks}.{schedule}.micro_batches_{count}"
                    orders = pipeline_charts.expression(schedule, ranks, count)
                    chunks = pipeline_charts.CHUNKS.get(schedule, 1)
                    table.row(
                        label,
                        table.number("record", f"{place}.ranks"),
                        table.number("record", f"{place}.micro_batches"),
                        table.number(
                            "calc", f"idle_fraction(play({orders}))", unit="%", decimals=1
                        ),
                        table.number("record", f"{place}.idle_fraction", unit="%", decimals=1),
                        table.number("calc", f"peak_in_flight({orders}[0]) / {chunks}", decimals=1),
                        table.number("record", f"{place}.sends"),
                        _off_by(table, place),
                    )
    return table


def _mesh(records: Mapping[str, Record]) -> Table:
    """What a rank of the mesh sends in a step, by the group of ranks that it talks to."""
    table = Table(
        "parallelism-mesh",
        "device",
        "split",
        "collective",
        "count",
        "a rank sends (bytes)",
        "formula (bytes)",
        records=records,
    )
    for name in keys(records, "parallelism-mesh"):
        table.of(records[name])
        model, transfers = f"record('{name}: model", f"{name}: transfers"
        hidden = f"{model}.sequence_length') * {model}.hidden_size') * 4"
        weights = f"2 * record('{name}: ranks.0.weight_bytes')"
        formulas = {
            "tensor_all_reduce": f"{model}.layers') / record('{name}: layout.pipeline') * "
            f"{model}.micro_batches') * 4 * all_reduce_bytes({hidden}, record('{name}: layout.tensor'))",
            "pipeline_send": f"{model}.micro_batches') * {hidden}",
            "data_all_gather": f"all_reduce_bytes({weights}, record('{name}: layout.data')) / 2",
            "data_reduce_scatter": f"all_reduce_bytes({weights}, record('{name}: layout.data')) / 2",
        }
        for kind, formula in formulas.items():
            split, _, collective = kind.partition("_")
            table.row(
                split,
                collective.replace("_", "-"),
                table.number("record", f"{transfers}.{kind}.count"),
                table.number("record", f"{transfers}.{kind}.bytes_sent", decimals=0),
                table.number("calc", formula, decimals=0),
            )
    return table


MEASURED = (_sent, _held, _tensor, _schedules, _mesh)


def _plans(records: Mapping[str, Record]) -> Table:
    """Llama 3.1 405B's two layouts on paper: memory, traffic and time of one GPU."""
    plans = {"llama_3_405b_run": "first", "llama_3_405b_long_run": "long sequences"}
    table = Table("llama-405b-plans", "plan", *plans.values(), records=records)

    def row(label: str, expression: str, *, suffix: str, decimals: int, kind: str = "calc") -> None:
        table.row(
            label,
            *(
                table.number(kind, expression.format(plan), suffix=suffix, decimals=decimals)
                for plan in plans
            ),
        )

    for axis in ("tensor", "context", "pipeline", "data"):
        row(f"{axis} split", f"{{}}.{axis}", suffix="", decimals=0, kind="cite")
    row("tokens of a sequence", "{}.tokens", suffix="", decimals=0, kind="cite")
    for part in ("weights", "gradients", "optimizer", "activations"):
        row(f"{part}, held", f"plan_memory({{}}).{part}", suffix="GB", decimals=1)
    row("all that is held", "memory_total(plan_memory({}))", suffix="GB", decimals=1)
    row("micro-batches in flight that fit", "in_flight_that_fits({})", suffix="", decimals=1)
    for part in ("tensor", "context", "pipeline", "data"):
        link = "NVLink" if part == "tensor" else "the network"
        label = f"{part} split, sent in a step over {link}"
        row(label, f"plan_traffic({{}}).{part}", suffix="GB", decimals=1)
    bubble = "pipeline_bubble({0}.pipeline, {0}.chunks * plan_micro_batches({0}))"
    row("bubble of the schedule", bubble, suffix="%", decimals=1)
    for part, label in cluster_charts.TIMES.items():
        row(f"time: {label}", f"plan_time({{}}).{part}", suffix="s", decimals=2)
    row("time: not explained", "unexplained_seconds({})", suffix="s", decimals=2)
    step = "plan_time({0}).arithmetic / {0}.utilisation"
    row("step at the published utilisation", step, suffix="s", decimals=2)
    row("published utilisation", "{}.utilisation", suffix="%", decimals=0, kind="cite")
    return table
