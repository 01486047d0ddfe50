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
  adapters: "The rank of adapters",
};
const NOUNS = { frozen: "format", gpu: "card", cache: "cache format", bytes: "number of bytes per parameter" };
const MOST = 10n ** 12n; // of anything that is counted
const SCALES = { "": 1n, k: 1n << 10n, m: 1n << 20n };

/** A plan that cannot be; the message says what to change. */
export class Refusal extends Error {
  constructor(message) {
    super(message.replace(/(\S{40})\S{200,}/g, "$1…")); // what was typed, in short
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
    throw new Refusal(`Its name must be one that a folder can have, not ${name}.`);
  let config;
  try {
    config = python.loads(text);
  } catch (error) {
    throw new Refusal(`This is not JSON: ${error.message}`);
  }
  return python.model_from_config(config, { name });
}

/** A model of the registry. */
function read(entry) {
  return python.model_from_config(entry.get("config"), { name: entry.get("name") });
}

/** A whole number as the command reads it: 4096, 4,096, 1e6, 32k or 1m; 0 where none was asked. */
function count(asked, name) {
  const typed = (asked[name] ?? DEFAULTS[name] ?? "").trim();
  if (typed === "") return 0n;
  const [, whole, part = "", tens = "0", scale] =
    /^([+-]?(?:\d{1,3}(?:,\d{3})+|\d+))(?:\.(\d+))?(?:e(\d{1,2}))?\s*([km]?)$/.exec(typed.toLowerCase()) ?? [];
  if (!whole) throw new Refusal(`${WORDS[name]} is written like 4096, 4,096, 32k or 1e6, not ${typed}.`);
  const scaled = BigInt(whole.replace(/[+,]/g, "") + part) * 10n ** BigInt(tens) * SCALES[scale];
  const unit = 10n ** BigInt(part.length);
  if (scaled > MOST * unit) throw new Refusal("a number is too large for any plan");
  const least = ["zero", "adapters"].includes(name) ? 0n : 1n;
  if (scaled < least * unit || scaled % unit)
    throw new Refusal(`${WORDS[name]} must be a whole number from ${least} up, not ${typed}.`);
  return scaled / unit;
}

function chosen(asked, name, known) {
  const slug = asked[name] ?? DEFAULTS[name];
  if (!known.has(slug)) throw new Refusal(`There is no ${NOUNS[name] ?? name} called ${slug}.`);
  return known.get(slug);
}

/** The answer, as Python's dataclass; Refusal for a plan that cannot be. */
export function answer(asked, known) {
  try {
    const gpu = chosen(asked, "gpu", known.accelerators);
    const model = asked.config
      ? readConfig(asked.config, asked.name || "pasted")
      : read(chosen(asked, "model", known.models));
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
  return python.dumps(answered.to_json());
}

/** The command that gives the same answer, quoted for a shell. */
export function command(asked) {
  const words = ["scripts/plan.py"];
  if (asked.config) words.push(`--model=${asked.name || "pasted"}/config.json`);
  else words.push(asked.model);
  for (const [name, value] of Object.entries(asked)) {
    if (["model", "config", "name"].includes(name) || value === DEFAULTS[name]) continue;
    words.push(`--${name}`, ...(value === "" ? [] : [value]));
  }
  return words.map(quote).join(" ");
}

function quote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
