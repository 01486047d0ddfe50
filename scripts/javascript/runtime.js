// Python's arithmetic: a BigInt is an int, a Number is a float. Each block below stands alone and is
// written into a module only when something in it is used.

export class ValueError extends Error {}

export class ZeroDivisionError extends Error {}

export class OverflowError extends Error {}

export class LookupError extends Error {}

export const $wrong = (what) => {
  throw new TypeError(what);
};

export const $number = (x) =>
  typeof x === "bigint" || typeof x === "number"
    ? x
    : typeof x === "boolean"
      ? BigInt(x)
      : $wrong(`not a number: ${x}`);

export const $float = (x) => {
  const value = Number($number(x));
  if (typeof x === "bigint" && !Number.isFinite(value))
    throw new OverflowError("int too large to convert to float");
  return value;
};

export const $int = (x) => (typeof x === "number" ? $wrong("not an int") : $number(x));

export const $numeric = (ints, floats = ints) => (a, b) => {
  a = $number(a);
  b = $number(b);
  return typeof a === "bigint" && typeof b === "bigint" ? ints(a, b) : floats($float(a), $float(b));
};

export const $addNumbers = $numeric((a, b) => a + b);

export const $add = (a, b) => {
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  return $addNumbers(a, b);
};

export const $append = (list, item) => {
  list.push(item);
  return null;
};

export const $increase = (a, b) => {
  if (!Array.isArray(a)) return $add(a, b);
  a.push(...b);
  return a;
};

export const $sub = $numeric((a, b) => a - b);

export const $multiply = $numeric((a, b) => a * b);

export const $mul = (a, b) =>
  Array.isArray(a)
    ? Array.from({ length: Math.max(Number($int(b)), 0) }, () => a).flat()
    : $multiply(a, b);

export const $div = (a, b) => {
  const [x, y] = [Number($number(a)), Number($number(b))];
  if (y === 0) throw new ZeroDivisionError("division by zero");
  const [whole, value] = [typeof a !== "number" && typeof b !== "number", x / y];
  if (whole && !Number.isFinite(value)) throw new OverflowError("integer division result too large");
  return value;
};

export const $mod = $numeric(
  (a, b) => {
    if (b === 0n) throw new ZeroDivisionError("integer modulo by zero");
    const rest = a % b;
    return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
  },
  (a, b) => {
    if (b === 0) throw new ZeroDivisionError("float modulo");
    const rest = a % b;
    if (rest === 0) return b < 0 ? -0 : 0;
    return rest < 0 !== b < 0 ? rest + b : rest;
  },
);

export const $floordiv = $numeric(
  (a, b) => {
    if (b === 0n) throw new ZeroDivisionError("integer division or modulo by zero");
    const quotient = a / b;
    return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
  },
  (a, b) => {
    if (b === 0) throw new ZeroDivisionError("float floor division by zero");
    const rest = a % b;
    const quotient = (a - rest) / b - Number(rest !== 0 && rest < 0 !== b < 0);
    if (quotient === 0) return a / b < 0 || Object.is(a / b, -0) ? -0 : 0;
    const whole = Math.floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
  },
);

export const $floatPower = (a, b) => {
  if (a === 0 && b < 0) throw new ZeroDivisionError("0.0 cannot be raised to a negative power");
  if (a < 0 && Number.isFinite(a) && Number.isFinite(b) && !Number.isInteger(b))
    $wrong("a complex number");
  if (a === 1 || b === 0) return 1;
  if (a === -1 && !Number.isFinite(b) && !Number.isNaN(b)) return 1;
  const value = a ** b;
  if (!Number.isFinite(value) && Number.isFinite(a) && Number.isFinite(b))
    throw new OverflowError("(34, 'Numerical result out of range')");
  return value;
};

export const $pow = $numeric(
  (a, b) => {
    if (b >= 0n) return a ** b;
    if (a === 0n) throw new ZeroDivisionError("0.0 cannot be raised to a negative power");
    return $floatPower($float(a), $float(b));
  },
  $floatPower,
);

export const $neg = (x) => -$number(x);

export const $shl = (a, b) => {
  a = $int(a);
  b = $int(b);
  if (b < 0n) throw new ValueError("negative shift count");
  return a << b;
};

