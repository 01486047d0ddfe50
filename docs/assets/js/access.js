// What the theme's script leaves unsaid to a keyboard or a screen reader, added to what it draws.

const FOCUSABLE = { tabindex: 0, role: "group", "aria-label": "Table" };

function setFocusable(table, wide) {
  for (const [name, value] of Object.entries(FOCUSABLE)) {
    if (wide) table.setAttribute(name, value);
    else if (table !== document.activeElement) table.removeAttribute(name);
  }
}

/** A table that is wider than the page is scrolled by keyboard: it has the focus. Others need not. */
const widths = new ResizeObserver((changes) => {
  // All are measured before any is changed: a browser would lay out the page again for each.
  const tables = changes.map(({ target }) => target.parentElement);
  const wide = tables.map((table) => table.scrollWidth > table.clientWidth);
  tables.forEach((table, index) => setFocusable(table, wide[index]));
});

/** What is far from the window is not measured: it may be wide, as every table is at first. */
document.addEventListener("contentvisibilityautostatechange", ({ target, skipped }) => {
  if (skipped && target.matches(".md-typeset__scrollwrap")) setFocusable(target, true);
});

const parts = {
  ".md-typeset__table": (table) => widths.observe(table),
};

function complete(root) {
  for (const [selector, add] of Object.entries(parts)) {
    if (root.matches(selector)) add(root);
    for (const part of root.querySelectorAll(selector)) add(part);
  }
}

new MutationObserver((changes) => {
  for (const { addedNodes } of changes) {
    for (const node of addedNodes) if (node instanceof Element) complete(node);
  }
}).observe(document.documentElement, { childList: true, subtree: true });
complete(document.body);
