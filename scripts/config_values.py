"""Values of a config.json, held to what they must be."""

from typing import Any

Config = dict[str, Any]


def whole(config: Config, *keys: str, default: int | None = None) -> int:
    """The first of the keys that is there, a whole number from 1 up."""
    for key in keys:
        value = config.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{key} must be a whole number from 1 up, not {value!r}")
        return value
    if default is None:
        raise ValueError(f"{' or '.join(keys)} is missing: is this a language model's config.json?")
    return default


def whole_or_zero(config: Config, key: str) -> int:
    """A whole number from 1 up; 0 where the key is absent, null or 0."""
    return whole(config, key) if config.get(key) else 0


def flag(config: Config, key: str, *, default: bool) -> bool:
    value = config.get(key, default)
    if not isinstance(value, bool):
        raise ValueError(f"{key} must be true or false, not {value!r}")
    return value
