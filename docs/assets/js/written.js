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

/** A value as `written` is, with more decimals where fewer than two digits would be left. */
export function shown(value, written, scale = 1) {
  let decimals = written.includes(".") ? written.length - written.indexOf(".") - 1 : 0;
  const scaled = Number(value) / scale;
  const size = Math.abs(scaled);
  if (typeof value !== "bigint" || scale != 1) {
    let left = size;
    for (let i = 0; i < decimals; i++) left *= 10;
    for (; left > 0 && left < 9.5; left *= 10) decimals++;
  }
  const grouped = written.includes(",") || (decimals === 0 && size >= 9999.5);
  const digits = format(decimals, grouped).format(size.toFixed(40)); // as text, all its digits count:
  return scaled < 0 && /[1-9]/.test(digits) ? `−${digits}` : digits; // Python rounds the double itself
}
