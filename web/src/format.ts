// Numbers and other values as text for people. Values come in base units; the
// exact one is shown beside the scaled one by whoever has room for it.

import { metricTitle } from "./meaning.ts";
import type { Cell, Imbalance } from "./report.ts";

export const dash = "–";

// Four significant digits, no exponent where it can be helped.
export function digits(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(3);
  if (size >= 1000) return Math.round(value).toLocaleString("en-US");
  const text = value.toPrecision(4);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

const decimal: [number, string][] = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "K"],
];

function scaled(value: number, suffix: string): string {
  const size = Math.abs(value);
  for (const [factor, prefix] of decimal) {
    if (size >= factor) return `${digits(value / factor)} ${prefix}${suffix}`;
  }
  return `${digits(value)} ${suffix}`.trimEnd();
}

export function time(ns: number | null | undefined): string {
  if (ns === null || ns === undefined) return dash;
  const size = Math.abs(ns);
  // Trailing zeros stay, so that a column of times lines up.
  const fixed = (value: number) =>
    Math.abs(value) >= 1000 ? digits(value) : value.toPrecision(4);
  if (size >= 1e9) return `${fixed(ns / 1e9)} s`;
  if (size >= 1e6) return `${fixed(ns / 1e6)} ms`;
  if (size >= 1e3) return `${fixed(ns / 1e3)} µs`;
  return `${digits(ns)} ns`;
}

export const timeOfMs = (ms: number | null | undefined) =>
  time(ms === null || ms === undefined ? ms : ms * 1e6);

export function share(part: number, whole: number): string {
  if (!(whole > 0)) return dash;
  const percent = (100 * part) / whole;
  if (percent === 0) return "0 %";
  if (percent < 0.05) return "<0.1 %";
  return `${percent.toFixed(1)} %`;
}

// A number in the base unit that the report gives, e.g. "ns", "byte/second".
export function quantity(value: number, unit: string): string {
  switch (unit) {
    case "":
    case "1":
      return Math.abs(value) >= 1e6 ? scaled(value, "") : digits(value);
    case "%":
    case "percent":
      return Math.abs(value) >= 1000 || (value !== 0 && Math.abs(value) < 0.01)
        ? `${digits(value)} %`
        : `${value.toFixed(2)} %`;
    case "ns":
    case "nsecond":
    case "nanosecond":
      return time(value);
    case "byte":
      return scaled(value, "B");
    case "byte/s":
    case "byte/second":
      return scaled(value, "B/s");
    case "hz":
    case "Hz":
      return scaled(value, "Hz");
    default:
      return scaled(value, unit);
  }
}

// A unit that suits all values of a column, so that they can be compared.
export interface Scale {
  unit: string; // as its head has it
  divide: number;
}

// `most`: the largest of them; in the base unit `unit`.
export function scaleOf(most: number, unit: string): Scale {
  const times: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];
  const isTime = ["ns", "nsecond", "nanosecond"].includes(unit);
  if (unit === "%" || unit === "percent") return { unit: "%", divide: 1 };
  const base = { byte: "B", "byte/s": "B/s", "byte/second": "B/s", hz: "Hz", "1": "" }[unit] ?? unit;
  // Plain numbers have separators instead.
  const least = base === "" ? 1e6 : 1e3;
  if (most >= least || isTime) {
    for (const [divide, prefix] of isTime ? times : decimal) {
      if (most >= divide) return { unit: isTime ? prefix : `${prefix}${base}`, divide };
    }
  }
  return { unit: isTime ? "ns" : base, divide: 1 };
}

