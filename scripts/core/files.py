"""Whoever reads or writes a file of the project does it here, with a path and the name to call it by.

Back comes its text, or BadInput that says what to do; what is written is never half-written.
"""

import csv
import os
import tempfile
from pathlib import Path

from scripts.core.faults import BadInput

UNFINISHED = ".unfinished"  # the ending of a file that is still being written


def read_text(path: Path, *, name: str | None = None) -> str:
    """The UTF-8 text of a file.

    Raises BadInput when the file is missing, unreadable or not UTF-8 (naming the line).
    """
    shown = name or str(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise BadInput(
            shown, 0, "no such file", "create it, or correct the name that refers to it"
        ) from None
    except OSError as error:
        raise BadInput(
            shown, 0, f"cannot be read: {error.strerror}", "check its permissions"
        ) from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(
            shown,
            line,
            f"not UTF-8: byte 0x{data[error.start]:02x} cannot be decoded",
            "save the file as UTF-8",
        ) from None


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file by its heads. Raises BadInput as `read_text` does."""
    return list(csv.DictReader(read_text(path).splitlines()))


def write_bytes(path: Path, data: bytes, *, name: str | None = None) -> None:
    """Write a file whole or not at all: to a temporary file beside it, then renamed over it.

    Raises BadInput when the disk is full or read-only; the old file is then as it was.
    """
    shown = name or str(path)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        descriptor, temporary = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name}.", suffix=UNFINISHED
        )
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except OSError as error:
        raise BadInput(
            shown,
            0,
            f"cannot be written: {error.strerror}",
            "free disk space or check permissions, then run the same command again; "
            "the old file is unchanged",
        ) from error
    finally:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)


def write_text(path: Path, text: str, *, name: str | None = None) -> None:
    """Write UTF-8 text whole or not at all (see write_bytes)."""
    write_bytes(path, text.encode("utf-8"), name=name)


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed process left half-written; the files themselves are whole."""
    for path in folder.rglob(f"*{UNFINISHED}"):
        path.unlink(missing_ok=True)
