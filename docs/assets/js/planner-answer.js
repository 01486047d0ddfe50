// What a plan's answer looks like: a bar of memory, its parts and their formulas, ceilings, assumptions.
import { taken } from "./plan.js";

const GIB = 2 ** 30;
const COLORS = 8;
const LETTER = 0.025; // of the bar, at its narrowest

const number = (digits) =>
  new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const bytes = number(0);
const inGib = (value) => number(2).format(value / GIB);
const gib = (value) => `${inGib(value)} GiB`;
const share = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const rate = (value) => (value < 1000 ? Number(value.toPrecision(3)).toString() : bytes.format(value));
const SECONDS = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]];
const words = (name) => name.replaceAll("_", " ");

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A rate with its unit; seconds below one in ms or µs. */
function inUnit(value, unit) {
  if (unit !== "s") return `${rate(value)} ${unit}`;
  const [scale, prefixed] = SECONDS.find(([least]) => value >= least) ?? SECONDS.at(-1);
  return `${rate(value / scale)} ${prefixed}`;
}

/** Fill `output`; the sentence that sums it up. `texts` are the JSON and the command. */
export function showAnswer(output, answered, texts, { asked, known, take, link }) {
  const parts = answered.memory.items().map(([name, value]) => [name, Number(value)]);
  const total = Number(answered.total);
  const available = Number(answered.available);
  const opened = [...output.querySelectorAll("details[open]")].map((each) => each.dataset.name);
  const kind = "train" in asked ? "training" : "inference";
  output.replaceChildren(
    bar(parts, total, available),
    element("p", { class: "bar-ends" }, element("span", {}, "0"), element("span", {}, gib(Math.max(total, available)))),
    partsTable(parts, total, available, known.formulas[kind]),
    ...nearest(answered, asked, take),
    ...speeds(answered, known),
    fold("assumptions", "Assumed", list(answered.assumptions)),
    ...commandAndJson(texts, link),
  );
  for (const name of opened) {
    const again = [...output.querySelectorAll("details")].find((each) => each.dataset.name === name);
    if (again) again.open = true;
  }
  const left = available - total;
  return left >= 0
    ? `It fits: ${gib(left)} of ${gib(available)} are left on each GPU.`
    : `It does not fit: ${gib(-left)} more than the ${gib(available)} of each GPU.`;
}

function bar(parts, total, available) {
  const scale = Math.max(total, available);
  const said = parts.map(([name, value]) => `${words(name)} ${gib(value)}`).join(", ");
  const made = element("div", { class: "bar", role: "img", "aria-label": `Memory of one GPU: ${said}` });
  const segment = (kind, text, value) => {
    const label = value / scale > LETTER * (text.length + 1) ? text : "";
    const part = element("span", { class: kind }, label);
    part.style.boxSizing = "border-box";
    part.style.width = `${(100 * value) / scale}%`;
    if (!label) part.style.paddingInline = "0";
    made.append(part);
  };
  parts.forEach(([name, value], index) => segment(`part-${index % COLORS}`, words(name), value));
  if (total < available) segment("free", `${gib(available - total)} left`, available - total);
  const end = element("span", { class: "end" });
  end.style.left = `${(100 * available) / scale}%`;
  if (total > available) made.append(end);
  return made;
}

function partsTable(parts, total, available, formulas) {
  const row = (head, value, part) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, head),
      element("td", {}, bytes.format(value)),
      element("td", {}, inGib(value)),
      element("td", {}, part),
    );
  const rows = parts.map(([name, value], index) => {
    const swatch = element("span", { class: `swatch part-${index % COLORS}` });
    const summary = element("summary", {}, swatch, words(name));
    const formula = element("pre", { tabindex: "0" }, formulas[name]);
    const details = element("details", { "data-name": name }, summary, formula);
    return row(details, value, share.format(value / total));
  });
  const heads = ["On each GPU", "bytes", "GiB", "share"];
  return element(
    "table",
    { class: "parts" },
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element(
      "tbody",
      {},
      ...rows,
      row("all parts", total, ""),
      row("memory of the card", available, ""),
      row(total > available ? "missing" : "left", Math.abs(available - total), ""),
    ),
  );
}

function nearest(answered, asked, take) {
  if (answered.fits) return [];
  if (answered.nearest === null) return [element("p", {}, "No plan within reach fits.")];
  const changes = answered.nearest.get("changes");
  const said = changes.items().map(([name, value]) => `${words(name)} ${value === true ? "yes" : value}`);
  const held = gib(Number(answered.nearest.get("total_bytes")));
  const button = element("button", { type: "button" }, "Take that plan");
  button.addEventListener("click", () => take(taken(asked, changes)));
  return [element("p", {}, `The nearest plan that fits: ${said.join(", ")} (${held}). `, button)];
}

function speeds(answered, known) {
  const rows = answered.speed.items().map(([name, value]) => {
    const [label, unit] = known.speeds.get(name);
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, label),
      element("td", {}, inUnit(Number(value), unit)),
    );
  });
  if (!rows.length) return [];
  const heads = ["At most", "value"].map((head) => element("th", { scope: "col" }, head));
  const head = element("thead", {}, element("tr", {}, ...heads));
  return [element("table", { class: "speeds" }, head, element("tbody", {}, ...rows))];
}

function commandAndJson(texts, link) {
  const shown = element("pre", { class: "json", tabindex: "0" }, texts.json);
  const line = element("pre", { class: "command", tabindex: "0" }, texts.command);
  const copy = element("button", { type: "button" }, "Copy the command");
  copy.addEventListener("click", () => navigator.clipboard.writeText(texts.command));
  const shared = element("button", { type: "button" }, "Copy the link to this plan");
  shared.addEventListener("click", () => navigator.clipboard.writeText(link()));
  const download = element("button", { type: "button" }, "Download as JSON");
  download.addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([`${texts.json}\n`], { type: "application/json" }));
    element("a", { href: url, download: "plan.json" }).click();
    URL.revokeObjectURL(url);
  });
  const copies = navigator.clipboard ? [copy, shared] : [];
  return [
    element("p", {}, "The same answer on the command line:"),
    line,
    element("p", {}, ...copies, download),
    fold("json", "The answer as JSON", shown),
  ];
}

function fold(name, title, content) {
  return element("details", { "data-name": name }, element("summary", {}, title), content);
}

function list(items) {
  return element("ul", {}, ...items.map((each) => element("li", {}, each)));
}
