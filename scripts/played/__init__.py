"""Figures that a reader plays with: what a page's sliders ask of them, drawn and said in Python.

`PLAYED` has each module by the name of the figure in whose place it is played: `ruler` in that of
docs/figures/ruler.svg. Its `CONTROLS` are the sliders below the figure. Its `draw(width, height, at)` is a
`Picture` for their positions `at`; where `FOLLOWS` names "card" and "model", also for the figures, as
`FIGURES` has them, of those that the header's choice names. Its `drag(width, x)`, if there is one, is the
position of the last slider for a place that is dragged to. scripts/javascript translates all of it, and
docs/assets/js/play.js calls it; nothing is computed there.
"""

from scripts.played import pipeline, roofline, ruler

PLAYED = {"pipeline-step": pipeline, "ruler": ruler, "serving-roofline": roofline}
