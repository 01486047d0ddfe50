// Reads cases, a line each; calls the translated functions; says where they differ from Python.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const translated = await import(pathToFileURL(process.argv[2]));
const shared = [];
const results = {};
const SPECIAL = { finf: Infinity, "f-inf": -Infinity, fnan: NaN };

function decode(x) {
  if (typeof x === "string")
    return x[0] === "i" ? BigInt(x.slice(1)) : x[0] === "s" ? x.slice(1) : SPECIAL[x];
  if (x === null || typeof x !== "object") return x;
  if (Array.isArray(x)) return x.map(decode);
  if ("shared" in x) return shared[x.shared];
  if ("dict" in x) return new translated.$Dict(decode(x.dict));
  return new translated[x.class](named(x.fields));
}

function named(x) {
  return Object.fromEntries(Object.entries(x).map(([name, value]) => [name, decode(value)]));
}

function same(expected, got) {
  if (typeof expected !== typeof got) return false;
  if (typeof expected === "number") {
    if (Object.is(expected, got) || expected === got) return true;
    return Math.abs(expected - got) <= 1e-12 * Math.max(Math.abs(expected), Math.abs(got));
  }
  if (expected === null || got === null || typeof expected !== "object") return expected === got;
  if (expected.constructor !== got.constructor) return false;
  if (expected instanceof translated.$Dict) return same(expected.items(), got.items());
  const names = Object.keys(expected);
  return names.length === Object.keys(got).length && names.every((n) => same(expected[n], got[n]));
}

const shown = (x) => JSON.stringify(x, (_, v) => (typeof v === "bigint" ? `${v}n` : v));

function run(one) {
  const counts = (results[one.function] ??= { compared: 0, refused: 0, differ: [] });
  const given = one.positional.map(decode);
  if (one.keywords) given.push(named(one.keywords));
  let got, refusal;
  try {
    got = translated[one.function](...given);
  } catch (error) {
    refusal = [error.constructor.name, error.message];
  }
  let good;
  if (one.refusal) {
    const [kind, message] = one.refusal;
    good = refusal && refusal[0] === kind && (kind !== "ValueError" || refusal[1] === message);
    counts.refused += 1;
  } else {
    good = !refusal && same(decode(one.value), got);
    counts.compared += 1;
  }
  if (!good && counts.differ.length < 3)
    counts.differ.push(shown({ one, javascript: refusal ?? got }).slice(0, 1500));
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.share) shared.push(decode(message.share));
  else run(message);
}
console.log(JSON.stringify(results));
