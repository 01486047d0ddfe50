"""A pipeline's step as a chart of boxes, in the state in which the page's played figure starts."""

from scripts.figures.drawing import Figure, figure
from scripts.played.pipeline import (
    CONTROLS,
    MICRO_BATCHES,
    SCHEDULES,
    STAGES,
    draw,
    orders_of,
)
from scripts.played.sheet import as_svg
from snippets.pipeline_schedule import play

TITLE = "One step of a pipeline of four stages"
WIDTH, NARROW, HEIGHT = 768, 480, 250  # pixels


@figure("pipeline-step", TITLE, height=HEIGHT / 96)
def pipeline_step(sheet: Figure) -> None:
    """The boxes of each stage; their tasks as rows."""
    at = [control.start for control in CONTROLS]
    width = NARROW if sheet.narrow else WIDTH
    sheet.svg = as_svg(draw(width, HEIGHT, at), width, HEIGHT, TITLE)
    sheet.rows = [
        {
            "stage": timed.rank + 1,
            "task": timed.task.kind,
            "micro-batch": timed.task.micro_batch + 1,
            "start": timed.start,
            "end": timed.end,
        }
        for timed in play(orders_of(SCHEDULES[at[0]], STAGES[at[1]], MICRO_BATCHES[at[2]]))
    ]