export const $abs = (x) => ((x = $number(x)) < 0 ? -x : typeof x === "bigint" ? x : Math.abs(x));

export const $truth = (x) => {
  if (typeof x === "number") return x !== 0;
  if (Array.isArray(x) || typeof x === "string") return x.length > 0;
  if (x instanceof $Dict) return x.entries.size > 0;
  if (x === undefined) $wrong("a missing value");
  return Boolean(x);
};

export const $or = (a, b) => ($truth(a) ? a : b());

export const $and = (a, b) => ($truth(a) ? b() : a);

// Python's lists take NaN for equal to itself.
export const $same = (a, b) => Object.is(a, b) || $eq(a, b);

export const $eq = (a, b) => {
  if (a === b) return true;
  if (a === undefined || b === undefined) $wrong("a missing value");
  if (a === null || b === null || typeof a === "string" || typeof b === "string") return false;
  if (typeof a !== "object" && typeof b !== "object") return a == b;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((each, i) => $same(each, b[i]));
  if (a instanceof $Dict)
    return b instanceof $Dict && a.entries.size === b.entries.size
      && [...a].every((key) => b.has(key) && $eq(a.get(key), b.get(key)));
  return typeof b === "object" && a.constructor === b.constructor
    && Object.keys(a).every((key) => $eq(a[key], b[key]));
};

// Below zero, zero or above it as a is to b; NaN, which is neither, where a number is not one.
export const $compare = (a, b) => {
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : Number(a > b);
  if (Array.isArray(a) && Array.isArray(b)) {
    const differs = a.findIndex((each, i) => i < b.length && !$same(each, b[i]));
    return differs < 0 ? a.length - b.length : $compare(a[differs], b[differs]);
  }
  a = $number(a);
  b = $number(b);
  return a < b ? -1 : a > b ? 1 : a == b ? 0 : NaN;
};

export const $lt = (a, b) => $compare(a, b) < 0;

export const $le = (a, b) => $compare(a, b) <= 0;

export const $gt = (a, b) => $compare(a, b) > 0;

export const $ge = (a, b) => $compare(a, b) >= 0;

export const $in = (x, holder) => {
  if (holder instanceof $Dict) return holder.has(x);
  if (typeof holder === "string") return typeof x === "string" ? holder.includes(x) : $wrong("in");
  for (const each of holder) if ($same(each, x)) return true;
  return false;
};

export const $key = (x) => {
  if (typeof x === "boolean" || (typeof x === "number" && Number.isInteger(x))) return BigInt(x);
  if (Array.isArray(x)) return `( ${x.map((each) => `${typeof each} ${$key(each)}`)}`;
  if (x instanceof $Dict) $wrong("a dict as a key");
  return x && typeof x === "object" ? `${x.constructor.name}${$key(Object.values(x))}` : x;
};

export class $Dict {
  constructor(pairs = []) {
    this.entries = new Map();
    for (const [key, value] of pairs) this.set(key, value);
  }
  set(key, value) {
    const at = $key(key);
    this.entries.set(at, [this.entries.has(at) ? this.entries.get(at)[0] : key, value]);
  }
  has(key) {
    return this.entries.has($key(key));
  }
  get(key, otherwise = null) {
    const found = this.entries.get($key(key));
    return found ? found[1] : otherwise;
  }
  items() {
    return [...this.entries.values()];
  }
  keys() {
    return this.items().map(([key]) => key);
  }
  values() {
    return this.items().map(([, value]) => value);
  }
  [Symbol.iterator]() {
    return this.keys()[Symbol.iterator]();
  }
}

export const $merge = (a, b) =>
  a instanceof $Dict && b instanceof $Dict
    ? new $Dict([...a.items(), ...b.items()])
    : $wrong("| takes dicts");

export const $fromkeys = (keys, value = null) => new $Dict([...keys].map((key) => [key, value]));

export const $index = (list, at) => {
  const index = Number($int(at));
  const place = index < 0 ? index + list.length : index;
  if (!(place >= 0 && place < list.length)) throw new LookupError("list index out of range");
  return place;
};

export const $item = (holder, at) => {
  if (holder instanceof $Dict) {
    if (!holder.has(at)) throw new LookupError(String(at));
    return holder.get(at);
  }
  if (!Array.isArray(holder) && typeof holder !== "string") $wrong("cannot be indexed");
  return holder[$index(holder, at)];
};

