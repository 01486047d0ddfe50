"""What the arithmetic says of published runs, beside what was reported.

scripts/predictions.py training                  # memory of the runs in docs/data/nanotron-runs.csv
scripts/predictions.py training --runs FILE      # of others, in the same columns
scripts/predictions.py calculators               # the same runs through other calculators
scripts/predictions.py serving                   # times of the runs in docs/data/serving-runs.csv
scripts/predictions.py serving --runs FILE --json  # of others, as JSON
scripts/predictions.py serving --fit             # what the constants would be, fitted anew
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from scripts.core.faults import BadInput  # noqa: E402
from scripts.predictions import (  # noqa: E402
    other_calculators,
    published_runs,
    serving_fit,
    serving_report,
    serving_runs,
    training_memory,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables that are asked for; 2 where the runs cannot be read."""
    title, _, usage = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=title, epilog=usage, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="WHAT")
    for name, show, meaning in (
        ("training", training_memory.show, "memory of training runs"),
        ("calculators", other_calculators.show, "other calculators over the same runs"),
    ):
        command = commands.add_parser(name, help=meaning, description=meaning)
        command.add_argument("--runs", type=Path, default=published_runs.RUNS, metavar="FILE")
        command.set_defaults(show=show, read=published_runs.read_runs)
    meaning = "times of serving runs"
    command = commands.add_parser("serving", help=meaning, description=meaning)
    command.add_argument("--runs", type=Path, default=serving_runs.RUNS, metavar="FILE")
    how = command.add_mutually_exclusive_group()
    for flag, show, meaning in (
        ("--json", serving_report.show_json, "print JSON"),
        ("--fit", serving_fit.show, "fit the constants anew, and print them"),
    ):
        how.add_argument(flag, dest="show", action="store_const", const=show, help=meaning)
    command.set_defaults(show=serving_report.show, read=serving_runs.read_runs)
    asked = parser.parse_args(arguments)
    try:
        asked.show(asked.read(asked.runs))
    except BadInput as error:
        print(f"predictions.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
