// The scheme that the reader chose, or the system's, before anything is painted: so no module.
const root = document.documentElement;
root.classList.remove("no-js");
{
  const key = `${new URL("../../", document.currentScript.src).pathname}.scheme`;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const schemes = [
    ["", "◐", "Switch to the light scheme"],
    ["light", "○", "Switch to the dark scheme"],
    ["dark", "●", "Follow the system's scheme"],
  ];
  let at = 0;
  try {
    at = Math.max(0, schemes.findIndex(([name]) => name === localStorage.getItem(key)));
  } catch {} // storage is forbidden: a choice then holds for this page
  const show = () => {
    const [name, sign, label] = schemes[at];
    root.dataset.scheme = name || (system.matches ? "dark" : "light");
    const button = document.querySelector("button.scheme");
    if (button) Object.assign(button, { textContent: sign, title: label, ariaLabel: label });
  };
  show();
  system.addEventListener("change", show);
  document.addEventListener("DOMContentLoaded", show);
  document.addEventListener("click", ({ target }) => {
    if (!target.closest?.("button.scheme")) return;
    at = (at + 1) % schemes.length;
    show();
    try {
      localStorage.setItem(key, schemes[at][0]);
    } catch {}
  });
}