export const $setitem = (holder, at, value) => {
  if (holder instanceof $Dict) holder.set(at, value);
  else holder[$index(holder, at)] = value;
};

export const $slice = (list, from, to) =>
  list.slice(from === null ? 0 : Number($int(from)), to === null ? undefined : Number($int(to)));

export const $unpack = (values, count) => {
  const list = [...values];
  if (list.length !== count)
    throw new ValueError(
      list.length < count
        ? `not enough values to unpack (expected ${count}, got ${list.length})`
        : `too many values to unpack (expected ${count})`,
    );
  return list;
};

export const $len = (x) =>
  BigInt(x instanceof $Dict ? x.entries.size : (x.length ?? $wrong("it has no length")));

export const $range = (start, stop, step = 1n) => {
  if (stop === undefined) [start, stop] = [0n, start];
  const [first, last, by] = [$int(start), $int(stop), $int(step)];
  if (by === 0n) throw new ValueError("range() arg 3 must not be zero");
  const all = [];
  for (let i = first; by > 0n ? i < last : i > last; i += by) all.push(i);
  return all;
};

export const $enumerate = function* (values) {
  let i = 0n;
  for (const each of values) yield [i++, each];
};

export const $reversed = (values) => [...values].reverse();

export const $sorted = (values) => [...values].sort((a, b) => $compare(a, b) || 0);

export const $sum = (values) => {
  let total = 0n;
  for (const each of values) total = $add(total, each);
  return total;
};

export const $any = (values) => {
  for (const each of values) if ($truth(each)) return true;
  return false;
};

export const $all = (values) => {
  for (const each of values) if (!$truth(each)) return false;
  return true;
};

export const $best = (name, better) => (values, { key = (x) => x, otherwise } = {}) => {
  let [best, rank] = [undefined, undefined];
  for (const each of values) {
    if (each === undefined) $wrong("a missing value");
    const its = key(each);
    if (best === undefined || better(its, rank)) [best, rank] = [each, its];
  }
  if (best !== undefined) return best;
  if (otherwise === undefined) throw new ValueError(`${name}() arg is an empty sequence`);
  return otherwise;
};

export const $min = $best("min", $lt);

export const $max = $best("max", $gt);

export const $round = (x) => {
  if (typeof x !== "number") return $number(x);
  if (Number.isNaN(x)) throw new ValueError("cannot convert float NaN to integer");
  if (!Number.isFinite(x)) throw new OverflowError("cannot convert float infinity to integer");
  const low = Math.floor(x);
  const above = x - low;
  return BigInt(above < 0.5 || (above === 0.5 && low % 2 === 0) ? low : low + 1);
};

export const $whole = (rounding) => (x) => (typeof x === "number" ? $round(rounding(x)) : $number(x));

export const $ceil = $whole(Math.ceil);

export const $floor = $whole(Math.floor);

export const $logarithm = (log, x) => {
  x = $number(x);
  if (!(x > 0) && !Number.isNaN(x)) throw new ValueError("math domain error");
  return log(Number(x));
};

export const $log2 = (x) => $logarithm(Math.log2, x);

export const $log10 = (x) => $logarithm(Math.log10, x);

export const $isfinite = (x) => Number.isFinite($float(x));

export const $copysign = (x, sign) => {
  const size = Math.abs($float(x));
  return $float(sign) < 0 || Object.is($float(sign), -0) ? -size : size;
};

// Near zero a series, further out a continued fraction; both to the last digits of a double.
export const $erf = (x) => {
  x = $float(x);
  const sign = Math.sign(x);
  const square = x * x;
  const bell = Math.exp(-square) / Math.sqrt(Math.PI);
  if (square < 2.25) {
    let sum = 0;
    for (let k = 25.5; k > 1; k--) sum = 2 + (square * sum) / k;
    return sum * bell * x;
  }
  if (square > 36) return sign;
  let rest = 0;
  for (let k = 50; k > 0; k--) rest = (k * (k - 0.5)) / (square + 2 * k + 0.5 - rest);
  return sign - (bell * x) / (square + 0.5 - rest);
};

export const $sqrt = (x) => {
  x = $float(x);
  if (x < 0) throw new ValueError("math domain error");
  return Math.sqrt(x);
};

