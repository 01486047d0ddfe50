"""axe-core on a page that is open: in one scheme or both, on a desk and on a phone."""

from playwright.sync_api import Page, expect

from tests.browser.visits import DESK, PHONE
from tests.packages import MODULES

COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
RULES = {"light": {}, "dark": COLOURS}  # nothing else differs
ALIKE = 40  # rows of a table; those beyond are written by the same lines of code
EXAMINE = """async (rules) => {
  const { violations } = await axe.run(document, { ...rules, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}"""
SHORTEN = (
    "rows => document.querySelectorAll(`tbody tr:nth-child(n + ${rows})`).forEach(r => r.remove())"
)
# No colour on its way. A sheet of this kind is none that the page's policy stops.
STILL = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { transition: none !important; animation: none !important }");
  document.adoptedStyleSheets.push(sheet);
}"""


def examine(
    page: Page,
    *,
    views: tuple[dict[str, int], ...] = (DESK, PHONE),
    schemes: tuple[str, ...] = ("light", "dark"),
    rows: int = ALIKE,
) -> None:
    """Assert that nothing is wrong, with so many rows of each table at most."""
    page.evaluate(STILL)
    page.evaluate(SHORTEN, rows)
    page.evaluate((MODULES / "axe-core/axe.min.js").read_text("utf-8") + ";0")
    for view in views:
        page.set_viewport_size(view)
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            expect(page.locator("html")).to_have_attribute("data-scheme", scheme)
            assert page.evaluate(EXAMINE, RULES[scheme]) == [], f"{scheme}, {view}"
