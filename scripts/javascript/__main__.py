"""Translate: `python -m scripts.javascript FOLDER` writes what the site's pages load into FOLDER."""

import gzip
import sys
from pathlib import Path

from scripts.core.faults import BadInput
from scripts.core.files import write_text
from scripts.javascript.assets import assets


def main(folder: Path) -> int:
    """Write each file and print its size; 1 where something has no translation."""
    try:
        made = assets()
    except BadInput as error:
        print(error.fault, file=sys.stderr)
        return 1
    for name, text in made.items():
        write_text(folder / name, text)
        packed = len(gzip.compress(text.encode(), 9))
        print(f"{name}: {len(text.encode()):,} bytes, {packed:,} gzipped")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
