// From what a reader asks to the answer of scripts/plan.py: the same options, the same arithmetic,
// translated from the handbook's Python (scripts/javascript). A BigInt is an int, a Number a float.
import * as python from "../arithmetic/planner.js";

export const DEFAULTS = {
  gpu: "h100-sxm",
  format: "bf16",
  batch: "1",
  cache: "fp16",
  tensor: "1",
  pipeline: "1",
  "context-ranks": "1",
  "micro-batch": "1",
  zero: "0",
  bytes: "16",
};
const WORDS = {
  gpus: "The number of GPUs",
  batch: "The number of conversations",
  tensor: "The tensor split",
  pipeline: "The number of stages",
  data: "The number of copies",
  "context-ranks": "The context split",
  "micro-batch": "The micro-batch",
  "micro-batches": "The number of micro-batches",
  zero: "The ZeRO stage",
};
const NOUNS = { gpu: "card", cache: "cache format", bytes: "number of bytes per parameter" };
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

function whole(asked, name) {
  const typed = (asked[name] ?? DEFAULTS[name] ?? "").trim();
  if (typed === "") return null;
  if (!/^[+-]?\d+$/.test(typed)) throw new Refusal(`${WORDS[name]} must be a whole number, not ${typed}.`);
  const count = BigInt(typed.replace("+", ""));
  if (count < 1n && name !== "zero")
    throw new Refusal(`${WORDS[name]} must be a whole number from 1 up, not ${typed}.`);
  return count;
}

/** A number of tokens as the command reads it: 4096, 32k or 1m. */
function tokens(asked) {
  const typed = (asked.context ?? "").trim();
  if (typed === "") return null;
  const [, whole, part = "", scale] =
    /^([+-]?\d{1,18})(?:\.(\d{1,9}))?\s*([km]?)$/.exec(typed.toLowerCase()) ?? [];
  if (!whole) throw new Refusal(`a number of tokens is written like 4096, 32k or 1m, not '${typed}'`);
  const scaled = BigInt(whole.replace("+", "") + part) * SCALES[scale];
  const unit = 10n ** BigInt(part.length);
  if (scaled < unit || scaled % unit)
    throw new Refusal(`a number of tokens is a whole number from 1 up, not '${typed}'`);
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
    const gpus = whole(asked, "gpus");
    const model = asked.config
      ? readConfig(asked.config, asked.name || "pasted")
      : read(chosen(asked, "model", known.models));
    const context = tokens(asked);
    if ("train" in asked) {
      const plan = python.training_plan({
        model,
        state: chosen(asked, "bytes", known.states),
        context,
        gpus,
        tensor: whole(asked, "tensor"),
        pipeline: whole(asked, "pipeline"),
        data: whole(asked, "data"),
        context_ranks: whole(asked, "context-ranks"),
        micro_batch: whole(asked, "micro-batch"),
        micro_batches: whole(asked, "micro-batches"),
        zero_stage: whole(asked, "zero"),
        sequence_parallel: !("whole-states" in asked),
        recompute: "recompute" in asked,
      });
      return python.answer_training(plan, gpu);
    }
    const caches = new Map(python.CACHE_FORMATS.items());
    const plan = python.inference_plan({
      model,
      weights: chosen(asked, "format", known.formats),
      context,
      batch: whole(asked, "batch"),
      gpus,
      cache_element_bytes: chosen(asked, "cache", caches),
    });
    return python.answer_inference(plan, gpu);
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
