"""What the browser tests judge pages with: the packages of tests/browser/package.json.

`npm ci` puts them beside that file, once for each state of the lock file, with the Node and the npm that
pip installed. Later runs need no network.
"""

import subprocess
from pathlib import Path

from scripts.site.typeset import node

FOLDER = Path(__file__).parent / "browser"
MODULES = FOLDER / "node_modules"
LOCK = FOLDER / "package-lock.json"
INSTALLED = MODULES / ".installed"  # the lock file that they were installed by
NPM = node().parents[1] / "lib/node_modules/npm/bin/npm-cli.js"


def ready() -> bool:
    """Whether the packages of the present lock file are there."""
    return INSTALLED.is_file() and INSTALLED.read_bytes() == LOCK.read_bytes()


def install() -> None:
    """Fetch the packages if they are not there. Without a network they stay away."""
    if ready():
        return
    quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts")
    patience = ("--prefer-offline", "--fetch-retries=1", "--fetch-retry-mintimeout=1000")
    done = subprocess.run(
        [node(), NPM, "ci", *quiet, *patience], cwd=FOLDER, capture_output=True, check=False
    )
    if done.returncode == 0:
        INSTALLED.write_bytes(LOCK.read_bytes())
