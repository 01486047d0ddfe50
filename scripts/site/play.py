"""Sliders below the figures that are played (scripts/played), and guesses above the answers of exercises.

scripts/site/finish.py puts them into a page once its numbers have been judged. The sliders are hidden
without JavaScript, and so is the guess; the figure and the answer stay as they are.
"""

import html
import re
from types import ModuleType

from scripts.played import PLAYED, served
from scripts.played.sheet import Control

FIGURE = re.compile(
    r'(<figure class="exhibit)(">\s*<a [^>]*href="[^"]*figures/([\w-]+)\.svg".*?</a>)', re.DOTALL
)
ANSWER = re.compile(
    r"<details>(?=\s*<summary>Answer</summary>(?:(?!</details>).)*?"
    r"<strong>(<a class=\"proven [^>]*>(?:(?!</strong>).)*)</strong>)",
    re.DOTALL,
)
TAG = re.compile(r"<[^>]*>")
UNSEEN = (640, 260)  # pixels of a picture of which only the words are kept


def with_play(page: str) -> str:
    """A page whose figures can be played and whose answers can be guessed."""
    page = FIGURE.sub(_figure, page)
    return ANSWER.sub(_guess, page)


def needs_play(page: str) -> bool:
    """Whether a page holds something of this module."""
    return 'class="exhibit play"' in page or 'class="guess"' in page


def _figure(match: re.Match[str]) -> str:
    name = match[3]
    module: ModuleType | None = PLAYED.get(name)
    if module is None:
        return match[0]
    controls: list[Control] = module.CONTROLS
    follows: dict[str, str] = getattr(module, "FOLLOWS", {})
    held = [served.figures()[kind][slug] for kind, slug in follows.items()]
    said = module.draw(*UNSEEN, [each.start for each in controls], *held).said
    data = "".join(f' data-{kind}="{slug}"' for kind, slug in follows.items())
    sliders = "".join(_slider(name, each) for each in controls)
    return (
        f'{match[1]} play{match[2].replace(">", f""" data-play="{name}"{data}>""", 1)}'
        f'<div class="scene" hidden></div><form class="sliders">{sliders}'
        f'<button type="reset">Reset</button></form>'
        f'<p class="said" role="status">{html.escape(said)}</p>'
    )


def _slider(figure: str, control: Control) -> str:
    options, start = "|".join(control.options), control.options[control.start]
    return (
        f'<label>{control.label} <b>{start}</b><input type="range" '
        f'name="{figure}.{control.name}" max="{len(control.options) - 1}" value="{control.start}" '
        f'aria-valuetext="{start}" aria-label="{control.label}" data-options="{options}"></label>'
    )


def _guess(match: re.Match[str]) -> str:
    """What asks for a guess before an answer: for its first number in bold, in its unit."""
    number, _, unit = TAG.sub("", match[1]).replace("%", " %").partition(" ")
    return (
        f'<form class="guess" data-answer="{number.replace(",", "")}"><label>Guess first: '
        f'<input inputmode="decimal" autocomplete="off" size="7"> {unit}</label>'
        f"<button>Compare</button><output></output></form>{match[0]}"
    )
