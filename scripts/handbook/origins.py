"""Where a proven number comes from, told whole: the values of an expression, a record, a citation."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from scripts.exhibits.this_machine import shown
from scripts.proof import bibliography
from scripts.proof.evaluate import Evaluator
from scripts.proof.numbers import split_unit
from scripts.records.record import Record

Origin = dict[str, Any]
QUARTILES = ("median", "lower_quartile", "upper_quartile")


def origin(kind: str, definition: str, evaluator: Evaluator) -> Origin:
    """All that is known of a number defined by `#KIND "DEFINITION"`, ready for JSON."""
    expression, _ = split_unit(definition)
    if kind == "calc":
        named = dict(_named(ast.parse(expression.strip(), mode="eval").body, evaluator))
        entries = {name: _entry(value) for name, value in named.items() if is_dataclass(value)}
        return {
            "kind": "computed",
            "expression": expression,
            "values": {
                name: value
                for name, value in named.items()
                if isinstance(value, int | float) and name != expression
            },
            **({"entries": entries} if entries else {}),
            "value": evaluator.calc(expression),
        }
    if kind == "record":
        return _recorded(expression, evaluator)
    return _cited(expression, evaluator)


def _named(node: ast.AST, evaluator: Evaluator) -> Iterator[tuple[str, Any]]:
    """What an expression names: figures and entries of registries, constants, records."""
    record = isinstance(node, ast.Call) and ast.unparse(node.func) == "record"
    entry = isinstance(node, ast.Attribute | ast.Name | ast.Subscript)
    if record or (entry and not any(isinstance(each, ast.Call) for each in ast.walk(node))):
        name = ast.unparse(node)
        yield name, evaluator.evaluate(name)
        return
    inside = node.args + node.keywords if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    for child in inside:
        yield from _named(child, evaluator)


def _entry(value: Any) -> dict[str, Any]:
    """The figures of an entry, and the names of those within it; not what it is without."""
    found = {field.name: getattr(value, field.name) for field in fields(value)}
    return {
        name: getattr(each, "name", each)
        for name, each in found.items()
        if each
        and (isinstance(each, int | float) or (is_dataclass(each) and hasattr(each, "name")))
    }


def _recorded(place: str, evaluator: Evaluator) -> Origin:
    key, _, field = (part.strip() for part in place.partition(":"))
    record = evaluator.published[key]
    found: Origin = {
        "kind": "recorded",
        "expression": place,
        "value": evaluator.record(place),
        "device": record.device["name"],
    }
    if record.provenance["kind"] == "transcribed":
        source = ("source", "section", "read")
        return found | {"transcribed from": {name: record.provenance[name] for name in source}}
    found |= {"measured": record.when, "command": record.provenance["command"]}
    if sampled := _sampled(record, field):
        name, quantity = sampled
        found["samples"] = {"of": name, "count": quantity["count"]} | {
            each: quantity[each] for each in QUARTILES
        }
    return found


def _sampled(record: Record, field: str) -> tuple[str, Mapping[str, Any]] | None:
    """The samples behind a field: its own, or those of the seconds that a rate is made from."""
    steps = field.split(".")
    for end, last in ((len(steps), ""), (len(steps) - 1, "seconds")):
        path = [*steps[:end], *([last] if last else [])]
        value: Any = record.results
        for step in path:
            value = value.get(step) if isinstance(value, Mapping) else None
        if isinstance(value, Mapping) and "samples" in value:
            return ".".join(path), value
    return None


def _cited(expression: str, evaluator: Evaluator) -> Origin:
    key, _, rest = (part.strip() for part in expression.partition(":"))
    value, _ = evaluator.cite(expression)
    found: Origin = {"kind": "cited", "expression": expression}
    if value is not None:
        found["value"] = value
    if key in evaluator.bibliography:
        entry = evaluator.bibliography[key]
        place = rest.partition("=")[0].strip()
        work = f"{bibliography.short_name(entry)}. {entry['title']}."
        return found | {"work": work, **({"place": place} if place else {})}
    target, _, field = key.rpartition(".")
    source = evaluator.evaluate(target).sources[field]
    where = {"title": source.title, "place": source.section, "url": source.url}
    return found | where | {"reading": source.reading, "seen": source.seen}


def lines(found: Mapping[str, Any]) -> list[str]:
    """What a note beside a number says after its expression, line by line."""
    match found["kind"]:
        case "computed":
            values = [f"{name} = {_brief(value)}" for name, value in found["values"].items()]
            entries = [
                f"{name}: {', '.join(_figure(*each) for each in entry.items())}"
                for name, entry in found.get("entries", {}).items()
            ]
            return [*values, *entries, f"gives {_brief(found['value'])}"]
        case "recorded":
            return _recorded_lines(found)
        case _ if "work" in found:
            return [found["work"], *([found["place"]] if "place" in found else [])]
        case _:
            return [found["title"], found["place"], found["seen"]]


def _recorded_lines(found: Mapping[str, Any]) -> list[str]:
    if source := found.get("transcribed from"):
        return [
            found["device"],
            f"transcribed from {source['source']}, “{source['section']}”, read {source['read']}",
        ]
    said = [f"{found['device']}, measured {found['measured'][:10]}"]
    if samples := found.get("samples"):
        median, low, high = (shown(samples["of"], samples[each]) for each in QUARTILES)
        said.append(
            f"{samples['of'].rpartition('.')[2]}: median {median}, quartiles {low} and {high}, "
            f"{samples['count']} samples"
        )
    return [*said, f"again: {found['command']}"]


def _figure(name: str, value: float | str | bool) -> str:
    if isinstance(value, bool):
        return name
    return f"{name} {value if isinstance(value, str) else _brief(value)}"


def _brief(value: float) -> str:
    """A whole number whole; of others at least as many digits as any page writes."""
    if abs(value) >= 1e15:
        return f"{value:.7g}"
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= 1e6 else f"{value:,.7g}"
