"""Predicted beside published times of serving runs: errors, the worst, the refused, the constants."""

from collections.abc import Mapping

from scripts.tables.table import Column, Table, Values

EXPERIMENT = "serving-predictions"
PARTS = {
    "all": "all that have a prediction",
    "cannot_draft": "models without layers that draft",
    "may_draft": "models with layers that draft",
}
VALIDATION = {
    "fitted_on": "fitted on",
    "held_back_models": "two models held back",
    "held_back_cards": "two cards held back",
}


def _digits(percent: float) -> int:
    """One decimal, or two where one would hide a value."""
    return 1 if abs(percent) >= 0.05 else 2


ERRORS = [
    Column(
        f"{time.upper()}: {head}", record=f"{{place}}.{time}.{field}", suffix="%", decimals=_digits
    )
    for time in ("tpot", "ttft")
    for head, field in (("median", "median"), ("nine in ten", "ninetieth"), ("bias", "bias"))
]
CONSTANTS = {
    "memory_share": ("share of the memory bandwidth", "%", 1),
    "operation_share": ("share of the operations, with very many rows", "%", 1),
    "half_rate_rows": ("rows of a product at which it reaches half of that", "", 0),
    "launch": ("a kernel of a recorded step", "µs", 1),
    "exchange": ("an exchange between cards with nothing in it", "µs", 1),
    "link_share": ("share of the links' bandwidth", "%", 1),
    "unrecorded": ("an operation of a prompt, which the host launches", "µs", 0),
    "mixed_wait": ("share of other prompts waited for, where they are mixed in", "%", 1),
}


def parts(values: Values, section: str, names: Mapping[str, str]) -> Table:
    """Errors over parts of the runs."""
    table = Table("runs", Column("number", record="{place}.tpot.runs"), *ERRORS, values=values)
    for key, _ in table.of(EXPERIMENT):
        for part, name in names.items():
            table.row(name, place=f"{key}: {section}.{part}")
    return table


def kinds(values: Values) -> Table:
    """Errors by model, card, framework and mode."""
    table = Table("runs of", Column("number", record="{place}.tpot.runs"), *ERRORS, values=values)
    for key, record in table.of(EXPERIMENT):
        for kind, found in record.results["kinds"].items():
            table.row(f"`{found['name']}`", place=f"{key}: kinds.{kind}")
    return table


def listed(values: Values, section: str) -> Table:
    """Single runs: the time per token that was measured, predicted, and the least by memory alone."""
    heads = {"measured, ms": "tpot", "predicted": "predicted_tpot", "by memory alone": "least_tpot"}
    columns = [
        Column(head, record=f"{{place}}.{field}", decimals=1) for head, field in heads.items()
    ]
    table = Table("run", *columns, "what may be why", values=values)
    for key, record in table.of(EXPERIMENT):
        for row, run in record.results[section].items():
            table.row(f"`{run['run']}`", run["why"], place=f"{key}: {section}.{row}")
    return table


def refused(values: Values) -> Table:
    """Why runs have no prediction."""
    table = Table("why", Column("runs", record="{place}.runs"), values=values)
    for key, record in table.of(EXPERIMENT):
        for row, found in record.results["refused"].items():
            table.row(f"`{found['why']}`", place=f"{key}: refused.{row}")
    return table


def memory(values: Values) -> Table:
    """Errors of the memory in use, by the weights' format."""
    heads = {"median": "median", "nine in ten": "ninetieth", "bias": "bias"}
    errors = [
        Column(head, record=f"{{place}}.{field}", suffix="%", decimals=1)
        for head, field in heads.items()
    ]
    table = Table(
        "weights in", Column("cards in use", record="{place}.runs"), *errors, values=values
    )
    for key, record in table.of(EXPERIMENT):
        for row, found in record.results["in_use"].items():
            table.row(f"`{found['name']}`", place=f"{key}: in_use.{row}")
    return table


def constants(values: Values) -> Table:
    """The fitted constants, and their range when any one model is left out."""
    table = Table("constant", "fitted", "least", "greatest", "what it is", values=values)
    for name, (meaning, suffix, decimals) in CONSTANTS.items():
        numbers = [
            table.number(cite=f"{whose}.{name}", suffix=suffix, decimals=decimals)
            for whose in ("SERVING", "SERVING_LEAST", "SERVING_GREATEST")
        ]
        table.row(f"`{name}`", *numbers, meaning)
    return table


TABLES = {
    "serving-parts": lambda values: parts(values, "parts", PARTS),
    "serving-validation": lambda values: parts(values, "validation", VALIDATION),
    "serving-kinds": kinds,
    "serving-worst": lambda values: listed(values, "worst"),
    "serving-above": lambda values: listed(values, "above_ceiling"),
    "serving-refused": refused,
    "serving-memory": memory,
    "serving-constants": constants,
}