// A cell of a column whose head has the unit.
export function scaledText(cell: Cell | undefined, { unit, divide }: Scale): string {
  if (!cell || isAbsent(cell)) return dash;
  const one = (value: number) => (unit === "%" ? value.toFixed(2) : digits(value / divide));
  if (cell.rule === "spread" && (cell.distinct ?? 0) > 1) {
    if (typeof cell.min !== "number" || typeof cell.max !== "number") return cellText(cell);
    return `${one(cell.min)} … ${one(cell.max)}`;
  }
  if (typeof cell.value !== "number") return cellText(cell);
  const error = errorOf(cell);
  if (error === null) return one(shownValue(cell, cell.value));
  // A value far below the column's unit would be a row of zeros.
  const little = Math.max(Math.abs(cell.value), error) / divide < 0.01;
  return little && divide > 1
    ? estimate(cell.value, error, cell.unit ?? "")
    : withError(cell.value / divide, error / divide);
}

export function isAbsent(cell: Cell | undefined): boolean {
  return (
    !cell ||
    cell.how === "absent" ||
    cell.value === null ||
    cell.value === undefined
  );
}

export function cellText(cell: Cell | undefined): string {
  if (!cell || isAbsent(cell)) return dash;
  const unit = cell.unit ?? "";
  // Launches that differ have no single value.
  if (cell.rule === "spread" && (cell.distinct ?? 0) > 1) {
    if (typeof cell.min !== "number" || typeof cell.max !== "number") {
      return `${cell.distinct} different`;
    }
    return `${quantity(cell.min, unit)} … ${quantity(cell.max, unit)}`;
  }
  if (typeof cell.value !== "number") return visible(String(cell.value));
  const error = errorOf(cell);
  return error === null ? quantity(shownValue(cell, cell.value), unit) : estimate(cell.value, error, unit);
}

// An estimate whose interval reaches down to 0 is shown as the bound that it is.
const isBound = (cell: Cell) => cell.how === "estimated" && cell.bound === "upper";

const shownValue = (cell: Cell, value: number) => (isBound(cell) ? (cell.high ?? value) : value);

// Zero, or the rounding of floating-point arithmetic.
const isNoise = (value: number, error: number) => Math.abs(error) <= 1e-9 * Math.abs(value);

// An estimate and its standard error in the same unit, both rounded to the second
// significant digit of the error: "41.22 ± 0.16", "1,230 ± 140".
export function withError(value: number, error: number): string {
  if (isNoise(value, error)) return digits(value);
  if (!Number.isFinite(value) || !Number.isFinite(error)) return `${digits(value)} ± ?`;
  // The place of its second digit, once it is rounded: 0.0996 is 0.10.
  const decimals = 1 - Number(error.toExponential(1).split("e")[1]);
  const place = 10 ** -decimals;
  const fixed = Math.min(Math.max(decimals, 0), 15);
  const one = (number: number) =>
    (Math.round(number / place) * place + 0).toLocaleString("en-US", {
      minimumFractionDigits: fixed,
      maximumFractionDigits: fixed,
    });
  return `${one(value)} ± ${one(Math.abs(error))}`;
}

// The same with the unit that suits the larger of the two: "1.234 ± 0.032 GB".
export function estimate(value: number, error: number, unit: string): string {
  if (isNoise(value, error)) return quantity(value, unit);
  const { unit: shown, divide } = scaleOf(Math.max(Math.abs(value), Math.abs(error)), unit);
  return `${withError(value / divide, error / divide)} ${shown}`.trimEnd();
}

// The standard error of a cell; null where it is no estimate or has none.
export function errorOf(cell: Cell | undefined): number | null {
  if (cell?.how !== "estimated" || isBound(cell) || isAbsent(cell) || typeof cell.value !== "number") return null;
  return typeof cell.standard_error === "number" ? cell.standard_error : null;
}

// The origin of an estimate, and its interval.
function estimateLines(cell: Cell): string[] {
  const { unit = "", low, high, standard_error: error, launches, samples } = cell;
  const lines = [
    `estimated (${cellOrigin(cell) || "regression"}) for ${digits(launches ?? 0)} launches from ${digits(samples ?? 0)} samples`,
  ];
  if (typeof low === "number" && typeof high === "number") {
    lines.push(`95 % interval: ${quantity(low, unit)} to ${quantity(high, unit)}`);
  }
  if (typeof error === "number") lines.push(`standard error: ${quantity(error, unit)}`);
  return lines;
}

