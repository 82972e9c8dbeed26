// Numbers as the tool prints them elsewhere: three or four significant digits, the unit behind a space.

function significant(value, digits) {
  const before = Math.max(1, Math.floor(Math.log10(Math.abs(value) || 1)) + 1);
  return value.toFixed(Math.max(0, digits - before));
}

const format = {
  count: (value) => Math.round(value).toLocaleString("en-US"),
  time(ns) {
    const size = Math.abs(ns);
    if (size < 1e3) return Math.round(ns) + " ns";
    if (size < 1e6) return significant(ns / 1e3, 3) + " us";
    if (size < 1e9) return significant(ns / 1e6, 3) + " ms";
    return significant(ns / 1e9, 4) + " s";
  },
  bytes(bytes) {
    const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let value = bytes, unit = "B";
    for (let i = 0; i < units.length && value >= 1024; ++i) [value, unit] = [value / 1024, units[i]];
    return (unit === "B" ? Math.round(value) : significant(value, 3)) + " " + unit;
  },
  percent: (ratio) => (ratio === null ? "-" : (100 * ratio).toFixed(1) + " %"),
  /** A name that must fit a chart. */
  short: (text, length) => (text.length <= length ? text : text.slice(0, Math.ceil(length * 0.6)) + "…" + text.slice(-Math.floor(length * 0.3))),
  plural: (number, noun) => format.count(number) + " " + noun + (number === 1 ? "" : "s"),
};

/** Elements without markup: make("p", {class: "note"}, "text", child). Texts are always text. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== null) element.setAttribute(key, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
