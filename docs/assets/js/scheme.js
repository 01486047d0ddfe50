// What Material for MkDocs writes into each page, in a file instead: a policy without inline scripts
// can hold. Its bundle calls these names; where the site is served from, the script's address says.
window.__md_scope = new URL("../../", document.currentScript.src);
window.__md_hash = (text) =>
  [...text].reduce((hash, letter) => (hash << 5) - hash + letter.charCodeAt(0), 0);
// Storage may be full, forbidden, or hold what another program left: a choice then holds for this page.
window.__md_get = (key, storage, scope = __md_scope) => {
  try {
    return JSON.parse((storage ?? localStorage).getItem(`${scope.pathname}.${key}`));
  } catch {
    return null;
  }
};
window.__md_set = (key, value, storage, scope = __md_scope) => {
  try {
    (storage ?? localStorage).setItem(`${scope.pathname}.${key}`, JSON.stringify(value));
  } catch {}
};

// What the theme's bundle does late makes a browser style the whole page again, each time. It finds
// these done, or forbidden, before there is much to style.
const root = document.documentElement;
root.className = "js js-focus-visible";
{
  const { setAttribute } = document.body;
  document.body.setAttribute = function (name, value) {
    if (name === "data-md-color-switching") return; // only holds back a fade
    if (name === "data-md-color-scheme") root.style.colorScheme = value === "slate" ? "dark" : "light";
    setAttribute.call(this, name, value);
  };
  const { appendChild } = document.head;
  document.head.appendChild = function (node) {
    return node.name === "color-scheme" ? node : appendChild.call(this, node); // said above
  };
}

// The scheme that the reader chose, or the system's, before anything is painted.
{
  const color = __md_get("__palette")?.color ?? { media: "(prefers-color-scheme)" };
  if (color.media === "(prefers-color-scheme)") {
    const light = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
    const { dataset } = document.querySelector(`[data-md-color-media='(prefers-color-scheme: ${light})']`);
    Object.assign(color, {
      scheme: dataset.mdColorScheme,
      primary: dataset.mdColorPrimary,
      accent: dataset.mdColorAccent,
    });
  }
  for (const [key, value] of Object.entries(color)) {
    document.body.setAttribute(`data-md-color-${key}`, value);
  }
}
