"""The one pass over a built site: what a page needs of all that was built, or of its own finished HTML.

`scripts/build.py` calls it once MkDocs or Zensical has written the pages, and the preview does too. It
typesets formulas, hands live passages their arithmetic, tells the search what there is, and writes into
each page its policy, its description, boxes around tables and buttons at programs.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from scripts.core.cache import Cache
from scripts.core.files import read_text
from scripts.site.changeable import with_changes
from scripts.site.choice import choice_form, live_expressions, module_path, modules
from scripts.site.columns import aligned
from scripts.site.exhibits import pixels
from scripts.site.formula_html import Formulas
from scripts.site.lead import leads
from scripts.site.minified import minified
from scripts.site.play import needs_play, with_play
from scripts.site.search import sections

POLICY = {
    "default-src": "'self'",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
}
ARTICLE = re.compile(r"<article>(.*?)</article>", re.DOTALL)
DRAWING = re.compile(r'<img ([^>]*src="([^"]*figures/)([\w-]+)\.svg"[^>]*)>')
TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
PROGRAM = re.compile(r"(<pre[^>]*>(?:<button.*?</button>)?)(?:<span></span>)?(<code>)")
# Names, signs and spaces of programs: a third of a chapter's elements, in the colour of the rest.
UNCOLOURED = re.compile(r'<span class="(?:n|o|p|w)">([^<]*)</span>')
TAG = re.compile(r"<[^>]*>")
PARAGRAPH = re.compile(r'<p(?! class="(?:lead|assumed)")[^>]*>(.*?)</p>', re.DOTALL)
SENTENCE = re.compile(r"(?<=[.?!]) ")
PLAN = 'id="plan"'  # on the planner's page
LONGEST = 160  # characters of a description that result lists show
VIEWPORT = '<meta name="viewport" content="width=device-width,initial-scale=1">'


def finish(site: Path, root: Path, cache: Cache, *, policy: Mapping[str, str] = POLICY) -> None:
    """Finish all pages of a site, in place. Raises BadInput for a formula or expression at fault."""
    files = {url_of(path, site): path for path in sorted(site.rglob("*.html"))}
    pages = {url: read_text(path) for url, path in files.items()}
    formulas = Formulas.of(pages, cache)
    live = {url: found for url, page in pages.items() if (found := live_expressions(page))}
    made: dict[str, bytes] = {f"assets/formulas/{n}": d for n, d in formulas.files(cache).items()}
    asked = {module_path(url): expressions for url, expressions in live.items()}
    made |= {path: text.encode() for path, text in modules(asked, root, cache).items()}
    told = [
        section
        for url, page in pages.items()
        if (article := ARTICLE.search(formulas.told(page))) and url != "404.html"
        for section in sections(url, article[1], root)
    ]
    made["assets/search.json"] = json.dumps(told, ensure_ascii=False).encode()
    lines = leads(pages, root)
    for url, page in pages.items():
        page = ARTICLE.sub(lambda match: f"<article>{_article(match[1])}</article>", page)
        page = _drawings(formulas.shown(page), site / "figures")
        if line := lines.get(url):
            page = page.replace("</h1>", f"</h1>\n{line}", 1)
        page = page.replace(VIEWPORT, VIEWPORT + _head(url, page, policy, url in live), 1)
        if url in live or PLAN in page:
            page = page.replace("</header>", f"{choice_form(_up(url))}</header>", 1)
        files[url].write_text(page, encoding="utf-8")
    for name, data in made.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_bytes(data)
    for script in [*site.glob("assets/js/*.js"), *site.glob("assets/arithmetic/**/*.js")]:
        script.write_text(minified(script.read_text("utf-8")), encoding="utf-8")


def url_of(path: Path, site: Path) -> str:
    """A page's address below the site: "" for the home page."""
    return path.relative_to(site).as_posix().removesuffix("index.html")


def _article(content: str) -> str:
    """Tables in boxes that scroll, and what is a program with a button that copies it."""
    content = UNCOLOURED.sub(r"\1", content)
    content = TABLE.sub(
        lambda table: (
            '<div class="wide" tabindex="0" role="group" aria-label="Table">'
            f"{aligned(table[0])}</div>"
        ),
        content,
    )
    content = with_play(with_changes(content))
    return PROGRAM.sub(r'\1<button class="copy" type="button">copy</button>\2', content)


def _drawings(content: str, figures: Path) -> str:
    """The same with images that are the narrow drawings on a phone (scripts/figures), at their size."""

    def both(found: re.Match[str]) -> str:
        narrow = read_text(figures / f"{found[3]}-narrow.svg")
        size = " ".join(f'{name}="{value}"' for name, value in pixels(narrow).items())
        source = (
            f'<source media="(max-width: 30em)" srcset="{found[2]}{found[3]}-narrow.svg" {size}>'
        )
        return f"<picture>{source}<img {found[1]}></picture>"

    return DRAWING.sub(both, content)


def _up(url: str) -> str:
    return "../" * url.count("/") or "./"


def _head(url: str, page: str, policy: Mapping[str, str], live: bool) -> str:
    up = _up(url)
    said = "; ".join(f"{name} {sources}" for name, sources in policy.items())
    lines = [f'<meta http-equiv="Content-Security-Policy" content="{said}">']
    if told := description(page):
        lines.append(f'<meta name="description" content="{told}">')
    if live or PLAN in page:
        lines.append(f'<script type="module" src="{up}assets/js/live.js"></script>')
    if PLAN in page:
        lines.append(f'<link rel="stylesheet" href="{up}assets/css/planner.css">')
        lines.append(f'<script type="module" src="{up}assets/js/planner.js"></script>')
    if 'class="edit"' in page:
        lines.append(f'<script type="module" src="{up}assets/js/programs.js"></script>')
    if needs_play(page):
        lines.append(f'<link rel="stylesheet" href="{up}assets/css/play.css">')
        lines.append(f'<script type="module" src="{up}assets/js/play.js"></script>')
    if live:
        lines.append(f'<link rel="arithmetic" href="{up}{module_path(url)}">')
    if 'class="proven ' in page:
        lines.append(f'<link rel="notes" href="{up}data/notes/{url.strip("/") or "index"}.json">')
    return "\n" + "\n".join(lines)


def description(page: str) -> str:
    """The first sentences of a page's first paragraph, as many as result lists show; "" without one."""
    article = ARTICLE.search(page)
    paragraph = PARAGRAPH.search(article[1]) if article else None
    text = " ".join(TAG.sub("", paragraph[1]).split()) if paragraph else ""
    said = ""
    for sentence in SENTENCE.split(text):
        if said and len(said) + 1 + len(sentence) > LONGEST:
            break
        said = f"{said} {sentence}".strip()
    return said.replace('"', "&quot;")
