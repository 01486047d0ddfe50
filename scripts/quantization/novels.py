"""Six novels of Jane Austen (1811 to 1818), which are in the public domain.

The files in docs/data/embedded/text hold the lines of Debian's package r-cran-janeaustenr 1.0.0-1 (R's
janeaustenr by Julia Silge, MIT licence, from Project Gutenberg's texts), each ended by a line feed and
otherwise unchanged: title pages, chapter headings and line breaks included.
"""

from __future__ import annotations

import lzma
from pathlib import Path

from scripts.core.faults import BadInput

TEXTS = Path(__file__).parents[2] / "docs" / "data" / "embedded" / "text"
HELD_OUT = "persuasion"
TRAINED_ON = ("emma", "mansfieldpark", "northangerabbey", "prideprejudice", "sensesensibility")


def novel(name: str, *, folder: Path = TEXTS) -> str:
    """The text of one novel. Raises BadInput when its file is missing or broken."""
    path = folder / f"{name}.txt.xz"
    try:
        return lzma.decompress(path.read_bytes()).decode("utf-8")
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise BadInput(
            path, 0, f"cannot be read: {error}", "restore the file as committed"
        ) from None
