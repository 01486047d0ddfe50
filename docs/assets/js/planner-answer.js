// What a plan's answer looks like: a bar of memory, its parts and their formulas, ceilings, assumptions.
import { taken } from "./plan.js";

const GIB = 2 ** 30;
const COLORS = 8;
const THIN = 0.05; // of the bar: what is thinner is drawn again, enlarged
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

const brief = (value) => Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 });
const plural = (count, noun, nouns = `${noun}s`) => `${count.toLocaleString("en")} ${count === 1 ? noun : nouns}`;

/** Fill `output`; the sentence that sums it up, to be said aloud. `texts` are the JSON and the command. */
export function showAnswer(output, answered, texts, context) {
  const opened = [...output.querySelectorAll("details[open]")].map((each) => each.dataset.name);
  const said = "serve" in context.asked ? showService(output, answered, texts, context) : showPlan(output, answered, texts, context);
  for (const name of opened) {
    const again = [...output.querySelectorAll("details")].find((each) => each.dataset.name === name);
    if (again) again.open = true;
  }
  return said;
}

/** What a service takes: cards, times with their intervals, rates. */
function showService(output, found, texts, { link }) {
  const held = (name) => found.get(name);
  const count = (name) => Number(held(name));
  const time = (value) => inUnit(value, "s");
  const row = (head, ...values) =>
    element("tr", {}, element("th", { scope: "row" }, head), ...values.map((value) => element("td", {}, value)));
  const spread = (head, name) => row(head, ...["predicted", "low", "high"].map((each) => time(held(name).get(each))));
  const alone = (head, value) => row(head, value, "", "");
  const heads = ["", "predicted", "nine in ten, from", "to"];
  const rows = [
    spread("time to first token", "ttft"),
    spread("time per output token", "tpot"),
    alone("requests per second", brief(held("requests_per_second"))),
    alone("output tokens per second", brief(held("tokens_per_second"))),
  ];
  const cost = found.items().find(([name]) => name === "cost_per_million_tokens");
  if (cost) rows.push(alone("cost of a million output tokens", brief(cost[1])));
  const room = `Each card holds ${inGib(Number(held("memory_bytes")))} of ${gib(Number(held("available_bytes")))}.`;
  const most = `At most ${plural(count("largest_batch"), "such request")} fit at once in a replica, or ${count("batch")} of ${count("longest_context").toLocaleString("en")} tokens.`;
  output.replaceChildren(
    element(
      "table",
      { class: "service" },
      element("thead", {}, element("tr", {}, ...heads.map((head) => element(head ? "th" : "td", head ? { scope: "col" } : {}, head)))),
      element("tbody", {}, ...rows),
    ),
    element("p", {}, `${room} ${most}`),
    fold("assumptions", "Assumed", list(held("assumptions"))),
    ...commandAndJson(texts, link),
  );
  const split = count("tensor") > 1 ? ` of ${count("tensor")} cards each` : "";
  return (
    `It takes ${plural(count("cards"), "card")}: ${plural(count("replicas"), "replica")}${split},` +
    ` ${plural(count("batch"), "request")} at once in each. The first token comes after about` +
    ` ${time(held("ttft").get("predicted"))}, then one every ${time(held("tpot").get("predicted"))}.`
  );
}

function showPlan(output, answered, texts, { asked, known, take, link }) {
  const parts = answered.memory.items().map(([name, value]) => [name, Number(value)]);
  const total = Number(answered.total);
  const available = Number(answered.available);
  const kind = "train" in asked ? "training" : "inference";
  output.replaceChildren(
    ...bars(parts, total, available),
    partsTable(parts, total, available, known.formulas[kind]),
    ...nearest(answered, asked, take),
    ...speeds(answered, known),
    fold("assumptions", "Assumed", list(answered.assumptions)),
    ...commandAndJson(texts, link),
  );
  for (const kind of ["pointerover", "pointerleave", "focusin"]) output.addEventListener(kind, light);
  const question = answered.question;
  const gpus = Number(question.get("gpus"));
  const where = `${gpus > 1 ? `each of ${plural(gpus, "card")}` : "one card"}, ${question.get("gpu")}`;
  const model = `${question.get("model")}${kind === "training" ? " in training" : ""}`;
  const [needed, held] = [total, available].map((value) => brief(value / GIB));
  if (total > available) return `It does not fit: ${model} takes ${needed} GiB of ${where}, which has ${held}.`;
  const size = `${model} takes ${needed} of the ${held} GiB of ${where}`;
  const [ceiling] = answered.speed.items().filter(([name]) => name === "bandwidth_over_weights");
  return `It fits: ${size}${ceiling ? `, and generates at most ${rate(ceiling[1])} tokens/s at batch size one` : ""}.`;
}

/** The bar of all parts, where the card ends, and below it the thin parts on a scale of their own. */
function bars(parts, total, available) {
  const scale = Math.max(total, available);
  const limit = element("span", {}, `the card has ${gib(available)}`);
  const over = total > available;
  const ends = element("p", { class: "bar-ends" }, element("span", {}, "0"), limit, ...(over ? [element("span", {}, gib(total))] : []));
  if (over) {
    limit.className = "limit";
    limit.style.left = `${(100 * available) / scale}%`;
    limit.classList.toggle("before", available > scale / 2);
  }
  const thin = parts.map(([name, value], index) => [name, value, index]).filter(([, value]) => value / scale < THIN && value > 0);
  const whole = bar(parts.map(([name, value], index) => [name, value, index]), total, available);
  if (thin.length < 2) return [whole, ends];
  const sum = thin.reduce((left, [, value]) => left + value, 0);
  return [whole, ends, element("p", { class: "zoomed" }, `its thin parts, ${gib(sum)}, enlarged`), bar(thin, sum, sum)];
}

/** What is pointed at or walked to in a bar or a row is lit in all of them. */
function light({ type, target, currentTarget }) {
  const part = type === "pointerleave" ? undefined : target.closest("[data-part]")?.dataset.part;
  for (const each of currentTarget.querySelectorAll("[data-part]")) each.classList.toggle("lit", each.dataset.part === part);
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
    return part;
  };
  for (const [name, value, index] of parts) {
    const part = segment(`part-${index % COLORS}`, words(name), value);
    part.dataset.part = name;
    part.title = `${words(name)}, ${gib(value)}`;
  }
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
    const made = row(details, value, share.format(value / total));
    made.dataset.part = name;
    return made;
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
