"""Tables and figures from records: the same records give the same bytes."""

import importlib.metadata
from collections.abc import Mapping
from pathlib import Path

from scripts.core.freshness import Modules, key
from scripts.records.record import Record

ROOT = Path(__file__).parents[2]
LIBRARIES = ("matplotlib", "numpy")


def render(records: Mapping[str, Record]) -> dict[str, bytes]:
    """All published tables and figures, by path under docs/, from the published records.

    Raises BadInput when a record lacks a value that is shown, KeyError when a record is missing.
    """
    from scripts.render import (  # slow to import, and not needed while nothing changes
        bandwidth,
        measurement_lab,
        number_formats,
        own_measurements,
        parallelism,
        parallelism_lab,
        plans,
        predicted_runs,
        published_speeds,
        quantization,
        quantization_lab,
        registries,
        training_memory,
        will_it_fit,
    )

    chapters = (
        number_formats,
        training_memory,
        bandwidth,
        measurement_lab,
        parallelism,
        parallelism_lab,
        quantization,
        quantization_lab,
        plans,
        predicted_runs,
        published_speeds,
        own_measurements,
        registries,
        will_it_fit,
    )
    return {path: data for chapter in chapters for path, data in chapter.render(records).items()}


def render_local(local: Mapping[str, Record], published: Mapping[str, Record]) -> dict[str, bytes]:
    """What only this machine's site shows, by path under docs/, from its records by experiment.

    That is the page "This machine", and this machine's rows of each table of measurements.
    """
    from scripts.render import local_tables, this_machine

    return this_machine.render(local, published) | local_tables.render(local)


def fingerprint() -> str:
    """SHA-256 over all that the rendered bytes depend on beside the records: code and libraries."""
    libraries = {name: importlib.metadata.version(name) for name in LIBRARIES}
    return key(code=Modules(ROOT).digest("scripts.render"), libraries=libraries)
