"""Live passages on a finished page: the header's choice of a card and a model, and the page's arithmetic.

scripts/site/finish.py asks for both. The expressions are those that the page marks, so nothing else is
translated; that happens in a process of its own, so that the preview sees edits of Python.
"""

import html
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.core.cache import Cache
from scripts.core.faults import BadInput
from scripts.core.freshness import Modules, key
from scripts.handbook.ledger import KINDS, anchor
from scripts.handbook.live_checks import short_name
from scripts.javascript import live_numbers
from scripts.javascript.assets import FOLDER
from scripts.javascript.live_numbers import CARDS, MODELS
from scripts.proof.numbers import split_unit
from snippets.hardware import ACCELERATORS
from snippets.models import MODELS as MODELS_BY_SLUG

NUMBER = re.compile(r"<a\b[^>]* data-written=[^>]*>")
CARD_FAMILY = re.compile(r"\w+(?: [A-Za-z]{3,}\b)?")  # a maker, and a line of theirs
MODEL_FAMILY = re.compile(r"[A-Za-z]+")
TITLE = re.compile(r' title="([^"]*)"')


def choice_form(up: str) -> str:
    """The form: all cards and models by family, those of the text first. `up` leads to the site's top."""
    names = {slug: name for name, slug in CARDS.items()}
    cards = [
        (slug, card.name, names[slug], f' data-short="{html.escape(short_name(card.name))}"')
        for slug, card in ACCELERATORS.items()
    ]
    names = {slug: name for name, slug in MODELS.items()}
    models = [
        (slug, model.name, names[slug], " data-experts" if model.experts else "")
        for slug, model in MODELS_BY_SLUG.items()
    ]
    return (
        '<form class="choice" autocomplete="off" aria-label="Your card and model">'
        f"{_select('card', CARD_FAMILY, cards)}{_select('model', MODEL_FAMILY, models)}"
        '<button type="button">Reset</button>'
        f'<a class="paste" href="{up}planner/#config=">or paste a configuration</a>'
        '<p class="unseen" role="status"></p></form>'
    )


def _select(
    kind: str, family: re.Pattern[str], entries: Sequence[tuple[str, str, str, str]]
) -> str:
    """Its options in groups. Each says where its figures stand in the module of a page's live numbers."""
    groups: dict[str, list[str]] = {}
    for at, (slug, name, identifier, more) in enumerate(entries):
        if identifier != re.sub(r"[-.]", "_", slug):
            more = f' data-object="{identifier}"{more}'
        found = family.match(name)
        option = f'<option value="{slug}" data-at="{at}"{more}>{html.escape(name)}</option>'
        groups.setdefault(found[0] if found else name, []).append(option)
    alone = [option for options in groups.values() if len(options) == 1 for option in options]
    listed = [(name, options) for name, options in sorted(groups.items()) if len(options) > 1]
    groups_of = "".join(
        f'<optgroup label="{html.escape(name)}">{"".join(options)}</optgroup>'
        for name, options in [*listed, ("others", alone)]
    )
    return (
        f'<label for="choice-{kind}">Your {kind}</label>'
        f'<select id="choice-{kind}" name="{kind}">'
        f'<option value="">{kind} of the text</option>{groups_of}</select>'
    )


def module_path(url: str) -> str:
    """Where the module of a page's live numbers is written; `url` is the page's, below the site."""
    return f"{FOLDER}/{url.strip('/') or 'index'}.js"


def live_expressions(page: str) -> dict[str, str]:
    """The expressions of the live numbers of a page's HTML, by the names of their functions."""
    found = {}
    kinds = {word: kind for kind, word in KINDS.items()}
    for number in NUMBER.findall(page):
        title = TITLE.search(number)
        said, _, expression = html.unescape(title[1] if title else "").partition(": ")
        found[export(kinds[said], expression)] = split_unit(expression)[0]
    return found


def export(kind: str, expression: str) -> str:
    """The name of the function that computes a number: its row in the ledger, as an identifier."""
    return anchor(kind, expression).replace("-", "_")


def modules(expressions: dict[str, dict[str, str]], root: Path, cache: Cache) -> dict[str, str]:
    """The modules that compute them, by path. Raises BadInput for what has no translation."""
    asked = json.dumps(expressions, sort_keys=True)
    stamp = key(code=Modules(root, cache).digest(live_numbers.__name__), asked=asked)
    if not (known := cache.get("live", stamp)):
        done = subprocess.run(
            [sys.executable, "-m", live_numbers.__name__],
            cwd=root,
            input=asked,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise BadInput("scripts/javascript", 0, done.stderr.strip(), "correct what it names")
        known = json.loads(done.stdout)
        cache.put("live", stamp, known)
    return dict(known)
