// The ranks of a job as the page wants them: the member `ranks` of report.json
// (docs/report-json.md) with the numbers of ranks × regions at hand.

import * as format from "./format.ts";
import { unzip } from "./packing.ts";
import type { JobRegion, OverRanks, RankRow, RanksBlock, RankValues } from "./report.ts";

// A value that can be shown of a region in a rank.
export interface Quantity {
  key: string;
  label: string;
  title: string;
  unit: string;
  metric?: string; // one of the report's, of scopes and not of the matrix
}

// Metrics of a rank's regions, by path, from the scopes of the report.
export interface RankMetrics {
  names: { name: string; unit: string }[];
  of: (row: RankRow, path: string[], name: string) => number | null;
}

export const quantities: Quantity[] = [
  { key: "gpu_ns", label: "GPU time", title: "Time with work on the rank's GPUs", unit: "ns" },
  { key: "compute_ns", label: "Compute", title: "Compute kernels, without communication beside them", unit: "ns" },
  { key: "waiting_ns", label: "Waiting", title: "In collectives, until the last rank arrives", unit: "ns" },
  { key: "exposed_ns", label: "Exposed", title: "Communication without compute beside it", unit: "ns" },
  { key: "overlapped_ns", label: "Overlapped", title: "Communication with compute beside it", unit: "ns" },
  { key: "idle_ns", label: "Idle", title: "GPU idle between the first and the last activity of an instance", unit: "ns" },
  { key: "copy_ns", label: "Copies", title: "Copies and memsets without kernels beside them", unit: "ns" },
  { key: "wall_ns", label: "Wall time", title: "From opening to closing, summed over the instances", unit: "ns" },
  { key: "delay_ns", label: "Launch delay", title: "From the launch call to the start on the GPU, mean over kernels", unit: "ns" },
  { key: "kernels", label: "Kernels", title: "Kernel launches, communication included", unit: "" },
  { key: "sm_clock_hz", label: "SM clock", title: "While its kernels ran, from sampled counters", unit: "hz" },
];

// Whether the number is a part of the region's time.
export const isPartOfTime = ({ key, unit, metric }: Quantity) =>
  unit === "ns" && key !== "delay_ns" && metric === undefined;

const ran = ["compute_ns", "overlapped_ns", "exposed_ns", "copy_ns"];

function middle(numbers: number[]): number | null {
  if (numbers.length === 0) return null;
  numbers.sort((a, b) => a - b);
  const half = numbers.length >> 1;
  return numbers.length % 2 ? numbers[half]! : (numbers[half - 1]! + numbers[half]!) / 2;
}

// A rank, or a group of ranks that are shown as one.
export interface Item {
  record: number; // whose numbers these are
  group: number; // place in groups; -1: there are none
  stands: number; // for so many ranks
}

export class Job {
  readonly regions: JobRegion[]; // of the matrix, each before its inner ones
  readonly hasNumbers: boolean;
  readonly metrics: Quantity[];
  private readonly rows = new Map<number, number>(); // of the matrix, by record
  private readonly byId = new Map<number, JobRegion>();
  private readonly again = new Set<number>();
  private readonly severalHosts: boolean;
  private readonly medians = new Map<string, (number | null)[]>();
  private readonly groupOf = new Map<number, number>();

  constructor(
    readonly block: RanksBlock,
    private readonly values: RankValues,
    private readonly scopes: RankMetrics = { names: [], of: () => null },
  ) {
    this.metrics = scopes.names.map(({ name, unit }) => ({ key: `metric:${name}`, label: name, title: name, unit, metric: name }));
    const { records, regions, matrix, groups } = block;
    for (const region of regions) this.byId.set(region.id, region);
    this.regions = matrix.regions
      .map((id) => this.byId.get(id))
      .filter((region) => region !== undefined);
    for (const [i, record] of matrix.records.entries()) this.rows.set(record, i);
    for (const [i, group] of groups.entries()) {
      for (const record of group.records) this.groupOf.set(record, i);
    }
    this.severalHosts = new Set(records.map(({ host }) => host)).size > 1;
    const starts = new Map<string, number>();
    records.forEach(({ rank, host }, i) => {
      const key = `${rank} ${host}`;
      const first = starts.get(key);
      if (first === undefined) starts.set(key, i);
      else this.again.add(i).add(first);
    });
    this.hasNumbers = this.regions.length > 0 && this.rows.size > 0;
  }

