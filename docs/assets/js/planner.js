// The planner page: a form for each plan, what it answers, and the plans in the page's address.
import { command, DEFAULTS, answer, json, nearby, readRegistries, Refusal } from "./plan.js";
import { findable } from "./find.js";
import { element, showAnswer } from "./planner-answer.js";

const FIRST = { model: "llama-3.1-8b" };
const OWN = "config";
const NAMES = { card: "gpu", model: "model" }; // in the header's choice, in a plan

const choice = document.querySelector("form.choice");

const choices = (entries, show) => [...entries].map(([slug, entry]) => [slug, show(entry, slug)]);

const USES = [["infer", "inference"], ["serve", "a service"], ["train", "training"]];
const SERVICE = { prompt: "2,000", answer: "500" }; // what a service begins with

/** What can be asked, in the order of the form; `for` says of which uses. */
function fields(known) {
  const yes = (name, label, use) => ({ name, label, for: use, kind: "tick" });
  const count = (name, label, use, hint = "") => ({ name, label, for: use, kind: "count", hint });
  const pick = (name, label, use, listed) => ({ name, label, for: use, kind: "choice", listed });
  const bytes = (state, slug) => `${slug}: ${state.name}`;
  return [
    pick("use", "Use", null, USES),
    { ...pick("model", "Model", null), like: "model", listed: [[OWN, "paste a configuration (config.json)"]] },
    { name: "config", label: "The contents of config.json", for: OWN, kind: "text" },
    { name: "name", label: "Its name", for: OWN, kind: "word", hint: "pasted" },
    { ...pick("gpu", "Card", null), like: "card", listed: [] },
    count("gpus", "GPUs", "infer train", "1, or as split"),
    count("pipeline", "Pipeline stages", "infer train"),
    count("context", "Tokens of a conversation or sequence", "infer train", "4096, or the model's"),
    count("prompt", "Tokens of a prompt", "serve"),
    count("answer", "Tokens of an answer", "serve"),
    count("rate", "Requests per second", "serve", "as many as one replica gives"),
    count("ttft", "First token within", "serve", "2s or 500ms"),
    count("tpot", "Each token after it within", "serve", "50ms"),
    count("price", "Price of one GPU for an hour", "serve", "2.50"),
    pick("format", "Format of the weights", "infer serve", choices(known.formats, (each) => each.name)),
    count("batch", "Conversations at once", "infer"),
    pick("cache", "Format of the cache", "infer", known.caches.map((name) => [name, name])),
    count("tensor", "Tensor split", "train"),
    count("data", "Copies, each with its own batch", "train", "1"),
    count("context-ranks", "Context split", "train"),
    count("micro-batch", "Sequences of a micro-batch", "train"),
    count("micro-batches", "Micro-batches of a step", "train", "as stages"),
    pick("zero", "ZeRO stage", "train", ["0", "1", "2", "3"].map((stage) => [stage, stage])),
    pick("bytes", "Bytes per parameter", "train", choices(known.states, bytes)),
    count("adapters", "Rank of adapters (0: none)", "train"),
    pick("frozen", "Weights beside adapters", "adapters", choices(known.frozen, (each) => each.name)),
    yes("recompute", "Recompute activations", "train"),
    yes("whole-states", "No sequence parallelism", "train"),
  ];
}

function control(field, id) {
  if (field.kind === "choice")
    return element(
      "select",
      { id },
      ...field.listed.map(([value, label]) => element("option", { value }, label)),
      ...(field.like ? [...choice.elements[field.like].querySelectorAll("optgroup")] : []).map((group) => group.cloneNode(true)),
    );
  if (field.kind === "text") return element("textarea", { id, rows: 6, spellcheck: "false" });
  if (field.kind === "tick") return element("input", { id, type: "checkbox" });
  const keyboard = field.kind === "count" ? { inputmode: "text", autocapitalize: "off" } : {};
  return element("input", { id, type: "text", autocomplete: "off", placeholder: field.hint || (DEFAULTS[field.name] ?? ""), ...keyboard });
}

/** What an address asks for stands in the form, also where there is no such choice. */
function select(input, value) {
  input.querySelector("[hidden]")?.remove();
  if (![...input.options].some((each) => each.value === value))
    input.append(element("option", { value, hidden: "" }, value));
  input.value = value;
}