export const $frexp = (x) => {
  x = $float(x);
  if (x === 0 || !Number.isFinite(x)) return [x, 0n];
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(x))) + 1);
  let mantissa = x * 2 ** -exponent;
  while (Math.abs(mantissa) < 0.5) [mantissa, exponent] = [mantissa * 2, exponent - 1];
  while (Math.abs(mantissa) >= 1) [mantissa, exponent] = [mantissa / 2, exponent + 1];
  return [mantissa, BigInt(exponent)];
};

export const $exponent = (digits, exponent) =>
  `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;

export const $decimal = (x) => {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x < 0 ? "-inf" : "inf";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [digits, exponent] = x.toExponential().split("e");
    return $exponent(digits, Number(exponent));
  }
  const written = Object.is(x, -0) ? "-0" : String(x);
  return written.includes(".") ? written : `${written}.0`;
};

export const $quote = (text) => {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const named = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", [mark]: `\\${mark}` };
  const hex = (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`;
  return mark + text.replace(/[\\\n\r\t'"\x00-\x1f\x7f]/g, (c) => named[c] ?? ("'\"".includes(c) ? c : hex(c))) + mark;
};

export const $repr = (x) => {
  if (typeof x === "number") return $decimal(x);
  if (typeof x === "bigint") return String(x);
  if (typeof x === "string") return $quote(x);
  if (typeof x === "boolean") return x ? "True" : "False";
  if (x === null) return "None";
  if (Array.isArray(x)) return `[${x.map($repr).join(", ")}]`;
  if (x instanceof $Dict)
    return `{${x.items().map(([key, value]) => `${$repr(key)}: ${$repr(value)}`).join(", ")}}`;
  return $wrong("it is not shown in messages");
};

export const $str = (x) => (typeof x === "string" ? x : x instanceof Error ? x.message : $repr(x));

export const $grouped = (x) => {
  x = $number(x);
  const [whole, ...rest] = $decimal(Number(x)).split(".");
  const text = typeof x === "bigint" ? String(x) : whole;
  const point = typeof x === "bigint" ? [] : rest;
  return [text.replace(/\B(?=(\d{3})+$)/g, ","), ...point].join(".");
};

export const $general = (x, precision = 6) => {
  x = $float(x);
  if (!Number.isFinite(x)) return $decimal(x);
  const last = Math.max(precision, 1) - 1;
  const [digits, exponent] = $rounded(x, last).split("e");
  const trim = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent < -4 || exponent > last) return $exponent(trim(digits), Number(exponent));
  return (Object.is(x, -0) ? "-" : "") + trim(Number(`${digits}e${exponent}`).toFixed(last - exponent));
};

// With so many digits after the first. Half-way between two, JavaScript takes the larger, Python the even one.
export const $rounded = (x, last) => {
  if (!Number.isFinite(x)) return $decimal(x);
  const [all, power] = x.toExponential(100).split("e");
  const point = all.indexOf(".");
  const tie = /^50*$/.test(all.slice(point + 1 + last)) && "02468".includes(all.slice(0, point + 1 + last).replace(".", "").at(-1));
  return (tie ? Number(`${all.slice(0, point + 1 + last)}e${power}`) : x).toExponential(last);
};

export const $fixed = (x, decimals) => {
  x = $float(x);
  if (!Number.isFinite(x)) return $decimal(x);
  const size = Math.abs(x);
  const all = size < 1e21 ? size.toFixed(100) : `${BigInt(size)}.${"0".repeat(100)}`;
  const kept = all.slice(0, all.length - 100 + decimals);
  const up = all.slice(kept.length);
  const digits = BigInt(kept.replace(".", ""));
  const even = digits % 2n === 0n && /^50*$/.test(up);
  const text = String(digits + BigInt(up[0] >= "5" && !even)).padStart(decimals + 1, "0");
  const cut = text.length - decimals;
  return (x < 0 || Object.is(x, -0) ? "-" : "") + text.slice(0, cut) + (decimals ? `.${text.slice(cut)}` : "");
};

