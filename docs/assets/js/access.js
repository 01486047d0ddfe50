// What the theme's script leaves unsaid to a keyboard or a screen reader, added to what it draws.

/** A table that is wider than the page is scrolled by keyboard too: it can have the focus. */
const widths = new ResizeObserver((tables) => {
  for (const { target } of tables) {
    const table = target.parentElement;
    const wide = table.scrollWidth > table.clientWidth;
    for (const [name, value] of Object.entries({ tabindex: 0, role: "group", "aria-label": "Table" })) {
      if (wide) table.setAttribute(name, value);
      else table.removeAttribute(name);
    }
  }
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