/** One plan: its form and its answer. `changed` is called when the reader changes it. */
function planView(known, title, prefix, { changed, link }) {
  const controls = new Map();
  const rows = [];
  for (const field of fields(known)) {
    const input = control(field, `${prefix}-${field.name}`);
    if (field.like) findable(input);
    const label = element("label", { for: input.id }, field.label);
    if (field.kind === "tick") label.prepend(input);
    const wide = field.kind === "text" || field.name === "bytes" ? " wide" : "";
    const row = element("div", { class: `field ${field.kind}${wide}` }, label);
    if (field.kind !== "tick") row.append(input);
    controls.set(field.name, input);
    rows.push([field, row]);
  }
  const fieldOf = (input) => [...controls].find(([, each]) => each === input)?.[0];
  const fault = element("p", { class: "fault", id: `${prefix}-fault`, hidden: "" });
  const verdict = element("p", { class: "verdict", role: "status", "aria-live": "polite" });
  const output = element("div");
  const form = element(
    "form",
    {},
    element(
      "fieldset",
      {},
      element("legend", {}, title),
      element("div", { class: "fields" }, ...rows.map(([, row]) => row)),
    ),
  );
  const root = element("section", { "aria-label": title }, form, verdict, output);

  const isFor = (field) =>
    field.for === null || field.for.split(" ").includes(controls.get("use").value)
    || (field.for === "adapters" && isFor({ for: "train" }) && !/^0*$/.test(controls.get("adapters").value.trim()))
    || (field.for === OWN && controls.get("model").value === OWN);

  function read() {
    const asked = {};
    for (const [field] of rows) {
      const { value, checked } = controls.get(field.name);
      if (!isFor(field)) continue;
      if (field.kind === "tick") {
        if (checked) asked[field.name] = "";
      } else if (field.name === "use") {
        if (value !== "infer") asked[value] = "";
      } else if (field.name === "model") {
        if (value !== OWN) asked.model = value;
      } else if (value.trim() !== "" && value !== DEFAULTS[field.name]) asked[field.name] = value.trim();
    }
    if (controls.get("model").value === OWN) asked.config ??= "";
    return asked;
  }

  function write(asked) {
    for (const [field] of rows) {
      const input = controls.get(field.name);
      if (field.kind === "tick") input.checked = field.name in asked;
      else if (field.name === "use") input.value = USES.find(([use]) => use in asked)?.[0] ?? "infer";
      else if (field.name === "model") select(input, "config" in asked ? OWN : asked.model);
      else {
        const value = asked[field.name] ?? DEFAULTS[field.name] ?? "";
        if (field.kind === "choice") select(input, value);
        else input.value = value;
      }
    }
    compute(lost(asked));
  }

  /** What of an address the form does not hold: no such option, or not of this use. */
  function lost(asked) {
    const kept = read();
    const same = (name, value) => (kept[name] ?? DEFAULTS[name]) === value.replace(/\r\n?/g, "\n").trim();
    return Object.entries(asked).find(([name, value]) => !same(name, value));
  }

  /** What is wrong, at the field that says it: its own, or the one that the reader changed last. */
  function blame(error, changedLast, asked) {
    const name = error.field ?? changedLast;
    const found = rows.find(([field]) => field.name === name && isFor(field));
    fault.hidden = !found;
    if (!found) return;
    const input = controls.get(name);
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", fault.id);
    const others = nearby(asked, name, known).map((value) => {
      const button = element("button", { type: "button" }, `Take ${value}`);
      button.addEventListener("click", () => {
        input.value = value;
        input.focus();
        form.dispatchEvent(new Event("input"));
      });
      return button;
    });
    fault.replaceChildren(`${error.message} `, ...others);
    found[1].append(fault);
  }

  function unblame() {
    fault.hidden = true;
    for (const input of controls.values()) {
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
    }
  }

  function compute(stray, changedLast) {
    for (const [field, row] of rows) row.hidden = !isFor(field);
    const asked = read();
    unblame();
    try {
      if (stray)
        throw new Refusal(
          `The link says ${stray.join("=")}, which this plan cannot be asked. Change the form to plan without it.`,
        );
      if (asked.config === "") throw new Refusal("Paste the contents of a config.json above.", "config");
      const answered = answer(asked, known);
      const texts = { json: json(answered), command: command(asked) };
      verdict.className = "verdict";
      verdict.textContent = showAnswer(output, answered, texts, { asked, known, take, link });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      verdict.className = "verdict refused";
      verdict.textContent = error.message;
      output.replaceChildren();
      blame(error, changedLast, asked);
    }
  }

  function take(asked) {
    write(asked);
    changed();
    controls.get("model").focus();
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    if (target === controls.get("use") && target.value === "serve")
      for (const [name, value] of Object.entries(SERVICE)) controls.get(name).value ||= value;
    compute(undefined, fieldOf(target));
    changed();
  });
  return { root, read, write };
}

