// What Material for MkDocs writes into each page, in a file instead: a policy without inline scripts
// can hold. Its bundle calls these names; where the site is served from, the script's address says.
window.__md_scope = new URL("../../", document.currentScript.src);
window.__md_hash = (text) =>
  [...text].reduce((hash, letter) => (hash << 5) - hash + letter.charCodeAt(0), 0);
window.__md_get = (key, storage = localStorage, scope = __md_scope) =>
  JSON.parse(storage.getItem(`${scope.pathname}.${key}`));
window.__md_set = (key, value, storage = localStorage, scope = __md_scope) => {
  try {
    storage.setItem(`${scope.pathname}.${key}`, JSON.stringify(value));
  } catch {
    // Storage that is full or forbidden: the choice holds for this page only.
  }
};

// The scheme that the reader chose, before anything is painted.
{
  const palette = __md_get("__palette");
  if (palette?.color) {
    if (palette.color.media === "(prefers-color-scheme)") {
      const light = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
      const media = `(prefers-color-scheme: ${light})`;
      const { dataset } = document.querySelector(`[data-md-color-media='${media}']`);
      palette.color = {
        media,
        scheme: dataset.mdColorScheme,
        primary: dataset.mdColorPrimary,
        accent: dataset.mdColorAccent,
      };
    }
    for (const [key, value] of Object.entries(palette.color)) {
      document.body.setAttribute(`data-md-color-${key}`, value);
    }
  }
}
