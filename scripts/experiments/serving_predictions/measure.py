"""Predicted beside published times of serving runs: how far off the arithmetic is.

Takes no time and no device: the record holds what the code in the repository says of the runs in
`docs/data/serving-runs.csv` and the memories in `docs/data/serving-memory.csv`.
"""

from typing import TYPE_CHECKING, Any

from scripts.predictions.serving_memory import memory_errors
from scripts.predictions.serving_report import report
from scripts.predictions.serving_runs import read_runs

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.records import journal


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """The runs themselves, so that a change to them makes the record stale."""
    runs = read_runs()
    return {"runs": len(runs), "tpot_ms_together": round(sum(run.tpot for run in runs), 1)}


def measure(
    *, device: "Device", parameters: dict[str, Any], run: "journal.Journal"
) -> dict[str, Any]:
    """The report, its errors as plain values and its keys as names that a page can write."""
    found = report(read_runs())
    memory, unknown = memory_errors()
    groups = found.pop("groups")
    kinds = {
        f"{kind}_{index}": {"name": name} | plain(both)
        for kind, group in groups.items()
        for index, (name, both) in enumerate(group.items())
    }
    return found | {
        **{
            section: {part: plain(both) for part, both in found[section].items()}
            for section in ("parts", "validation")
        },
        "kinds": kinds,
        "worst": numbered(found["worst"]),
        "above_ceiling": numbered(found["above_ceiling"]),
        "above_ceiling_runs": len(found["above_ceiling"]),
        "in_use": numbered({"name": name} | vars(each) for name, each in memory.items()),
        "in_use_refused": unknown,
        "refused": numbered({"why": why, "runs": count} for why, count in found["refused"].items()),
    }


def plain(both: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Errors of both times, as a record holds them."""
    return {time: dict(vars(errors)) for time, errors in both.items()}


def numbered(rows: Any) -> dict[str, Any]:
    """Rows by name, in their order."""
    return {f"row_{index}": row for index, row in enumerate(rows)}
