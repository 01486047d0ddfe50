"""The stylesheet of the site's formulas and its fonts: only the rules, and only the letters, in use."""

import base64
import hashlib
import html
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from scripts.core.cache import Cache
from scripts.site.typeset import ROOT, STORE, Typeset, base_rules

FONTS = ROOT / "third_party/mathjax/fonts/mathjax-newcm-font/chtml/woff2"
SELECTOR_PARTS = re.compile(r"mjx-[A-Za-z][\w-]*|NCM-[\w-]+|\[[a-z-]+(?:=\"[^\"]*\")?\]")
FACE = re.compile(r"@font-face.*?font-family: ([\w-]+);.*?url\(\"\./([\w.-]+)\"\)", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
OWN = """\
/* MathJax's rules for the formulas of this site, and New Computer Modern cut to their letters. */
div.arithmatex,
span.arithmatex > mjx-container {
  position: relative; /* around what only screen readers see */
}
mjx-part {
  display: inline-block;
  max-width: 100%;
  padding: 0.1em 0;
  line-height: 2;
  text-align: center;
}
mjx-part.statement {
  margin: 0 1em;
}
mjx-part > * {
  line-height: 0;
}
mjx-part > mjx-part {
  line-height: 2;
}
"""


def stylesheet(formulas: Sequence[Typeset], cache: Cache) -> dict[str, bytes]:
    """File name to contents: formulas.css and the fonts that it names."""
    rules: dict[str, None] = dict.fromkeys(base_rules(cache))
    styles: dict[str, None] = {}  # those of one element come last: they were its style attribute
    for formula in formulas:
        for rule in formula.rules:
            (styles if rule.startswith("mjx-container .") else rules).setdefault(rule)
    shown = _parts(formulas)
    kept = [rule for rule in rules if _applies(rule, shown)]
    families = set(re.findall(r"MJX-[\w-]+", "".join(r for r in kept if not FACE.match(r))))
    sheet, files = [OWN], {}
    letters = {ord(c) for f in formulas for c in html.unescape(TAG.sub("", f.markup))} | {0x20}
    for rule in kept:
        if not (face := FACE.match(rule)):
            sheet.append(rule)
        elif face[1] in families:
            files[face[2]] = _cut(FONTS / face[2], letters, cache)
            swap = "font-display: swap;\n}"
            sheet.append(
                re.sub(r"^@font-face .*?\{", "@font-face {", rule).rstrip("}") + "  " + swap
            )
    return {"formulas.css": "\n".join([*sheet, *sorted(styles)]).encode() + b"\n"} | files


def _parts(formulas: Iterable[Typeset]) -> set[str]:
    """The elements, classes and attributes that selectors can name, as selectors name them."""
    shown: set[str] = set()
    for formula in formulas:
        for tag, attributes in re.findall(r"<([\w-]+)((?:\s[\w-]+=\"[^\"]*\")*)", formula.markup):
            shown.add(tag)
            for name, value in re.findall(r"([\w-]+)=\"([^\"]*)\"", attributes):
                shown |= {f"[{name}]", f'[{name}="{value}"]'}
                shown |= set(value.split()) if name == "class" else set()
    return shown


def _applies(rule: str, shown: set[str]) -> bool:
    """Whether some element can match one of a rule's selectors."""
    if rule.startswith("@"):
        return rule.startswith("@font-face")
    selectors = rule.partition("{")[0].split(",")
    return any(set(SELECTOR_PARTS.findall(selector)) <= shown for selector in selectors)


def _cut(font: Path, letters: set[int], cache: Cache) -> bytes:
    """A font with only some letters. The same bytes for the same font and letters."""
    data = font.read_bytes()
    key = hashlib.sha256(data + repr(sorted(letters)).encode()).hexdigest()
    if not (known := cache.get(STORE, key)):
        known = base64.b64encode(_subset(data, letters)).decode()
        cache.put(STORE, key, known)
    return base64.b64decode(known)


def _subset(data: bytes, letters: set[int]) -> bytes:
    from fontTools import subset  # slow to import, and the check needs no font
    from fontTools.ttLib import TTFont

    opened = TTFont(io.BytesIO(data), recalcTimestamp=False)
    options = subset.Options(flavor="woff2", layout_features=[], notdef_outline=True)
    options.drop_tables.append("ltag")  # languages of names
    chosen = subset.Subsetter(options)
    chosen.populate(unicodes=letters)
    chosen.subset(opened)
    opened.flavor = "woff2"
    cut = io.BytesIO()
    opened.save(cut)
    return cut.getvalue()
