// Live passages: their numbers follow the card and the model that the reader chooses in the header,
// computed by the functions that scripts/javascript translated from the expressions behind them.
import { shown } from "./written.js";

const KINDS = ["card", "model"];
const UNKNOWN = "(not published)";
const IMPOSSIBLE = "(not computable)";

const form = document.querySelector("form.choice");
const passages = [...document.querySelectorAll("div.live")].map((root) => ({
  root,
  own: { ...root.dataset },
  numbers: [...root.querySelectorAll("a[data-written]")].map((link) => ({
    link,
    text: link.textContent,
    title: link.title,
    ...link.dataset,
  })),
  names: [...root.querySelectorAll("[data-name]")].map((name) => ({ name, text: name.textContent })),
}));

const option = (kind, slug) => [...form.elements[kind].options].find((each) => each.value === slug);
const objectName = ({ value, dataset }) => dataset.object ?? value.replace(/[-.]/g, "_");

let arithmetic;

/** The translated functions and the registries, asked for when first needed. */
async function load() {
  const [python, registries] = await Promise.all([
    import("../arithmetic/live.js"),
    fetch(new URL("../arithmetic/registries.json", import.meta.url)).then((answer) => answer.text()),
  ]);
  // Of the registries only the entry that is asked for is read: they are lists of flat objects.
  const entry = (made, registry) => (slug) => {
    if (!slug) return undefined;
    const start = registries.indexOf(`"${slug}":{`, registries.indexOf(`"${registry}":{`));
    const end = registries.indexOf("}", start) + 1;
    return new made(python.$keywords(python.loads(registries.slice(start + slug.length + 3, end))));
  };
  return {
    python,
    card: entry(python.Accelerator, "accelerators"),
    model: entry(python.Model, "models"),
  };
}

function computed(number, card, model, python) {
  let value;
  try {
    value = python[number.link.hash.slice(1).replace("-", "_")](card, model);
  } catch {
    return IMPOSSIBLE; // Python refuses it too
  }
  if (value === null) return UNKNOWN;
  return number.text.replace(number.written, () => shown(value, number.written, number.scale));
}

/** The name of what was chosen, with an article where the text has one. */
function named(text, { dataset, textContent }, ofLine) {
  const { short } = dataset;
  if (!short) return textContent + (ofLine && "experts" in dataset ? " (reading only the experts that it routes to)" : "");
  const article = /^an? /i.exec(text);
  if (!article) return short.replace(/^an? /, "");
  return article[0][0] === "A" ? short.replace("a", "A") : short;
}

function follow({ root, own, numbers, names }, choice, known) {
  const changed = KINDS.filter((kind) => own[kind] && choice[kind] && choice[kind] !== own[kind]);
  root.classList.toggle("chosen", changed.length > 0);
  const [card, model] = KINDS.map((kind) =>
    known?.[kind](changed.includes(kind) ? choice[kind] : own[kind]),
  );
  for (const number of numbers) {
    const title = changed.reduce((said, kind) => {
      const written = new RegExp(`\\b${objectName(option(kind, own[kind]))}\\b`, "g");
      return said.replace(written, objectName(option(kind, choice[kind])));
    }, number.title);
    const follows = title !== number.title;
    const text = follows ? computed(number, card, model, known.python) : number.text;
    number.link.textContent = text;
    number.link.title = title;
    number.link.classList.toggle("unknown", follows && (text === UNKNOWN || text === IMPOSSIBLE));
  }
  for (const { name, text } of names) {
    const kind = name.dataset.name;
    const line = name.parentElement.className === "assumed";
    name.textContent = changed.includes(kind) ? named(text, option(kind, choice[kind]), line) : text;
  }
}

let wanted = {};

/** Let every passage follow a choice, and the header, the address and the storage say it. */
async function choose(choice, began = performance.now()) {
  wanted = choice;
  const known = KINDS.some((kind) => choice[kind]) ? await (arithmetic ??= load()) : null;
  if (wanted !== choice) return; // the reader chose again while it was loading
  for (const passage of passages) follow(passage, choice, known);
  performance.measure("choice", { start: began });
  const address = new URL(location);
  for (const kind of KINDS) {
    form.elements[kind].value = choice[kind] ?? "";
    if (choice[kind]) address.searchParams.set(kind, choice[kind]);
    else address.searchParams.delete(kind);
  }
  if (address.href !== location.href) history.replaceState(history.state, "", address);
  __md_set("choice", choice);
  form.dataset.shown = KINDS.map((kind) => choice[kind] ?? "").join();
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
  return followed ? asked : only(__md_get("choice"));
}

function chosen() {
  const asked = only(Object.fromEntries(new FormData(form)));
  const names = Object.entries(asked).map(([kind, slug]) => option(kind, slug).textContent);
  form.querySelector("[role=status]").textContent = `Numbers for ${names.join(" and ") || "the text"}`;
  return asked;
}

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("change", () => choose(chosen()));
form.querySelector("button").addEventListener("click", () => {
  for (const kind of KINDS) form.elements[kind].value = "";
  choose(chosen());
});
for (const { root, own } of passages)
  root
    .querySelector(".assumed button")
    .addEventListener("click", () => form.elements[KINDS.find((kind) => own[kind])].focus());
addEventListener("pageshow", (event) => event.persisted && choose(only(__md_get("choice"))));
choose(remembered());
// A browser takes tens of milliseconds to write its first number: not those after the first choice.
(window.requestIdleCallback ?? setTimeout)(() => shown(1, "1"));
