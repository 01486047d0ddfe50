// From what a reader asks to the answer of scripts/plan.py: the same options, the same arithmetic,
// translated from the handbook's Python (scripts/javascript). A BigInt is an int, a Number a float.
import * as python from "../arithmetic/planner.js";

export const DEFAULTS = {
  gpu: "h100-sxm",
  format: "published",
  batch: "1",
  cache: "fp16",
  tensor: "1",
  pipeline: "1",
  "context-ranks": "1",
  "micro-batch": "1",
  zero: "0",
  bytes: "16",
  adapters: "0",
  frozen: "bf16",
};
const WORDS = {
  context: "The number of tokens",
  gpus: "The number of GPUs",
  batch: "The number of conversations",
  tensor: "The tensor split",
  pipeline: "The number of stages",
  data: "The number of copies",
  "context-ranks": "The context split",
  "micro-batch": "The micro-batch",
  "micro-batches": "The number of micro-batches",
  zero: "The ZeRO stage",
  prompt: "The tokens of a prompt",
  answer: "The tokens of an answer",
  rate: "The requests per second",
  ttft: "The time to the first token",
  tpot: "The time per output token",
  price: "The price of a card",
  adapters: "The rank of adapters",
};
const NOUNS = { frozen: "format", gpu: "card", cache: "cache format", bytes: "number of bytes per parameter" };
const MOST = 10n ** 12n; // of anything that is counted
const SCALES = { "": 1n, k: 1n << 10n, m: 1n << 20n };

/** A plan that cannot be; the message says what to change, and `field` where, if that is known. */
export class Refusal extends Error {
  constructor(message, field) {
    super(message.replace(/(\S{40})\S{200,}/g, "$1…")); // what was typed, in short
    this.field = field;
  }
}

/** Models (their name and configuration) and accelerators by slug, from the registries' JSON. */
export function readRegistries(text) {
  const held = python.loads(text);
  const entries = (name, made) =>
    new Map(held.get(name).items().map(([slug, figures]) => [slug, new made(python.$keywords(figures))]));
  return {
    models: new Map(held.get("models").items()),
    accelerators: entries("accelerators", python.Accelerator),
    formats: new Map(python.WEIGHT_FORMATS.items()),
    caches: python.CACHE_FORMATS.keys(),
    states: new Map(python.STATES.items()),
    frozen: new Map(python.FROZEN.items()),
    speeds: new Map(python.SPEEDS.items()),
    formulas: JSON.parse(text).formulas,
  };
}

/** A model from the text of a config.json. */
export function readConfig(text, name) {
  // The command calls a model as the folder is called that its config.json lies in.
  if (!/^[^/\0]{1,255}$/.test(name) || name === "." || name === "..")
    throw new Refusal(`Its name must be one that a folder can have, not ${name}.`, "name");
  let config;
  try {
    config = python.loads(text);
  } catch (error) {
    throw new Refusal(`This is not JSON: ${error.message}`, "config");
  }
  return python.model_from_config(config, { name });
}

/** A model of the registry. */
function read(entry) {
  return python.model_from_config(entry.get("config"), { name: entry.get("name") });
}

const WRITTEN = /^([+-]?(?:\d{1,3}(?:,\d{3})+|\d+))(?:\.(\d+))?(?:e(\d{1,2}))?\s*([km]?)$/;
const typedFor = (asked, name) => (asked[name] ?? DEFAULTS[name] ?? "").trim();

/** A whole number as the command reads it: 4096, 4,096, 1e6, 32k or 1m; 0 where none was asked. */
function count(asked, name) {
  const typed = typedFor(asked, name);
  if (typed === "") return 0n;
  const [, whole, part = "", tens = "0", scale] = WRITTEN.exec(typed.toLowerCase()) ?? [];
  if (!whole) throw new Refusal(`${WORDS[name]} is written like 4096, 4,096, 32k or 1e6, not ${typed}.`, name);
  const scaled = BigInt(whole.replace(/[+,]/g, "") + part) * 10n ** BigInt(tens) * SCALES[scale];
  const unit = 10n ** BigInt(part.length);
  if (scaled > MOST * unit) throw new Refusal("a number is too large for any plan", name);
  const least = ["zero", "adapters"].includes(name) ? 0n : 1n;
  if (scaled < least * unit || scaled % unit)
    throw new Refusal(`${WORDS[name]} must be a whole number from ${least} up, not ${typed}.`, name);
  return scaled / unit;
}

/** A positive number as the command reads it: 2, 0.5 or 1,000; a time may end in s or ms. 0 where none was asked. */
function positive(asked, name, { time = false } = {}) {
  const typed = typedFor(asked, name).toLowerCase();
  if (typed === "") return 0;
  const bare = time ? typed.replace(/m?s$/, "") : typed;
  const [, whole, part = "0", tens = "0", scale] = WRITTEN.exec(bare) ?? [];
  const number = whole && !scale ? Number(`${whole.replaceAll(",", "")}.${part}e${tens}`) : NaN;
  if (!(number > 0 && number <= Number(MOST)))
    throw new Refusal(`${WORDS[name]} is a positive number like 2, 0.5 or 1,000, not ${typed}.`, name);
  return number * (time && typed.endsWith("ms") ? 1e-3 : 1);
}