// What an f-string makes of a value: [<>^][+][0][width][,][.digits][b d e f g %], as in Python.
export const $format = (x, spec) => {
  const [, align, sign, zero, width, comma, digits, kind] =
    /^([<>^]?)(\+?)(0?)(\d*)(,?)(?:\.(\d+))?([bdefg%]?)$/.exec(spec);
  const places = Number(digits ?? 6);
  const written = {
    "": () => (digits ? $wrong(spec) : $str(typeof x === "boolean" ? $int(x) : x)),
    b: () => $int(x).toString(2),
    d: () => String($int(x)),
    e: () => (Object.is(x, -0) ? "-" : "") + $rounded($float(x), places).replace(/e(.)(\d)$/, "e$10$2"),
    f: () => $fixed(x, places),
    g: () => $general(x, places),
    "%": () => `${$fixed($float(x) * 100, places)}%`,
  }[kind]();
  const grouped = comma ? written.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ",")) : written;
  const signed = sign && !grouped.startsWith("-") ? `+${grouped}` : grouped;
  const room = Number(width) - signed.length;
  if (!(room > 0)) return signed;
  if (zero) return signed.replace(/^[+-]?/, (head) => head + "0".repeat(room));
  const left = { "<": 0, ">": room, "^": Math.floor(room / 2) }[align || (typeof x === "string" ? "<" : ">")];
  return " ".repeat(left) + signed + " ".repeat(room - left);
};

export const $join = (between, parts) => [...parts].join(between);

export const $lower = (text) => text.toLowerCase();

export const $upper = (text) => text.toUpperCase();

export const $count = (list, x) => BigInt(list.filter((each) => $eq(each, x)).length);

export const $isa = (x, ...kinds) =>
  kinds.some((kind) =>
    kind === "int"
      ? typeof x === "bigint" || typeof x === "boolean"
      : kind === "float"
        ? typeof x === "number"
        : kind === "bool"
          ? typeof x === "boolean"
          : kind === "str"
            ? typeof x === "string"
            : kind === "list"
              ? Array.isArray(x)
              : x instanceof $Dict,
  );

export const $vars = (x) => new $Dict(Object.entries(x));

export const $getattr = (x, name) =>
  name in x ? x[name] : $wrong(`there is no attribute ${name}`);

export const $keywords = (dict) => Object.fromEntries(dict.items());

export const $replace = (x, changes) => new x.constructor({ ...x, ...changes });

export const $dataclass = (name, fields, defaults, frozen) => {
  const made = {
    [name]: class {
      constructor(given) {
        for (const key in given)
          if (!fields.includes(key)) $wrong(`${name} has no field ${key}`);
        for (const field of fields) {
          this[field] = given[field] === undefined ? defaults[field]?.() : given[field];
          if (this[field] === undefined) $wrong(`${name} needs ${field}`);
        }
        if (frozen) Object.freeze(this);
      }
    },
  };
  return made[name];
};

// JSON as Python reads it: a number with a point or an exponent is a float, and so is Infinity.
export const loads = (text) => {
  const beyond = { Infinity, "-Infinity": -Infinity, NaN };
  JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (each) => (each in beyond ? "0" : each)));
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]|[^\s,:[\]{}"]+/g);
  const next = () => tokens.next().value[0];
  const value = (token) => {
    if (token === "[" || token === "{") {
      const found = [];
      const end = token === "[" ? "]" : "}";
      for (let each = next(); each !== end; each = next())
        found.push(token === "[" ? value(each) : [JSON.parse(each), value(next())]);
      return token === "[" ? found : new $Dict(found);
    }
    if (token in beyond) return beyond[token];
    return /^-?\d+$/.test(token) ? BigInt(token) : JSON.parse(token);
  };
  return value(next());
};

export const $escaped = (text) =>
  JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

// What Python's json.dumps(value, indent=2) writes.
export const dumps = (value, inner = "\n") => {
  const deeper = `${inner}  `;
  const block = (open, items, close) =>
    items.length ? open + deeper + items.join(`,${deeper}`) + inner + close : open + close;
  if (Array.isArray(value)) return block("[", value.map((each) => dumps(each, deeper)), "]");
  if (value instanceof $Dict)
    return block(
      "{",
      value.items().map(([key, each]) => `${$escaped(key)}: ${dumps(each, deeper)}`),
      "}",
    );
  if (typeof value === "string") return $escaped(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number" && !Number.isFinite(value))
    return Number.isNaN(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
  return typeof value === "bigint" ? String(value) : $decimal(value);
};