// How a value came about, in words: "approx: weighted_mean by sm__cycles".
export function cellOrigin(cell: Cell | undefined): string {
  if (!cell) return "not measured here";
  const parts = [cell.rule ?? ""];
  if (cell.weight) parts.push(`by ${cell.weight}`);
  const rule = parts.filter(Boolean).join(" ");
  return [rule, cell.reason ?? ""].filter(Boolean).join("; ");
}

// The tooltip of a cell: exact value, how, rule, weight, reason, and
// all other facts in the report.
export function cellTitle(name: string, cell: Cell | undefined): string {
  const lines = [metricTitle(name)];
  if (cell && !isAbsent(cell)) {
    lines.push(`${String(cell.value)} ${cell.unit ?? ""}`.trimEnd());
    if (cell.how === "estimated") return [...lines, ...estimateLines(cell)].join("\n");
  }
  lines.push([cell?.how ?? "", cellOrigin(cell)].filter(Boolean).join(": "));
  const known = ["value", "unit", "how", "rule", "weight", "reason"];
  for (const [key, value] of Object.entries(cell ?? {})) {
    if (!known.includes(key)) lines.push(`${key}: ${plain(value)}`);
  }
  return lines.join("\n");
}

// Any JSON value as one line.
export function plain(value: unknown): string {
  if (value === null || value === undefined) return dash;
  if (typeof value === "number") return digits(value);
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((v) => typeof v !== "object")) {
    return value.map(plain).join(", ");
  }
  return JSON.stringify(value);
}

// A name as one visible line: nothing in it can hide, break or reverse text.
export function visible(name: string): string {
  if (name === "") return "“”";
  return name.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => {
      if (c === "\n") return "\\n";
      if (c === "\t") return "\\t";
      const code = (c.codePointAt(0) ?? 0).toString(16);
      return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
    },
  );
}

// A name in a line with others.
export function short(name: string): string {
  const text = [...visible(name)];
  return text.length > 80 ? `${text.slice(0, 79).join("")}…` : text.join("");
}

// A metric's name in two lines: "sm__throughput" and "% of peak". Names of derived
// metrics (conf/derived) become words: "DRAM" and "% of peak" for dram_peak_share.
export function metricLabel(name: string): [string, string] {
  const dot = name.indexOf(".");
  if (dot < 0) {
    if (name.includes("__")) return [name, ""];
    const words = name.replace(/^dram/, "DRAM").replace(/^sm_/, "SM ").replace(/_/g, " ");
    const share = words.replace(/ peak share$/, "");
    return share === words ? [words, ""] : [share, "% of peak"];
  }
  const suffix = name
    .slice(dot + 1)
    .replace("pct_of_peak_sustained_elapsed", "% of peak")
    .replace("pct_of_peak_sustained_active", "% of peak, active")
    .replace("per_second", "/s")
    .replace(/per_(cycle_\w+)/, "/$1")
    .replace(/\./g, " ");
  return [name.slice(0, dot), suffix];
}

// The sign before a value that is not exact.
export function cellSign(cell: Cell | undefined): string {
  if (isAbsent(cell)) return "";
  if (cell?.how === "approx") return "≈ ";
  if (cell?.how === "bound" || (cell && isBound(cell))) {
    return cell.bound === "lower" ? "≥ " : "≤ ";
  }
  return "";
}

// Who has the most of a region's time, against the mean.
export function imbalance(value: Imbalance): string {
  return `${visible(value.who)} has ${value.ratio.toFixed(2)} times the mean of ${value.count} ${value.over === "rank" ? "ranks" : "processes"}`;
}
