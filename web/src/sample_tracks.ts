// The GPU's counters over time, from the page's own block (docs/report-json.md):
// a line for each device and metric, and its values by pixel.

import type { Scope } from "./report.ts";

// A part of the run.
export interface Span {
  from: number; // ns
  to: number;
}

interface PackedLine {
  name: string;
  unit: string;
  mean: (number | null)[];
  max?: (number | null)[]; // where a point is of several samples
}

export interface PackedTrack {
  process: number;
  rank?: number;
  device: number;
  samples: number;
  lost: number;
  interval_ns: number;
  start: number[]; // since the start before
  length: number[];
  metrics: PackedLine[];
}

export interface SampleLine {
  name: string;
  unit: string;
  mean: Float64Array; // NaN: no value
  max: Float64Array;
  most: number; // over the whole run
}

export interface SampleTrack {
  process: number;
  rank?: number;
  device: number;
  start: Float64Array;
  end: Float64Array;
  each: number; // samples a point
  lines: SampleLine[];
}

export function tracksOf(packed: PackedTrack[] | undefined): SampleTrack[] {
  return (packed ?? []).map((track) => {
    let at = 0;
    const start = Float64Array.from(track.start, (since) => (at += since));
    return {
      process: track.process,
      rank: track.rank,
      device: track.device,
      start,
      end: start.map((from, i) => from + track.length[i]!),
      each: track.samples / Math.max(1, start.length),
      lines: track.metrics.map(lineOf),
    };
  });
}

// NaN is no value. 0 where there is none.
export function largest(numbers: Float64Array): number {
  let most = 0;
  for (const number of numbers) if (number > most) most = number;
  return most;
}

function lineOf({ name, unit, mean, max }: PackedLine): SampleLine {
  const numbers = (list: (number | null)[]) => Float64Array.from(list, (value) => value ?? NaN);
  const line = { name, unit, mean: numbers(mean), max: numbers(max ?? mean) };
  const most = largest(line.max);
  return { ...line, most };
}

export function tracksIn(tracks: SampleTrack[], { process, device }: Scope): SampleTrack[] {
  return tracks.filter(
    (track) =>
      (typeof process !== "number" || track.process === process) &&
      (typeof device !== "number" || track.device === device),
  );
}

// ---- Which are shown --------------------------------------------------------

const known: Record<string, string> = {
  dram__bytes: "DRAM traffic",
  dram__bytes_read: "DRAM reads",
  dram__bytes_write: "DRAM writes",
  lts__t_sectors: "L2 sectors",
  sm__cycles_active: "SM activity",
  sm__inst_executed: "Instructions",
  sm__pipe_tensor_cycles_active: "Tensor pipes",
  sm__warps_active: "Active warps",
};

// In two words where people have them for it.
export function nameOf(metric: string): string {
  return known[metric.split(".")[0]!] ?? metric;
}

export const usual = ""; // of memory and SMs one each
export const every = "all";
export const none = "none";

// The choices: a value and its label.
export function choicesOf(tracks: SampleTrack[]): [string, string][] {
  const names = [...new Set(tracks.flatMap(({ lines }) => lines.map(({ name }) => name)))];
  const label = (name: string) => (nameOf(name) === name ? name : `${nameOf(name)} (${name})`);
  return [
    [usual, "memory and SMs"],
    [every, "all"],
    ...names.map((name): [string, string] => [name, label(name)]),
    [none, "none"],
  ];
}

// The chosen lines of a track; of the usual lines those that it has.
export function linesOf({ lines }: SampleTrack, wanted: string): SampleLine[] {
  if (wanted === none) return [];
  if (wanted === every) return lines;
  const chosen = lines.filter(({ name }) => name === wanted);
  if (chosen.length > 0) return chosen;
  const first = (pattern: RegExp) => lines.find(({ name }) => pattern.test(name));
  const found = [
    first(/^dram__bytes\./) ?? first(/^dram__bytes/),
    first(/^sm__cycles_active\./) ?? first(/^sm__/),
  ].filter((line) => line !== undefined);
  return found.length > 0 ? found : lines.slice(0, 2);
}

// ---- Values for drawing -----------------------------------------------------

// The first whose end lies behind `at`; ends rise as starts do.
export function firstBehind({ end }: { end: ArrayLike<number> }, at: number): number {
  let low = 0;
  let high = end.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[middle]! > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

export interface Pixels {
  mean: Float64Array; // NaN: nothing was sampled there
  max: Float64Array;
}

// The mean over time and the largest value in each of `width` parts of the view.
export function pixelsOf(track: SampleTrack, line: SampleLine, { from, to }: Span, width: number): Pixels {
  const sums = new Float64Array(width);
  const times = new Float64Array(width);
  const max = new Float64Array(width).fill(NaN);
  const each = (to - from) / width;
  for (let i = firstBehind(track, from); i < track.start.length && track.start[i]! < to; ++i) {
    const mean = line.mean[i]!;
    if (Number.isNaN(mean)) continue;
    const [start, end] = [Math.max(from, track.start[i]!), Math.min(to, track.end[i]!)];
    const last = Math.min(width - 1, Math.floor((end - from) / each));
    for (let x = Math.max(0, Math.floor((start - from) / each)); x <= last; ++x) {
      const part = Math.min(end, from + (x + 1) * each) - Math.max(start, from + x * each);
      if (part <= 0) continue;
      sums[x]! += mean * part;
      times[x]! += part;
      if (!(max[x]! >= line.max[i]!)) max[x] = line.max[i]!;
    }
  }
  return { mean: sums.map((sum, x) => (times[x]! > 0 ? sum / times[x]! : NaN)), max };
}

// The mean over the sampled part of a span; NaN: no samples.
export function meanIn(track: SampleTrack, line: SampleLine, span: Span): number {
  return pixelsOf(track, line, span, 1).mean[0]!;
}

// The point at a time; -1: nothing was sampled then.
export function pointAt(track: SampleTrack, at: number): number {
  const i = firstBehind(track, at);
  return i < track.start.length && track.start[i]! <= at ? i : -1;
}

// Where the scale ends: shares at 100 %, unless all of them are small.
export function topOf({ unit, most }: SampleLine): number {
  if (unit === "%" && most <= 100 && most > 10) return 100;
  return most > 0 ? most : 1;
}
