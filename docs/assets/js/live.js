// Live passages: their numbers follow the card and the model that the reader chooses in the header,
// computed by the functions that scripts/javascript translated from the expressions behind them.
import { shown } from "./written.js";

const KINDS = ["card", "model"];
const FIGURES = { card: "../hardware/", model: "../models/" }; // from the ledger: where they are cited
const LACKS = {
  unknown: "Left out: what needs a figure that nobody has published for this choice.",
  refused: "Left out: what does not exist for this choice.",
  short: "Left out: what would be left where this choice does not fit.",
};

const form = document.querySelector("form.choice");
const option = (kind, slug) => [...form.elements[kind].options].find((each) => each.value === slug);
const objectName = ({ value, dataset }) => dataset.object ?? value.replace(/[-.]/g, "_");

const KEPT = `${new URL("../../", import.meta.url).pathname}.choice`;

let choice; // the reader's last word

/** The live passages of the page, as they are written. */
const passages = [...document.querySelectorAll("div.live")].map((root) => ({
  root,
  own: { ...root.dataset },
  numbers: [...root.querySelectorAll("a[data-written]")].map((link) => ({
    link,
    text: link.textContent,
    title: link.title,
    href: link.href,
    row: link.hash.slice(1).replace("-", "_"),
    sentence: link.closest("[data-sentence]")?.dataset.sentence,
    ...link.dataset,
  })),
  names: [...root.querySelectorAll("[data-name]")].map((name) => ({ name, text: name.textContent })),
  sentences: [...root.querySelectorAll("[data-sentence]")],
}));
const examples = [...document.querySelectorAll(".example")];

/** The page's arithmetic; the browser keeps what it has fetched. */
const load = async () => import(document.querySelector("link[rel=arithmetic]").href);

/** What a choice will need, as soon as a reader reaches for one. */
async function prepare() {
  if (passages.length) load();
  const { findable } = await import("./find.js");
  for (const kind of KINDS) findable(form.elements[kind]);
}

/** A card's or a model's figures. */
const figures = (python, kind, slug) => slug && python[kind](Number(option(kind, slug).dataset.at));

function computed(compute, chosen) {
  try {
    return compute(...chosen);
  } catch {
    return undefined;
  }
}

/** Why a sentence with this value is not said; nothing where it is. */
function lack(value) {
  if (value === null) return "unknown"; // not published, or there is no such part
  if (value === undefined || Number.isNaN(value)) return "refused"; // Python refuses it too
  return value < 0 ? "short" : undefined;
}


const brief = (value) =>
  value.toLocaleString("en-US", { maximumSignificantDigits: typeof value === "bigint" ? 21 : 7 });

/** What a note says of a number that follows: the ledger's row is that of the written one. */
function told(expression, value, objects) {
  const names = [...new Set(expression.match(/\b[a-z]\w*\.[a-z]\w*/g))].filter((name) => name !== expression);
  const inputs = names.flatMap((name) => {
    const [object, figure] = name.split(".");
    const held = objects[object]?.[figure];
    return held == null ? [] : `${name} = ${brief(held)}`;
  });
  return [...inputs, `gives ${brief(value)}`].join("\n");
}

/** How many cards hold the weights, where one does not. */
function fit([card, model]) {
  const needed = card && model && Math.ceil(model.take / card.usable);
  return needed > 1 ? ` (the weights in FP16 need ${needed} of them)` : "";
}

/** The name of what was chosen, with an article where the text has one. */
function named(text, { dataset, textContent }, routed) {
  const { short } = dataset;
  if (!short) return textContent + (routed && "experts" in dataset ? " (reading only the experts that it routes to)" : "");
  const article = /^an? /i.exec(text);
  if (!article) return short.replace(/^an? /, "");
  return article[0][0] === "A" ? short.replace("a", "A") : short;
}