/** What a plan begins with where the address has none: the header's choice. */
function first() {
  const chosen = Object.entries(NAMES).map(([kind, name]) => [name, choice.elements[kind].value]);
  return { ...FIRST, ...Object.fromEntries(chosen.filter(([, slug]) => slug)) };
}

/** Not where only a place on the page is named. */
const isPlan = (hash) => hash.includes("=");

/** The plans of an address: `#model=...&gpu=...`, those of the second after `second.`. */
function plansOf(hash) {
  if (!isPlan(hash)) return [first()];
  const plans = [{}, {}];
  for (const [name, value] of new URLSearchParams(hash.slice(1))) {
    const second = name.startsWith("second.");
    plans[Number(second)][second ? name.slice(7) : name] = value;
  }
  const [one, two] = plans;
  const whole = (plan) => ("model" in plan || "config" in plan ? plan : { ...FIRST, ...plan });
  return Object.keys(two).length ? [whole(one), whole(two)] : [whole(one)];
}

function addressOf(plans) {
  const named = new URLSearchParams();
  plans.forEach((plan, index) => {
    for (const [name, value] of Object.entries(plan)) named.append(index ? `second.${name}` : name, value);
  });
  return `#${named}`;
}

/** Let the browser draw what is there, and take what the reader does. */
const pause = () => new Promise((done) => setTimeout(done));

async function start(root, known) {
  const views = [];
  const plans = element("div", { class: "plans" });
  const compare = element("button", { type: "button" });
  const link = () => new URL(addressOf(views.map((view) => view.read())), location.href).href;
  const changed = () => history.replaceState(history.state, "", link());

  function hold(count) {
    while (views.length > count) views.pop().root.remove();
    while (views.length < count) {
      const number = views.length;
      const view = planView(known, number ? "Second plan" : "Plan", number ? "second" : "first", { changed, link });
      views.push(view);
      plans.append(view.root);
    }
    compare.textContent = views.length > 1 ? "Remove the second plan" : "Compare with a second plan";
  }

  function show(all) {
    hold(all.length);
    views.forEach((view, index) => view.write(all[index]));
  }

  hold(plansOf(location.hash).length);
  await pause(); // nothing is listened to before there are plans to change
  compare.addEventListener("click", () => {
    const first = views[0].read();
    show(views.length > 1 ? [first] : [first, first]);
    changed();
  });
  addEventListener("hashchange", () => {
    if (isPlan(location.hash) || !location.hash) show(plansOf(location.hash));
  });
  // The first plan and the header's choice follow each other.
  choice.addEventListener("change", ({ target: { name: kind, value } }) => {
    const asked = views[0].read();
    const name = NAMES[kind];
    if (value && value !== (asked[name] ?? DEFAULTS[name])) {
      if (kind === "model") {
        delete asked.config;
        delete asked.name;
      }
      views[0].write({ ...asked, [name]: value });
    }
    changed(); // also where the header forgets: the plan stays, and the address says it
  });
  plans.addEventListener("change", ({ target: { id, value } }) => {
    const [kind] = Object.entries(NAMES).find(([, name]) => id === `first-${name}`) ?? [];
    if (!kind || value === OWN) return;
    choice.elements[kind].value = value;
    choice.elements[kind].dispatchEvent(new Event("change", { bubbles: true }));
  });
  root.replaceChildren(compare, plans);
  show(plansOf(location.hash));
  root.dataset.ready = "";
}

const asked = await fetch(new URL("../arithmetic/registries.json", import.meta.url));
const known = readRegistries(await asked.text());
await pause();
await start(document.querySelector("#plan"), known);
