"""Where a proven number comes from, told whole: the values of an expression, a record, a citation."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from scripts import bibliography
from scripts.records import Record
from scripts.render.this_machine import shown
from scripts.sync.evaluate import Evaluator
from scripts.sync.numbers import split_unit

Origin = dict[str, Any]
QUARTILES = ("median", "lower_quartile", "upper_quartile")


def origin(kind: str, definition: str, evaluator: Evaluator) -> Origin:
    """All that is known of a number defined by `#KIND "DEFINITION"`, ready for JSON."""
    expression, _ = split_unit(definition)
    if kind == "calc":
        values = dict(_values(ast.parse(expression.strip(), mode="eval").body, evaluator))
        return {
            "kind": "computed",
            "expression": expression,
            "values": {name: value for name, value in values.items() if name != expression},
            "value": evaluator.calc(expression),
        }
    if kind == "record":
        return _recorded(expression, evaluator)
    return _cited(expression, evaluator)


def _values(node: ast.AST, evaluator: Evaluator) -> Iterator[tuple[str, float]]:
    """The named numbers of an expression: figures of registries, constants and records."""
    record = isinstance(node, ast.Call) and ast.unparse(node.func) == "record"
    if isinstance(node, ast.Attribute | ast.Name | ast.Subscript) or record:
        name = ast.unparse(node)
        value = evaluator.evaluate(name)
        if isinstance(value, int | float):
            yield name, value
        return
    inside = node.args + node.keywords if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    for child in inside:
        yield from _values(child, evaluator)


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
    read = source.read or "not re-read"
    return found | {"title": source.title, "place": source.section, "url": source.url, "read": read}


def lines(found: Origin) -> list[str]:
    """What a note beside a number says after its expression, line by line."""
    match found["kind"]:
        case "computed":
            values = [f"{name} = {_brief(value)}" for name, value in found["values"].items()]
            return [*values, f"gives {_brief(found['value'])}"]
        case "recorded":
            return _recorded_lines(found)
        case _ if "work" in found:
            return [found["work"], *([found["place"]] if "place" in found else [])]
        case _:
            return [found["title"], found["place"], f"read: {found['read']}"]


def _recorded_lines(found: Origin) -> list[str]:
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


def _brief(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) and abs(value) < 1e9 else f"{value:.7g}"