function follow({ root, own, numbers, names, sentences }, python) {
  const changed = KINDS.filter((kind) => own[kind] && choice[kind] && choice[kind] !== own[kind]);
  const held = KINDS.map((kind) => (changed.includes(kind) ? choice[kind] : own[kind]));
  const chosen = python ? KINDS.map((kind, at) => figures(python, kind, held[at])) : [];
  const slugs = KINDS.flatMap((kind, at) => (own[kind] ? [[held[at], objectName(option(kind, held[at])), chosen[at]]] : []));
  const objects = Object.fromEntries(slugs.map(([, object, figures]) => [object, figures]));
  const renamed = changed.map((kind) => [
    new RegExp(`\\b${objectName(option(kind, own[kind]))}\\b`, "g"),
    objectName(option(kind, choice[kind])),
    kind,
  ]);
  root.classList.toggle("chosen", changed.length > 0);
  const left = new Map(); // sentences that are not said, and why
  for (const { link, ...number } of numbers) {
    const title = renamed.reduce((said, names) => said.replace(...names), number.title);
    const [, , kind] = renamed.find(([object]) => number.title.search(object) >= 0) ?? [];
    const value = kind && computed(python[number.row], chosen);
    const lacking = kind && lack(value);
    if (lacking) left.set(number.sentence, lacking);
    link.textContent = kind && !lacking ? shown(number.text, number.written, value, Number(number.scale ?? 1)) : number.text;
    link.title = title;
    link.href = kind ? new URL(FIGURES[kind], number.href) : number.href;
    if (kind && !lacking) {
      const expression = title.replace(/^\w+: | in \S+$/g, "");
      link.dataset.note = told(expression, value, objects);
      link.dataset.figures = slugs
        .flatMap(([slug, object]) =>
          [...expression.matchAll(new RegExp(`\\b${object}\\.(\\w+)`, "g"))].map(([, figure]) => `${slug}.${figure}`),
        )
        .join(" ");
    } else {
      delete link.dataset.note;
      delete link.dataset.figures;
    }
  }
  for (const sentence of sentences) sentence.hidden = left.has(sentence.dataset.sentence);
  const lacks = root.querySelector(".lacks");
  lacks.hidden = left.size === 0;
  lacks.textContent = [...new Set(left.values())].map((why) => LACKS[why]).join(" ");
  root.querySelector(".fit").textContent = changed.length && chosen.every(Boolean) ? fit(chosen) : "";
  for (const { name, text } of names) {
    const kind = name.dataset.name;
    const routed = name.parentElement.className === "assumed" && "routed" in own;
    name.textContent = changed.includes(kind) ? named(text, option(kind, choice[kind]), routed) : text;
  }
}

/** Let every passage follow a choice, and the header, the address and the storage say it. */
async function choose(asked, began = performance.now()) {
  choice = asked;
  const needed = passages.length > 0 && KINDS.some((kind) => choice[kind]);
  const python = needed ? await load() : null;
  if (choice !== asked) return; // the reader chose again while it was loading
  for (const passage of passages) follow(passage, python);
  for (const { classList, dataset } of examples)
    classList.toggle("other", KINDS.some((kind) => dataset[kind] && choice[kind] && choice[kind] !== dataset[kind]));
  performance.measure("choice", { start: began });
  const address = new URL(location);
  for (const kind of KINDS) {
    form.elements[kind].value = choice[kind] ?? "";
    if (choice[kind]) address.searchParams.set(kind, choice[kind]);
    else address.searchParams.delete(kind);
  }
  if (address.href !== location.href) history.replaceState(history.state, "", address);
  try {
    localStorage.setItem(KEPT, JSON.stringify(choice));
  } catch {} // storage is full or forbidden: the choice holds for this page
  form.dataset.shown = KINDS.map((kind) => choice[kind] ?? "").join();
}

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

/** What names a card or a model that is known. */
const only = (asked) =>
  Object.fromEntries(
    KINDS.map((kind) => [kind, asked?.[kind]]).filter(([kind, slug]) => slug && option(kind, slug)),
  );

/** The choice of the address where it was followed, else the one that was kept. */
function remembered() {
  const [visit] = performance.getEntriesByType("navigation");
  const asked = only(Object.fromEntries(new URL(location).searchParams));
  const followed = visit?.type !== "back_forward" && Object.keys(asked).length > 0;
  return followed ? asked : only(kept());
}

function chosen() {
  const asked = only(Object.fromEntries(new FormData(form)));
  const names = Object.entries(asked).map(([kind, slug]) => option(kind, slug).textContent);
  form.querySelector("[role=status]").textContent = `Numbers for ${names.join(" and ") || "the text"}`;
  return asked;
}

for (const { root, own } of passages)
  root
    .querySelector(".assumed button")
    .addEventListener("click", () => form.elements[KINDS.find((kind) => own[kind])].focus());
form.addEventListener("submit", (event) => event.preventDefault());
for (const reach of ["focusin", "pointerenter", "touchstart"])
  form.addEventListener(reach, prepare, { passive: true, once: true });
form.addEventListener("change", () => choose(chosen()));
form.querySelector("button").addEventListener("click", () => {
  for (const kind of KINDS) form.elements[kind].value = "";
  form.dispatchEvent(new Event("change"));
});
addEventListener("pageshow", (event) => event.persisted && choose(only(kept())));
// A browser takes tens of milliseconds to write its first number: not those after the first choice.
(window.requestIdleCallback ?? setTimeout)(() => shown("1", "1", 1));
choose(remembered());
