// A comparison (docs/diff.schema.json), and its regions as the tree
// that chart and table show: sizes are the new side's mean of a run, which adds
// up over inner regions.

import { visible } from "./format.ts";
import type { Node, Tree } from "./model.ts";
import { canUnpack, unzip, type Packed } from "./packing.ts";
import type { Kernel, Region, Scope } from "./report.ts";

// The verdicts in the order of the table, each with a sign beside its word, so
// that no reader needs the colour.
export const verdictSigns = {
  SLOWER: "▲",
  FASTER: "▼",
  AMBIGUOUS: "?",
  NEW: "+",
  GONE: "−",
  RENAMED: "→",
  SAME: "=",
  INCOMPARABLE: "×",
} as const;
export type Verdict = keyof typeof verdictSigns;

export interface DiffTime {
  per_instance: boolean;
  base_ns: number[];
  new_ns: number[];
  base_median_ns: number | null;
  new_median_ns: number | null;
  base_mean_ns: number | null;
  new_mean_ns: number | null;
  ratio: number | null;
  interval: [number, number] | null;
  chance: number | null;
  cycles_ratio: number | null;
  runs_needed: number | null;
  change_ns: number | null; // null: a side does not know its time
  own_change_ns: number | null;
  // By part of the wall time; absent where a side has no wall time.
  wall_change_ns?: Record<string, number>;
}

export const wallChange = ({ wall_change_ns: parts }: DiffTime): number | null =>
  parts ? Object.values(parts).reduce((sum, ns) => sum + ns, 0) : null;

export interface Fact {
  kind: string;
  text: string;
  kernel: string | null;
  base: number;
  new: number;
}

export interface KernelPair {
  base: string | null;
  new: string | null;
  paired_by: string;
  base_launches: number;
  new_launches: number;
  base_ns: number | null; // null: not of all launches
  new_ns: number | null;
}

export interface Counter {
  metric: string;
  unit: string;
  base: number;
  new: number;
  base_standard_error: number | null;
  new_standard_error: number | null;
  ratio: number | null;
  changed: boolean;
}

export interface DiffRegion {
  id: number;
  parent: number | null;
  path: string;
  name: string;
  base_path: string | null;
  paired_by: string;
  depth: number;
  verdict: Verdict;
  why: string | null;
  time: DiffTime;
  facts: Fact[];
  kernels: KernelPair[];
  counters: Counter[];
}

export interface Contribution {
  region: number;
  path: string;
  kernel: string | null;
  change_ns: number;
  with: string[];
}

export interface Crossing {
  region: number;
  path: string;
  what: string;
  text: string;
  accepted: string | null;
}

export interface Side {
  runs: string[];
  settings: Record<string, string>;
}

export interface Diff {
  schema: string;
  comparable: boolean;
  summary: string;
  caveats: { fatal: boolean; text: string }[];
  base: Side;
  new: Side;
  rules: { time: number; absolute_ns: number; alpha: number; least_runs: number; tested: number };
  gate: { asked: boolean; passed: boolean | null; crossings: Crossing[] };
  regions: DiffRegion[]; // the first is the whole run
  contributions: Contribution[];
}

// The comparison in the page, or why there is none.
export function parseDiff(text: string): Diff | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "This page contains no comparison: it is the bare viewer, or the file was cut off.";
  }
  const diff = value as Diff;
  if (typeof diff?.schema !== "string" || !Array.isArray(diff.regions) || diff.regions.length === 0) {
    return "This page does not contain a Rangefinder comparison.";
  }
  if (diff.schema !== "rangefinder.diff/1") {
    return `This page shows comparisons of the schema rangefinder.diff/1, not ${diff.schema}.`;
  }
  return diff;
}

// The packed comparison of a large page; undefined where it is not packed.
const packedIn = (text: string): Packed | undefined =>
  text.startsWith('{"packed":') ? (JSON.parse(text) as { packed: Packed }).packed : undefined;

// The comparison in the page, in place or packed, or the reason why there is
// none. One in place needs no waiting.
export function readDiff(text: string): Diff | string | Promise<Diff | string> {
  try {
    const packed = packedIn(text);
    return packed ? unpackDiff(packed) : parseDiff(text);
  } catch {
    return parseDiff("");
  }
}

