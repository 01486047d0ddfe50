"""The colours of all figures: one of each for a light page, which drawings hold, and one for a dark page.

Both contrast with their page, and with the text on them, by more than 4.5 to 1 (tests/figures). A drawing
says of each colour what it is in the dark (`in_the_dark`), and browsers choose by the scheme of the page.
"""

# From Okabe and Ito's palette, which colour-blind readers tell apart: darker for paper, lighter for the dark.
INK = "#5a6068"
BLUE = "#14659f"
VERMILLION = "#b23c00"
GREEN = "#00735a"
PURPLE = "#99407a"
ORANGE = "#8c6100"
SKY = "#2c7d8f"
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)

# Text on any of these colours, and the edges between them.
ON_COLOUR = "#fffffe"

DARK = {
    INK: "#a9b0ba",
    BLUE: "#4fa3e3",
    VERMILLION: "#f0773a",
    GREEN: "#2fbd90",
    PURPLE: "#dd93bc",
    ORANGE: "#f0b637",
    SKY: "#9fdcf5",
    ON_COLOUR: "#111111",
}


def in_the_dark(svg: bytes) -> bytes:
    """A drawing that also says its colours for a dark page, in a style sheet of its own."""
    text = svg.decode()
    rules = "".join(
        f'[style*="{what}: {light}"]{{{what}:{dark}!important}}'
        for light, dark in DARK.items()
        for what in ("fill", "stroke")
        if f"{what}: {light}" in text
    )
    sheet = f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>\n </defs>"
    return text.replace("</defs>", sheet, 1).encode()
