"""Mark every number whose origin is written down, and link it to its row in the ledger.

A page defines where a number comes from as a reference: `[ceiling]: #calc "decode_ceiling(...)"`.
Markdown turns `[209 tokens/s][ceiling]` into a link to `#calc` titled with the expression; this
extension turns that link into one to the ledger, which MkDocs then makes relative and checks.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

import snippets
from scripts.handbook.ledger import KINDS, LEDGER, anchor
from scripts.proof.namespace import names_of

LAB = re.compile(r"(\blabs/\w+)\.py\b")


class ProvenanceError(ValueError):
    """A link says what kind of origin its number has, but not which."""


def rests_on_memory(expression: str) -> bool:
    """Whether a citation is of a registry's figure that nobody has read in any document."""
    entry, _, field = expression.partition(":")[0].partition(" in ")[0].strip().rpartition(".")
    source = getattr(names_of(snippets).get(entry), "sources", {}).get(field)
    return source is not None and source.reading == "unread"


class ProvenanceTreeprocessor(Treeprocessor):
    """Turn each link to an origin into one to its row in the ledger."""

    def run(self, root: Element) -> None:
        """Change a page's tree in place; ProvenanceError for a link that names no origin."""
        for link in root.iter("a"):
            href = link.get("href", "")
            if href == "#formula":
                raise ProvenanceError(
                    f"{_text(link)!r} links to a formula. A #formula definition checks the math of "
                    "its page and is never linked; remove the link."
                )
            if href.startswith("#") and href[1:] in KINDS:
                _mark(link, href[1:])
            elif LAB.search(href):  # page_sources.py writes it to a page of Markdown
                link.set("href", LAB.sub(r"\1.md", href))


def _mark(link: Element, kind: str) -> None:
    expression = (link.get("title") or "").strip()
    if not expression:
        raise ProvenanceError(
            f"{_text(link)!r} links to #{kind} without saying where the number comes from. Write "
            f'its definition as [label]: #{kind} "expression".'
        )
    unread = " proven-unread" if kind == "cite" and rests_on_memory(expression) else ""
    link.set("class", f"proven proven-{kind}{unread}")
    link.set("href", f"{LEDGER}#{anchor(kind, expression)}")
    link.set("title", f"{KINDS[kind]}: {expression}")


def _text(element: Element) -> str:
    return "".join(element.itertext())


class ProvenanceExtension(Extension):
    """Numbers that show where they come from."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Register the processor."""
        # After the inline patterns (20) have made the links, before MkDocs resolves them (0).
        md.treeprocessors.register(ProvenanceTreeprocessor(md), "provenance", 15)


def makeExtension(**options: object) -> ProvenanceExtension:
    """What Markdown calls."""
    return ProvenanceExtension(**options)