function chosen(asked, name, known) {
  const slug = asked[name] ?? DEFAULTS[name];
  if (!known.has(slug)) throw new Refusal(`There is no ${NOUNS[name] ?? name} called ${slug}.`, name);
  return known.get(slug);
}

/** What a service must keep; Python refuses what nothing keeps. */
function wish(asked, model, card, known) {
  for (const name of ["prompt", "answer"])
    if (typedFor(asked, name) === "") throw new Refusal(`${WORDS[name]} are missing, such as 1,000.`, name);
  return new python.Wish({
    model,
    card,
    weights: chosen(asked, "format", known.formats),
    prompt: count(asked, "prompt"),
    answer: count(asked, "answer"),
    rate: positive(asked, "rate"),
    ttft: positive(asked, "ttft", { time: true }),
    tpot: positive(asked, "tpot", { time: true }),
    price: positive(asked, "price"),
  });
}

/** The answer, as Python's dataclass, or dict for a service; Refusal for a plan that cannot be. */
export function answer(asked, known) {
  try {
    const gpu = chosen(asked, "gpu", known.accelerators);
    const model = asked.config
      ? readConfig(asked.config, asked.name || "pasted")
      : read(chosen(asked, "model", known.models));
    if ("serve" in asked) return python.answer_service(wish(asked, model, gpu, known));
    if ("train" in asked) {
      const plan = new python.TrainingPlan({
        model,
        state: chosen(asked, "bytes", known.states),
        tokens: count(asked, "context"),
        micro_batch: count(asked, "micro-batch"),
        micro_batches: count(asked, "micro-batches"),
        tensor: count(asked, "tensor"),
        pipeline: count(asked, "pipeline"),
        data: count(asked, "data"),
        context: count(asked, "context-ranks"),
        zero_stage: count(asked, "zero"),
        sequence_parallel: !("whole-states" in asked),
        recompute: "recompute" in asked,
        adapter_rank: count(asked, "adapters"),
        frozen: chosen(asked, "frozen", known.frozen),
      });
      return python.answer_training(python.settled_training(plan, { gpus: count(asked, "gpus") }), gpu);
    }
    const plan = new python.InferencePlan({
      model,
      weights: chosen(asked, "format", known.formats),
      tokens: count(asked, "context"),
      batch: count(asked, "batch"),
      pipeline: count(asked, "pipeline"),
    });
    const caches = new Map(known.caches.map((name) => [name, name]));
    const settled = { gpus: count(asked, "gpus"), cache: chosen(asked, "cache", caches) };
    return python.answer_inference(python.settled_inference(plan, settled), gpu);
  } catch (error) {
    if (error instanceof python.ValueError) throw new Refusal(error.message);
    if (error instanceof python.OverflowError)
      throw new Refusal("a number is too large for any plan");
    throw error;
  }
}

const REACH = 64n; // how far from what was asked another count is looked for

/** The nearest smaller and larger count that make a plan, where a count is at fault: 6 and 8 for 7. */
export function nearby(asked, name, known) {
  if (!(name in WORDS) || "serve" in asked) return [];
  let typed;
  try {
    typed = count(asked, name);
  } catch {
    return [];
  }
  const can = (value) => {
    try {
      answer({ ...asked, [name]: String(value) }, known);
      return value > 0n;
    } catch {
      return false;
    }
  };
  const found = [];
  for (const step of [-1n, 1n])
    for (let away = 1n; away <= REACH && typed + step * away > 0n; away++)
      if (can(typed + step * away)) {
        found.push(String(typed + step * away));
        break;
      }
  return found;
}

/** What was asked for, with the changes of the nearest plan. */
export function taken(asked, changes) {
  const changed = changes.items().map(([name, value]) => [
    name === "zero_stage" ? "zero" : name.replaceAll("_", "-"),
    value === true ? "" : String(value),
  ]);
  return { ...asked, ...Object.fromEntries(changed) };
}

/** What `scripts/plan.py --json` prints for it. */
export function json(answered) {
  return python.dumps(answered.to_json?.() ?? answered);
}

/** The command that gives the same answer, quoted for a shell. */
export function command(asked) {
  const words = ["scripts/plan.py", ...("serve" in asked ? ["serve"] : [])];
  if (asked.config) words.push(`--model=${asked.name || "pasted"}/config.json`);
  else words.push(asked.model);
  for (const [name, value] of Object.entries(asked)) {
    if (["model", "config", "name", "serve"].includes(name) || value === DEFAULTS[name]) continue;
    words.push(`--${name}`, ...(value === "" ? [] : [value]));
  }
  return words.map(quote).join(" ");
}

function quote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