  // As every report names it.
  who(record: number): string {
    const row = this.block.records[record];
    if (!row) return format.dash;
    const host = this.severalHosts && row.host ? ` on ${format.short(row.host)}` : "";
    const process = row.rank !== null && this.again.has(record) ? `, process ${row.pid}` : "";
    return this.number(record) + host + process;
  }

  // Where its host stands beside it.
  number(record: number): string {
    const row = this.block.records[record]!;
    return row.rank === null ? `process ${row.pid}` : `rank ${row.rank}`;
  }

  region(id: number): JobRegion | undefined {
    return this.byId.get(id);
  }

  has(record: number): boolean {
    return this.rows.has(record);
  }

  // `place` of a region is that in regions. Null: it is not known.
  of({ key, metric }: Quantity, record: number, place: number): number | null {
    if (metric !== undefined) return this.scopes.of(this.block.records[record]!, this.regions[place]!.path, metric);
    const at = this.rows.get(record);
    if (at === undefined) return null;
    const get = (name: string) => this.values[name]?.[at]?.[place] ?? null;
    if (key === "gpu_ns") {
      const parts = ran.map(get);
      return parts.some((part) => part === null) ? null : parts.reduce((sum, part) => sum! + part!, 0);
    }
    if (key === "delay_ns") {
      const kernels = get("kernels");
      const latency = get("latency_ns");
      return kernels && latency !== null ? latency / kernels : null;
    }
    return get(key);
  }

  // Over the ranks that have the region.
  median(quantity: Quantity, place: number): number | null {
    let known = this.medians.get(quantity.key);
    if (!known) {
      known = this.regions.map((region, at) => {
        const over = region[quantity.key] as OverRanks | null | undefined;
        if (over) return over.median;
        const numbers: number[] = [];
        for (const record of this.rows.keys()) {
          const value = this.of(quantity, record, at);
          if (value !== null) numbers.push(value);
        }
        return middle(numbers);
      });
      this.medians.set(quantity.key, known);
    }
    return known[place] ?? null;
  }

  // The whole that a difference to the median is a part of. Of a time this is the
  // region's whole time, so that a large part of a short time stays small.
  whole(quantity: Quantity, place: number): number | null {
    if (!isPartOfTime(quantity)) return this.median(quantity, place);
    const gpu = this.median(quantities[0]!, place);
    const idle = this.median(quantities.find(({ key }) => key === "idle_ns")!, place);
    const both = (gpu ?? 0) + (idle ?? 0);
    return both > 0 ? both : this.median(quantity, place);
  }

  // -0.02: less than the median by 2 % of the region's time.
  difference(quantity: Quantity, record: number, place: number): number | null {
    const value = this.of(quantity, record, place);
    const median = this.median(quantity, place);
    const whole = this.whole(quantity, place);
    if (value === null || median === null || !whole) return null;
    return (value - median) / whole;
  }

  // The quantities that some rank has; rare quantities only where they occur.
  known(): Quantity[] {
    return quantities.filter((quantity) => {
      const rare = quantity.key === "copy_ns" || quantity.key === "overlapped_ns";
      return this.regions.some((region, place) =>
        rare ? ((region[quantity.key] as OverRanks | null)?.max ?? 0) > 0 : this.median(quantity, place) !== null,
      );
    });
  }

  // ---- Ranks together ----

  group(record: number): number {
    return this.groupOf.get(record) ?? -1;
  }

  // Whether there are fewer groups than ranks.
  canJoin(): boolean {
    const { groups, records } = this.block;
    return groups.length > 0 && groups.length < records.length;
  }

  // All ranks; the ranks of a group that is not `open` as one item.
  items(joined: boolean, open: ReadonlySet<number>): Item[] {
    const { groups, records } = this.block;
    const alone = (record: number): Item => ({ record, group: this.group(record), stands: 1 });
    if (!joined) return records.map((_, record) => alone(record));
    const items: Item[] = [];
    const seen = new Set<number>();
    records.forEach((_, record) => {
      const at = this.group(record);
      const group = groups[at];
      if (!group || group.records.length === 1 || open.has(at)) {
        items.push(alone(record));
      } else if (!seen.has(at)) {
        seen.add(at);
        items.push({ record: group.typical, group: at, stands: group.records.length });
      }
    });
    return items;
  }
}

// With its numbers, which may be packed.
export async function readJob(block: RanksBlock, metrics?: RankMetrics): Promise<Job> {
  const { values, packed } = block.matrix;
  if (values || !packed) return new Job(block, values ?? {}, metrics);
  return new Job(block, JSON.parse(await unzip(packed)) as RankValues, metrics);
}