async function unpackDiff(packed: Packed): Promise<Diff | string> {
  if (!canUnpack()) {
    return "This comparison is large and therefore packed, and this browser cannot unpack it (it has no DecompressionStream). Newer browsers can; rangefinder diff --format json and md have the same numbers.";
  }
  try {
    return parseDiff(await unzip(packed));
  } catch (error) {
    return `The packed comparison could not be read (${String(error)}): the file was cut off or changed.`;
  }
}

export const wholeName = "(the whole run)";

// As other documents name a region.
export const placeOf = (path: string) => (path === "" ? wholeName : visible(path));

export const changed = ({ verdict, facts }: DiffRegion) =>
  (verdict !== "SAME" && verdict !== "INCOMPARABLE") || facts.length > 0;

export const guessed = (region: DiffRegion) => region.paired_by === "guess";

// "+12.3 %"; a dash where there is no ratio.
export function changeText(ratio: number | null): string {
  if (ratio === null) return "–";
  const percent = 100 * (ratio - 1);
  return `${signed(percent, Math.abs(percent) < 100 ? 1 : 0)} %`;
}

export const signed = (value: number, places: number) =>
  `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(places)}`;

export function intervalText(interval: [number, number] | null): string {
  if (!interval) return "–";
  const [low, high] = interval.map((ratio) => signed(100 * (ratio - 1), 1));
  return `${low} … ${high} %`;
}

// ---- The tree ---------------------------------------------------------------

// The region of a node of the tree.
export class DiffTree {
  readonly tree: Tree;
  readonly greatest: number; // change of any region, ns

  constructor(readonly diff: Diff) {
    const byId = new Map<number, Node>();
    const nodes: Node[] = [];
    for (const one of diff.regions) {
      const parent = one.parent === null ? null : (byId.get(one.parent) ?? null);
      const node = nodeOf(one, parent, nodes.length);
      parent?.children.push(node);
      byId.set(one.id, node);
      nodes.push(node);
    }
    const whole = nodes[0]!;
    this.tree = {
      scope: scopeOf(whole),
      roots: nodes.filter((node) => node.parent === null),
      nodes,
      byId,
      names: [],
      total: whole.inclusive,
      basis: "measured",
      timed: true,
      sortValue: (node, column) => this.sortValue(node, column),
    };
    const least = diff.rules.time * (diff.regions[0]!.time.base_mean_ns ?? 0);
    this.greatest = diff.regions.reduce((most, { time }) => Math.max(most, Math.abs(time.change_ns ?? 0)), least);
  }

  of(node: Node): DiffRegion {
    return this.diff.regions[node.order]!;
  }

  private sortValue(node: Node, column: string): number {
    const { time, verdict } = this.of(node);
    switch (column) {
      case "time":
        return Math.max(time.base_mean_ns ?? 0, time.new_mean_ns ?? 0);
      case "base":
        return time.base_median_ns ?? -Infinity;
      case "new":
        return time.new_median_ns ?? -Infinity;
      case "ratio":
        return time.ratio ?? -Infinity;
      case "change":
        return time.change_ns ?? -Infinity;
      case "size":
        return Math.abs(time.own_change_ns ?? 0);
      case "interval":
        return time.interval?.[0] ?? -Infinity;
      default:
        return -verdictOrder.indexOf(verdict);
    }
  }
}

const verdictOrder = Object.keys(verdictSigns) as Verdict[];

function nodeOf(one: DiffRegion, parent: Node | null, order: number): Node {
  const label = one.path === "" ? wholeName : visible(one.name);
  const inclusive = one.time.new_mean_ns ?? 0;
  const outer = parent && parent.parent !== null ? parent.region.path : [];
  const names = one.kernels.flatMap((pair) => [pair.base, pair.new]).filter((name) => name !== null);
  const amounts = { kernel_count: names.length, gpu_time_ns: inclusive };
  const region: Region = {
    id: one.id,
    parent_id: one.parent,
    name: one.name,
    path: [...outer, parent === null ? wholeName : one.name],
    depth: one.depth,
    inclusive: amounts,
    exclusive: amounts,
    kernels: names.map((kernel_name) => ({ kernel_name }) as Kernel),
    merged: one.base_path === null ? undefined : { count: 1, slowest: null, members: [{ name: one.base_path } as never] },
  };
  return {
    region,
    parent,
    children: [],
    label,
    depth: parent ? parent.depth + 1 : 0,
    color: 0,
    inclusive,
    exclusive: 0,
    order,
  };
}

const scopeOf = ({ inclusive }: Node): Scope =>
  ({ scope: "aggregate", totals: { kernel_count: 0, gpu_time_ns: inclusive }, regions: [] }) as Scope;
