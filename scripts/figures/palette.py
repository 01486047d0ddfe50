"""The colours of all figures, legible on a light and on a dark page."""

# The grey that contrasts equally (4:1) with white and with the dark page's background.
INK = "#7e7e7e"

# From Okabe and Ito's palette, which colour-blind readers tell apart; the blue a little lighter, to
# be read on a dark page too.
BLUE = "#2586c5"
VERMILLION = "#d55e00"
GREEN = "#009e73"
PURPLE = "#cc79a7"
ORANGE = "#e69f00"
SKY = "#56b4e9"
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)

# Text on any of these colours, in either scheme.
ON_COLOUR = "#111111"
