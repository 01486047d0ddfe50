"""Measuring writes a Record and everything that shows or checks figures reads one, from its path.

It holds what one experiment found on one device, with every sample and where it came from, under
a digest; a file that is damaged or was edited comes back as BadInput.
"""

import difflib
import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scripts.core.faults import BadInput
from scripts.core.files import read_text, write_text
from scripts.core.json_source import dumps, line_of
from scripts.records.samples import quantity

SCHEMA_VERSION = 1
SCHEMA = Path(__file__).parents[2] / "docs" / "data" / "record.schema.json"
RECORDS = Path("docs") / "data" / "records"
LOCAL = "local"
MEASURE_AGAIN = "measure again: scripts/build.py --force --only {experiment}"
SUMMARY = ("median", "lower_quartile", "upper_quartile", "count")


@dataclass(frozen=True)
class Record:
    """One experiment on one device. The fields are described in docs/data/record.schema.json."""

    experiment: str
    parameters: dict[str, Any]
    device: dict[str, Any]
    software: dict[str, Any]
    when: str | None
    provenance: dict[str, str]
    fingerprint: str | None
    results: dict[str, Any]

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 over everything else, so that no value can be changed unnoticed."""
        return _digest({"schema_version": SCHEMA_VERSION, **asdict(self)})

    @property
    def key(self) -> str:
        """The name under which pages refer to it once it is published: "folder/experiment"."""
        return f"{self.folder}/{self.experiment}"

    @property
    def folder(self) -> str:
        """The device's name, or the same with "-transcribed": what others report of a device and what
        is measured on one stand side by side, and neither takes the other's place."""
        slug: str = self.device["slug"]
        return f"{slug}-transcribed" if self.provenance["kind"] == "transcribed" else slug


def write_record(path: Path, record: Record) -> None:
    """Write a record whole or not at all.

    Raises BadInput when it breaks the schema, or the disk is full or read-only.
    """
    document = {"schema_version": SCHEMA_VERSION, **asdict(record), "digest": record.digest}
    try:
        text = dumps(document) + "\n"
    except ValueError:
        raise BadInput(
            path, 0, "a result is infinite or not a number", "correct the experiment"
        ) from None
    _validate(path, text, document)
    write_text(path, text)


def read_record(path: Path, *, known: bool = False) -> Record:
    """The record in a file; one that is `known` to be sound is not judged again.

    Raises BadInput, with the line where that can be known, when the file is missing, truncated,
    malformed, of another schema version, or not exactly as it was written.
    """
    text = read_text(path)
    remedy = _remedy(path.stem)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(
            path, error.lineno, f"not JSON, or cut short: {error.msg.lower()}", remedy
        ) from None
    if not isinstance(document, dict):
        raise BadInput(path, 1, "not a record: the file does not hold a JSON object", remedy)
    version = document.get("schema_version")
    if version != SCHEMA_VERSION:
        raise BadInput(
            path,
            line_of(text, ["schema_version"]),
            f"schema version {version!r}, but this code reads version {SCHEMA_VERSION}",
            f"{remedy}, or use the code that wrote it",
        )
    if not known:
        _validate(path, text, document)
    fields = {n: value for n, value in document.items() if n not in ("digest", "schema_version")}
    record = Record(**fields)
    if known:
        return record
    if record.digest != document["digest"]:
        raise BadInput(
            path,
            line_of(text, ["digest"]),
            "the contents do not match the digest: a value was changed by hand",
            remedy,
        )
    written = (dumps(document) + "\n").splitlines()
    for line, (found, expected) in enumerate(zip(text.splitlines(), written, strict=False), 1):
        if found != expected:
            raise BadInput(
                path, line, f"not as it was written: {found.strip()!r} was edited by hand", remedy
            )
    if len(text.splitlines()) != len(written):
        raise BadInput(path, len(written), "lines were added or removed by hand", remedy)
    return record


def record_paths(root: Path) -> dict[str, Path]:
    """The published records' files by key, "folder/experiment". `root`: the repository."""
    return {
        f"{path.parent.name}/{path.stem}": path
        for path in sorted((root / RECORDS).glob("*/*.json"))
        if path.parent.name != LOCAL and not path.name.startswith(".")
    }


def read_all(root: Path) -> dict[str, Record]:
    """The published records by key, "folder/experiment". `root`: the repository.

    Raises BadInput for the first that cannot be used, or that lies under another's name.
    """
    records = {}
    for key, path in record_paths(root).items():
        record = read_record(path)
        if record.key != key:
            raise BadInput(
                path,
                0,
                f"holds the record of {record.key}, but its name says {key}",
                f"move it to {RECORDS.as_posix()}/{record.key}.json",
            )
        records[key] = record
    return records


def lookup(record: Record, field: str) -> Any:
    """The value of a result such as "copy.bytes_per_second"; of a sampled quantity, its median.

    Raises BadInput naming the fields nearest to one that is not there.
    """
    value: Any = record.results
    for step in field.split("."):
        if not isinstance(value, Mapping) or step not in value:
            return _no_field(record, field)
        value = value[step]
    if isinstance(value, Mapping) and "samples" in value:
        return value["median"]
    if isinstance(value, Mapping | list):
        return _no_field(record, field)
    return value


def fields(results: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """The dotted names of all values that `lookup` can find."""
    for name, value in results.items():
        if isinstance(value, Mapping):
            if "samples" in value:
                yield prefix + name
            yield from fields(value, f"{prefix}{name}.")
        elif not isinstance(value, list):
            yield prefix + name


def _no_field(record: Record, field: str) -> None:
    known = list(fields(record.results))
    below = [name for name in known if name.startswith(field + ".")]
    nearest = (below or difflib.get_close_matches(field, known, n=3, cutoff=0.3) or known)[:3]
    raise BadInput(
        (RECORDS / f"{record.key}.json").as_posix(),
        0,
        f"the record has no single value named {field!r}",
        "use one that is there, such as " + ", ".join(nearest),
    )


def _remedy(experiment: str) -> str:
    return f"restore the file as committed, or {MEASURE_AGAIN.format(experiment=experiment)}"


def _digest(document: Mapping[str, Any]) -> str:
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


@functools.cache
def _validator() -> Any:
    from jsonschema import Draft202012Validator  # slow to import, and not always needed

    return Draft202012Validator(json.loads(read_text(SCHEMA)))


def _validate(path: Path, text: str, document: dict[str, Any]) -> None:
    """Raise BadInput where a document breaks the schema or a summary does not follow."""
    fault = next(_validator().iter_errors(document), None)
    if fault is not None:
        place = ".".join(map(str, fault.absolute_path)) or "the record"
        raise BadInput(
            path,
            line_of(text, list(fault.absolute_path)),
            f"breaks docs/data/record.schema.json: {place}: {fault.message}",
            _remedy(path.stem),
        )
    for names, found in _quantities(document["results"], ("results",)):
        expected = quantity(found["samples"])
        for name in SUMMARY:
            if found[name] != expected[name]:
                raise BadInput(
                    path,
                    line_of(text, [*names, name]),
                    f"{'.'.join(names)}: the samples' {name} is {expected[name]!r}, "
                    f"not {found[name]!r}",
                    _remedy(path.stem),
                )


def _quantities(
    results: Mapping[str, Any], place: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Every sampled quantity in results, with the names that lead to it."""
    for name, value in results.items():
        if isinstance(value, Mapping):
            if "samples" in value:
                yield (*place, name), value
            else:
                yield from _quantities(value, (*place, name))
