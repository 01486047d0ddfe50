// Numbers as the prose writes them; scripts/site/live_marks.py does the same in Python.

const formats = new Map(); // a browser takes long to make one

function format(decimals, useGrouping) {
  const key = `${decimals} ${useGrouping}`;
  if (!formats.has(key))
    formats.set(
      key,
      new Intl.NumberFormat("en-US", {
        minimumFractionDigits: decimals,
        maximumFractionDigits: decimals,
        useGrouping,
        roundingMode: "halfEven",
      }),
    );
  return formats.get(key);
}

// A thousand of one is one of the next.
const LADDERS = [
  ["thousand", "million", "billion", "trillion"],
  ["kB", "MB", "GB", "TB", "PB"],
  ["ns", "µs", "ms", "s"],
];

const digitsOf = (value, decimals) => {
  const digits = format(decimals, true).format(Math.abs(value).toFixed(40)); // as text, all its digits
  return value < 0 && /[1-9]/.test(digits) ? `−${digits}` : digits; // count: Python rounds the double itself
};

/** The text of a number with another value, as the prose would write it. */
export function shown(text, written, value, scale = 1) {
  const at = text.indexOf(written);
  const before = text.slice(0, at);
  let after = text.slice(at + written.length);
  if (typeof value === "bigint" && scale === 1) return before + value.toLocaleString("en-US").replace("-", "−") + after;
  value = Number(value);
  if (after === " times" && value > 0 && value < 0.1)
    return `${before}1/${digitsOf(Number((1 / value).toExponential(2)), 0)}${after}`;
  const unit = /[A-Za-zµ]+/.exec(after)?.[0];
  const ladder = LADDERS.find((each) => each.includes(unit));
  if (ladder) {
    let step = ladder.indexOf(unit);
    for (; step > 0 && value !== 0 && Math.abs(value / scale) < 0.95; step--) scale /= 1000;
    for (; step + 1 < ladder.length && Math.abs(value / scale) >= 9999.5; step++) scale *= 1000;
    after = after.replace(unit, ladder[step]);
  }
  const size = Math.abs(value / scale);
  let decimals = written.includes(".") ? written.length - written.indexOf(".") - 1 : 0;
  const most = 10 ** Math.max(3, written.replace(/\D/g, "").replace(/^0+/, "").length) - 0.5;
  while (decimals && size * 10 ** decimals >= most) decimals--;
  for (let left = size * 10 ** decimals; left > 0 && left < 9.5; left *= 10) decimals++;
  return before + digitsOf(value / scale, decimals) + after;
}
