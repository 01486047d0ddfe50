"""Rehearse a command of build.py: python -m tests.rehearsal rtx-3060 --only bandwidth --device cuda."""

import sys

from scripts import build
from tests.rehearsal.brief import brief
from tests.rehearsal.machines import MACHINES
from tests.rehearsal.stand_in import rehearsing

machine, *arguments = sys.argv[1:]
with rehearsing(MACHINES[machine]), brief():
    sys.exit(build.main(arguments))
