"""Six novels of Jane Austen (1811 to 1818), which are in the public domain.

The files in docs/data/embedded/text hold the lines of Debian's package r-cran-janeaustenr 1.0.0-1 (R's
janeaustenr by Julia Silge, MIT licence, from Project Gutenberg's texts), each ended by a line feed and
otherwise unchanged: title pages, chapter headings and line breaks included. To make them again:

    apt-get download r-cran-janeaustenr && dpkg -x r-cran-janeaustenr_*.deb unpacked
    python -m scripts.quantization.novels unpacked docs/data/embedded/text
"""

from __future__ import annotations

import gzip
import lzma
import struct
import sys
import zlib
from pathlib import Path

from scripts.core.faults import BadInput
from scripts.core.files import write_bytes

TEXTS = Path(__file__).parents[2] / "docs" / "data" / "embedded" / "text"
HELD_OUT = "persuasion"
TRAINED_ON = ("emma", "mansfieldpark", "northangerabbey", "prideprejudice", "sensesensibility")
IN_THE_PACKAGE = Path("usr/lib/R/site-library/janeaustenr/data")

# Type codes of R's serialisation (R Internals, section 1.8).
INTEGERS, STRING, STRINGS = 13, 9, 16
HEADER_BYTES = 14  # "X\n", three versions, the length of the name of the encoding


def novel(name: str, *, folder: Path = TEXTS) -> str:
    """The text of one novel. Raises BadInput when its file is missing or broken."""
    path = folder / f"{name}.txt.xz"
    try:
        return lzma.decompress(path.read_bytes()).decode("utf-8")
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise BadInput(
            path, 0, f"cannot be read: {error}", "restore the file as committed"
        ) from None


def extract(package: Path) -> dict[str, str]:
    """The texts in an unpacked r-cran-janeaustenr, by name."""
    data = package / IN_THE_PACKAGE
    index = gzip.decompress((data / "Rdata.rdx").read_bytes())
    store = (data / "Rdata.rdb").read_bytes()
    # The index lists (offset, length) of each data set, in alphabetical order of their names.
    marker = struct.pack(">II", INTEGERS, 2)
    places = [struct.unpack(">II", rest[:8]) for rest in index.split(marker)[1:]]
    texts = {}
    for name, (offset, length) in zip(sorted((*TRAINED_ON, HELD_OUT)), places, strict=True):
        lines = _strings(zlib.decompress(store[offset + 4 : offset + length]))
        texts[name] = "".join(f"{line}\n" for line in lines)
    return texts


def _strings(data: bytes) -> list[str]:
    (name_length,) = struct.unpack_from(">I", data, HEADER_BYTES)
    at = HEADER_BYTES + 4 + name_length
    kind, count = struct.unpack_from(">II", data, at)
    if kind & 0xFF != STRINGS:
        raise ValueError(f"expected a vector of strings, found type {kind & 0xFF}")
    at += 8
    lines = []
    for _ in range(count):
        kind, length = struct.unpack_from(">II", data, at)
        if kind & 0xFF != STRING:
            raise ValueError(f"expected a string, found type {kind & 0xFF}")
        lines.append(data[at + 8 : at + 8 + length].decode("utf-8"))
        at += 8 + length
    return lines


if __name__ == "__main__":
    for title, text in extract(Path(sys.argv[1])).items():
        compressed = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
        write_bytes(Path(sys.argv[2]) / f"{title}.txt.xz", compressed)
        print(f"{title}: {len(text.encode()):,} bytes, {len(compressed):,} compressed")
