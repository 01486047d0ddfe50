// The search: sections that hold what was typed, the likeliest first. The sections (scripts/site/search.py)
// are fetched once somebody reaches for the search; `find` ranks them, and needs no page.
const MOST = 30;
const AROUND = 110; // letters of a section's text that are shown around what was found
// What explains stands before what lists, and a section before what only practises it or names its sources.
const WEIGHTS = [
  [/#(exercises|references)$/, 0.4],
  [/^(chapters|planner)\//, 3],
  [/^reference\/glossary\/#/, 2.5],
  [/^(labs|appendix|reference\/twenty-ways)\//, 1.5],
  [/^$/, 1.5],
  [/^reference\/functions\//, 0.6],
  [/^/, 1],
];
// Words of questions, which are no words of answers.
const UNASKED = new Set(
  "a an and are at be can do does for from get how i in is it many me much my need of on or should so that the to vs was what when where which why will with you your".split(" "),
);
const LETTER = "[\\p{L}\\p{N}]";

const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A word without the ending that it has in this sentence: "decoding", "decodes" and "decoded" begin alike. */
const stem = (word) => (/^\p{L}{5,}$/u.test(word) ? word.replace(/(?:ing|ed|es|s|e|y)$/, "") : word);

/** What finds a word: where it begins one, and where it is one. A number is whole: 209 is not 2,096. */
function asked(word) {
  const begins = `(?<!${LETTER}|\\d[.,])${escaped(stem(word))}`;
  const ends = /\d$/.test(word) ? `(?![.,]?\\d)` : "";
  return { begins: new RegExp(begins + ends, "giu"), whole: new RegExp(`${begins}(?:ing|ed|es|s|e|y)?(?!${LETTER})`, "iu") };
}

/** What was typed, in words that count. */
function wordsOf(typed) {
  const all = typed.toLowerCase().split(/[\s,;:?!"“”()/]+(?!\d)/).filter(Boolean);
  const telling = all.filter((word) => !UNASKED.has(word));
  return telling.length ? telling : all;
}

/** By what two ways of asking are the same. */
const key = (text) => wordsOf(text).map(stem).join(" ");

const count = (text, pattern) => text.match(pattern)?.length ?? 0;

/** Sections as read from the index, ready to be searched. */
export const sections = (index) =>
  index.map(([place, page, title, text, terms]) => ({
    ...{ place, page, title, text, terms },
    names: new Set([title, ...`${title}, ${terms}`.split(", ")].map(key)),
    weight: WEIGHTS.find(([kind]) => kind.test(place))[1],
  }));

/** The sections that hold the most of what was typed, the likeliest first; and what to mark in them. */
export function find(all, typed) {
  const words = wordsOf(typed).map(asked);
  if (!words.length) return { found: [] };
  const said = words.map(({ begins }) => all.map(({ text }) => count(text, begins)));
  const rare = said.map((counts) => Math.log(1 + all.length / (1 + counts.filter(Boolean).length)));
  const phrase = wordsOf(typed).map((word) => `${escaped(stem(word))}${LETTER}*`).join("[\\s-]+");
  const within = new RegExp(`(?<!${LETTER})${phrase}`, "iu");
  const name = key(typed);
  const rank = ({ page, title, text, terms, names, weight }, at) => {
    let held = 0;
    let sum = 0;
    words.forEach(({ begins, whole }, word) => {
      const named = 6 * whole.test(terms) + 5 * whole.test(title) + 2 * whole.test(page) + count(title, begins);
      const spoken = Math.log2(1 + said[word][at]) + whole.test(text);
      if (named || said[word][at]) held += rare[word];
      sum += rare[word] * (named + spoken);
    });
    if (!held) return 0;
    sum += 40 * names.has(name);
    if (words.length > 1) sum += 15 * (within.test(title) || within.test(terms)) + 6 * within.test(text);
    const share = held / rare.reduce((left, right) => left + right);
    return weight * sum * share ** 4;
  };
  const found = all
    .map((section, at) => [rank(section, at), section])
    .filter(([likely]) => likely)
    .sort(([a], [b]) => b - a);
  const [[best] = [0]] = found;
  const marks = words.map(({ begins }) => begins.source).join("|");
  return {
    found: found.filter(([likely]) => likely > best / 50).map(([, section]) => section),
    marks: new RegExp(`(${marks})`, "iu"),
  };
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

const top = new URL("../../", import.meta.url);
let fetched;
const load = () =>
  (fetched ??= fetch(new URL("assets/search.json", top)).then((answer) => answer.json()).then(sections));

/** A form of search on the page: what it finds stands below its field. */
function attach(form) {
  const [input] = form.elements;
  const results = form.querySelector(".results");

  async function search() {
    const typed = input.value.trim();
    results.hidden = !typed;
    if (!typed) return;
    const all = await load();
    if (input.value.trim() !== typed) return; // more was typed meanwhile
    const { found, marks } = find(all, typed);
    const told = document.createElement("p");
    told.setAttribute("role", "status");
    told.textContent = found.length ? `${found.length} found` : "Nothing found";
    const links = found.slice(0, MOST).map((section) => {
      const link = document.createElement("a");
      link.href = new URL(section.place, top);
      const title = section.title === section.page ? section.title : `${section.title} · ${section.page}`;
      link.append(marked("b", title, marks), marked("span", piece(section, marks), marks));
      return link;
    });
    results.replaceChildren(told, ...links);
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
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await search();
    results.querySelector("a")?.click();
  });
  form.addEventListener("keydown", walk);
  form.addEventListener("focusout", ({ relatedTarget }) => !form.contains(relatedTarget) && relatedTarget && close());
  results.addEventListener("click", close);
  addEventListener("pointerdown", ({ target }) => !form.contains(target) && close());
  if (!form.classList.contains("asks-address")) return;
  // On the page for what is not there: what its address names is looked for.
  const [last] = location.pathname.replace(/(index)?\.\w+$/, "").split("/").filter(Boolean).slice(-1);
  input.value = last?.replace(/[^\p{L}]+/gu, " ").trim() ?? "";
  search();
}

const forms = document.querySelectorAll("form.search");
forms.forEach(attach);
addEventListener("keydown", (event) => {
  if (!"/sf".includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.activeElement.matches("input, select, textarea")) return;
  event.preventDefault();
  forms[0].elements[0].focus();
});
