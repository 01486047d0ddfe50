"""Values of a config.json, held to what they must be; what it leaves out, its model class says."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Configuration:
    """What a file gives, what its class takes where the file is silent, and what was asked so far.

    `asked` maps each key that was read to whether the file itself gives it.
    """

    kind: str
    given: dict[str, Any]
    defaults: dict[str, Any]
    asked: dict[str, bool] = field(default_factory=dict)


def value(config: Configuration, *keys: str) -> Any:
    """The first of the keys that the file gives, else that its class knows; None for none."""
    for key in keys:
        config.asked[key] = key in config.given
    for key in keys:
        if config.given.get(key) is not None:
            return config.given[key]
    if any(key in config.given for key in keys):
        return None
    known = [key for key in keys if config.defaults.get(key) is not None]
    return config.defaults[known[0]] if known else None


def given(config: Configuration, key: str) -> bool:
    """Whether the file itself says something for a key."""
    config.asked[key] = key in config.given
    return config.given.get(key) is not None


def whole(config: Configuration, *keys: str, default: int | None = None) -> int:
    """A whole number from 1 up."""
    found = value(config, *keys)
    if found is None:
        if default is None:
            raise ValueError(f"{' or '.join(keys)} is missing")
        return default
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise ValueError(f"{keys[0]} must be a whole number from 1 up, not {found!r}")
    return found


def whole_or_zero(config: Configuration, *keys: str) -> int:
    """A whole number from 1 up; 0 where it is absent, null or 0."""
    found = value(config, *keys)
    if found is None or (found == 0 and not isinstance(found, bool)):
        return 0
    return whole(config, *keys)


def flag(config: Configuration, *keys: str, default: bool = False) -> bool:
    """True or false."""
    found = value(config, *keys)
    if found is None:
        return default
    if not isinstance(found, bool):
        raise ValueError(f"{keys[0]} must be true or false, not {found!r}")
    return found


def listed(config: Configuration, *keys: str) -> list[Any]:
    """A list; empty where it is absent."""
    found = value(config, *keys)
    if found is None:
        return []
    if not isinstance(found, list):
        raise ValueError(f"{keys[0]} must be a list, not {found!r}")
    return found


def section(config: Configuration, *keys: str) -> dict[str, Any]:
    """An object of its own; empty where it is absent."""
    found = value(config, *keys)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ValueError(f"{keys[0]} must be an object, not {found!r}")
    return found


def each_layer(config: Configuration, layers: int, *keys: str) -> list[Any]:
    """A list with something of each layer; empty where it is absent."""
    found = listed(config, *keys)
    if found and len(found) < layers:
        raise ValueError(f"{keys[0]} must say something of each of the {layers} layers")
    return found[:layers]
