// Where a number comes from, told beside it: for a pointer, for the keyboard's focus, and for a first
// tap, which does not yet follow the link. Without this script the number's title says the short form.
const DELAY = 150; // milliseconds: what is only passed by says nothing, and the way to the note is open

const note = document.createElement("span");
note.className = "note";
note.id = "note";
note.popover = "manual";

let shown; // the link whose note is open
let title = "";
let timer;
let notes = {};

/** The page's notes by row of the ledger, asked for once. */
function load(page) {
  return (notes[page] ??= fetch(page)
    .then((answer) => (answer.ok ? answer.json() : {}))
    .catch(() => ({})));
}

/** Where the figures of what was chosen were read, and their rows of the ledger. */
async function sourced(page, figures) {
  const found = await Promise.all(
    figures.map(async (each) => {
      const [, entry, figure] = /^(.*)\.(\w+)$/.exec(each); // names of models hold dots
      const [row, ...lines] = (await load(new URL(`${page.split("/data/")[0]}/data/figures/${entry}.json`).href))[figure] ?? [];
      return row && { row, lines: lines.map((text) => (figures.length > 1 ? `${figure}: ${text}` : text)) };
    }),
  );
  return found.filter(Boolean);
}

const line = (text, name = "span") => {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
};

async function open(link) {
  clearTimeout(timer);
  if (shown === link) return;
  close();
  shown = link;
  title = link.title;
  link.title = ""; // the browser would say it too
  link.setAttribute("aria-describedby", note.id);
  const { note: followed, figures } = link.dataset; // what live.js says of a number that follows a choice
  const ledger = line(followed === undefined ? "See it in the ledger" : "See the figures and their sources", "a");
  ledger.href = link.href;
  note.replaceChildren(line(title, "b"), ledger);
  link.after(note);
  note.showPopover();
  place(link);
  reveal(link);
  const page = document.querySelector("link[rel=notes]")?.href;
  const known = followed?.split("\n") ?? (page && (await load(page))[link.hash.slice(1)]);
  const sources = followed === undefined ? [] : await sourced(page, figures.split(" ").filter(Boolean));
  if (shown !== link || !known) return;
  ledger.before(...known.map((text) => line(text)), ...sources.flatMap(({ lines }) => lines.map((text) => line(text))));
  if (sources.length) {
    // live.js leads to the page of all figures: the row of this one is known now
    ledger.href = link.href = `${new URL("../ledger/", link.href)}#${sources[0].row}`;
    ledger.textContent = "See it in the ledger";
  }
  place(link);
  reveal(link);
}

/** On a phone the passage moves up until its number stands above the note. */
function reveal(link) {
  const lowest = note.getBoundingClientRect().top - 24;
  const { bottom } = link.getBoundingClientRect();
  if (PHONE.matches && bottom > lowest) scrollBy({ top: bottom - lowest, behavior: "instant" });
}

function close() {
  clearTimeout(timer);
  if (!shown) return;
  if (note.contains(document.activeElement)) shown.focus({ preventScroll: true });
  if (!shown.title) shown.title = title;
  shown.removeAttribute("aria-describedby");
  shown = undefined;
  note.remove();
}

const PHONE = matchMedia("(max-width: 30em)");

/** Below the number, or above it where there is no room; never beyond the window. */
function place(link) {
  const [first] = link.getClientRects();
  if (PHONE.matches) {
    note.removeAttribute("style");
    return;
  }
  const { offsetWidth: width, offsetHeight: height } = note;
  const root = document.documentElement;
  const left = Math.max(8, Math.min(first.left, root.clientWidth - width - 8));
  const below = first.bottom + 6;
  note.style.left = `${left}px`;
  note.style.top = `${below + height < root.clientHeight ? below : Math.max(8, first.top - height - 6)}px`;
}

const proven = (event) => event.target.closest?.("a.proven");
const later = (what) => {
  clearTimeout(timer);
  timer = setTimeout(what, DELAY);
};

let touched = false;
addEventListener("pointerdown", (event) => (touched = event.pointerType === "touch"), true);
addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch") return;
  const link = proven(event);
  if (link) later(() => open(link));
  else if (note.contains(event.target)) clearTimeout(timer);
  else if (shown && shown !== document.activeElement) later(close);
});
addEventListener("focusin", (event) => {
  const link = proven(event);
  if (link && link.matches(":focus-visible") && !touched) open(link);
});
addEventListener("focusout", (event) => {
  if (shown && !touched && event.relatedTarget !== shown && !note.contains(event.relatedTarget)) close();
});
addEventListener(
  "click",
  (event) => {
    const link = proven(event);
    if (link && touched && shown !== link) {
      event.preventDefault();
      event.stopPropagation(); // instant navigation would follow it
      open(link);
    } else if (!note.contains(event.target)) close();
  },
  true,
);
addEventListener("keydown", (event) => event.key === "Escape" && close());
addEventListener("scroll", () => shown && place(shown), { capture: true, passive: true });
addEventListener("resize", close);
