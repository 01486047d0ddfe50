"""A scheduler's steps: what each computes of prompts and of answers, with and without chunks."""

from typing import Any

from scripts.figures.drawing import Figure, figure
from scripts.figures.palette import BLUE, ORANGE
from scripts.records.record import Record

SHOWN = 80  # steps
TITLES = {"whole": "prompts whole", "chunked": "prompts in chunks"}


def _holds(record: Record) -> bool:
    return "timeline" in record.results


@figure("serving-timeline-{device}", "The first steps of a scheduler", where=_holds, height=4.6)
def timeline(sheet: Figure, record: Record) -> None:
    """Tokens of each step, stacked: those of answers below, those of prompts above."""
    above: Any = None
    for row, (name, title) in enumerate(TITLES.items(), 1):
        axes = sheet.axes(2, 1, row, sharex=above, sharey=above)
        above = above or axes
        found = record.results["timeline"][name]
        answers, prompts = (found[part][:SHOWN] for part in ("generated", "prompt_tokens"))
        steps = range(1, len(answers) + 1)
        axes.bar(steps, answers, width=1, color=BLUE, label="tokens of answers")
        axes.bar(steps, prompts, width=1, bottom=answers, color=ORANGE, label="tokens of prompts")
        axes.set_title(title)
        axes.set_ylabel("tokens in a step")
        axes.grid(visible=True, axis="y")
    axes.set_xlabel("step")
    axes.set_xlim(0, SHOWN + 1)
    sheet.legend(axes.containers[:2], 2)
