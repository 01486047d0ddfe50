// The search: every section whose words begin with all that was typed, the likeliest first. The sections
// (scripts/site/search.py) are fetched once somebody reaches for the search.
const MOST = 30;
const AROUND = 110; // letters of a section's text that are shown around what was found
const WEIGHTS = [["chapters/", 3], ["planner/", 3], ["reference/glossary/", 2], ["labs/", 2], ["", 1]];

const form = document.querySelector("form.search");
const [input] = form.elements;
const results = form.querySelector(".results");
const top = new URL("../../", import.meta.url);

let sections;
const load = () =>
  (sections ??= fetch(new URL("assets/search.json", top))
    .then((answer) => answer.json())
    .then((all) =>
      all.map(([place, page, title, text]) => ({
        ...{ place, page, title, text },
        head: ` ${title} ${page}`.toLowerCase(),
        body: ` ${text}`.toLowerCase(),
        weight: WEIGHTS.find(([start]) => place.startsWith(start))[1],
      })),
    ));

const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** How likely a section is what was asked for; 0 where it lacks a word. */
function rank({ head, body, weight }, words, phrase) {
  let sum = 0;
  for (const word of words) {
    const said = body.split(word.begins).length - 1;
    const named = word.begins.test(head);
    if (!said && !named) return 0;
    sum += 8 * named + Math.log2(1 + said);
  }
  sum += words.length > 1 ? 20 * head.includes(phrase) + 10 * body.includes(phrase) : 0;
  return weight * sum;
}

function piece({ text }, every) {
  const at = Math.max(0, text.search(every) - AROUND / 2);
  const start = at && text.indexOf(" ", at) + 1;
  return (start ? "… " : "") + text.slice(start, start + 2 * AROUND);
}

function marked(tag, text, every) {
  const element = document.createElement(tag);
  const parts = text.split(every); // every second one is what was found
  element.append(
    ...parts.map((part, at) =>
      at % 2 ? Object.assign(document.createElement("mark"), { textContent: part }) : part,
    ),
  );
  return element;
}

async function search() {
  const asked = input.value.trim().toLowerCase();
  results.hidden = !asked;
  if (!asked) return;
  const all = await load();
  if (input.value.trim().toLowerCase() !== asked) return; // more was typed meanwhile
  const words = asked.split(/[\s,;:?!"“”()]+/).filter(Boolean)
    .map((word) => ({ begins: new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}`, "u"), word }));
  if (!words.length) return;
  const every = new RegExp(`((?<![\\p{L}\\p{N}])(?:${words.map(({ word }) => escaped(word)).join("|")}))`, "iu");
  const found = all
    .map((section) => [rank(section, words, asked), section])
    .filter(([likely]) => likely)
    .sort(([a], [b]) => b - a);
  const count = document.createElement("p");
  count.setAttribute("role", "status");
  count.textContent = found.length ? `${found.length} found` : "Nothing found";
  const links = found.slice(0, MOST).map(([, section]) => {
    const link = document.createElement("a");
    link.href = new URL(section.place, top);
    const title = section.title === section.page ? section.title : `${section.title} · ${section.page}`;
    link.append(marked("b", title, every), marked("span", piece(section, every), every));
    return link;
  });
  results.replaceChildren(count, ...links);
}

/** Arrows walk through what was found. */
function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") close();
  if (!step) return;
  event.preventDefault();
  const stops = [input, ...results.querySelectorAll("a")];
  stops.at((stops.indexOf(document.activeElement) + step) % stops.length)?.focus();
}

function close() {
  results.hidden = true;
}

input.addEventListener("focus", load);
input.addEventListener("input", search);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.click();
});
form.addEventListener("keydown", walk);
form.addEventListener("focusout", ({ relatedTarget }) => !form.contains(relatedTarget) && relatedTarget && close());
results.addEventListener("click", close);
addEventListener("pointerdown", ({ target }) => !form.contains(target) && close());
addEventListener("keydown", (event) => {
  if (!"/sf".includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.activeElement.matches("input, select, textarea")) return;
  event.preventDefault();
  input.focus();
});
