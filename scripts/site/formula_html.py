"""Formulas of finished pages, typeset with MathJax, so that no page loads a math engine.

scripts/site/finish.py calls this with what pymdownx.arithmatex wrote: a formula becomes MathJax's
CommonHTML with MathML for screen readers, and a line of text for the search.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass

from scripts.core.cache import Cache
from scripts.core.faults import BadInput
from scripts.site.readable import readable
from scripts.site.stylesheet import stylesheet
from scripts.site.typeset import Formula, Typeset, typeset, unreadable

# As pymdownx.arithmatex writes them: \(...\) in a span, \[...\] in a div.
WRITTEN = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


@dataclass(frozen=True)
class Formulas:
    """The formulas of a site's pages, each as it is shown."""

    known: Mapping[Formula, Typeset]

    @classmethod
    def of(cls, pages: Mapping[str, str], cache: Cache) -> "Formulas":
        """Those of pages by name. Raises BadInput for one that TeX cannot read."""
        found = {name: [*map(_formula, WRITTEN.finditer(page))] for name, page in pages.items()}
        known = typeset([formula for each in found.values() for formula in each], cache)
        for name, formulas in found.items():
            for formula in formulas:
                if error := known[formula].error:
                    fault = unreadable(name, 0, formula, error)
                    raise BadInput(fault.path, fault.line, fault.message, fault.remedy)
        return cls(known)

    def shown(self, page: str) -> str:
        """A page with its formulas typeset."""
        return WRITTEN.sub(lambda match: _in_place(match, self.known[_formula(match)].markup), page)

    def told(self, page: str) -> str:
        """A page with each formula as a line of text."""

        def line(match: re.Match[str]) -> str:
            text = readable(self.known[_formula(match)].markup)
            return _in_place(match, html.escape(text, quote=False))

        return WRITTEN.sub(line, page)

    def files(self, cache: Cache) -> dict[str, bytes]:
        """The stylesheet and the fonts that they need."""
        return stylesheet(list(self.known.values()), cache)


def _formula(match: re.Match[str]) -> Formula:
    return html.unescape(match[3]).strip(), match[2] == "["


def _in_place(match: re.Match[str], inner: str) -> str:
    return f'<{match[1]} class="arithmatex">{inner}</{match[1]}>'
