// Metrics in the order of importance to readers: speed against the peak,
// memory, occupancy, stalls, executed instructions; then the rest, and metrics
// that only describe the launch and the device.

import { ownOf } from "./own.ts";

const groups: [string, RegExp][] = [
  ["Time", /^gpu__time_|^gpu_seconds$/],
  ["Speed of light", /(^|__)(throughput|compute_memory_throughput|dram_throughput|compute_memory_access_throughput\w*|compute_memory_request_throughput\w*)\.avg\.pct_of_peak|^breakdown:|^sm__throughput|^gpu__\w*throughput|_(peak|busy)_share$/],
  ["Memory", /^(dram|l2_bandwidth|fbpa|lts?|l1tex|ltc|sysmem|mem|smsp__sass_(average_data_bytes|inst_executed_op_(global|local|shared))|memory)/],
  ["Occupancy", /^(?!.*stall).*(occupancy|warps_active|warps_eligible|maximum_warps|waves_per_multiprocessor|issue_active|issue_slot|warps_launched)/],
  ["Stalls", /stall|issued_?ratio|warp_issue|pcsamp|latency_per_inst/],
  ["Instructions and pipes", /inst_executed|inst_issued|^warp_instructions|^bytes_per_instruction|pipe|thread_inst|sass_thread|flop|^smsp?__ops|branch/],
  ["Cycles and clocks", /cycles|clock|frequency/],
  ["Other counters", /^(sm|smsp|gpc|tpc|gpu|gr|fe|idc|ctc|nvl?tx|nvlrx|nvltx|pcie|sys|tmem|raster|vpc)__/],
  ["Launch", /^launch__/],
  ["Device and profiler", /^(nominal|peak|device|profiler|numa|nvlink|c2clink|pcie|derived|context|process)_/],
];
const rest = "Rest";
const dullAt = groups.length - 2; // from here on nothing was measured

// The group's place and name.
export function groupOf(metric: string): [number, string] {
  const dull = groups.findIndex(([, pattern], i) => i >= dullAt && pattern.test(metric));
  const at = dull >= 0 ? dull : groups.findIndex(([, pattern]) => pattern.test(metric));
  // Unknown metrics stand before those that only describe.
  return at < 0 ? [dullAt - 0.5, rest] : [at, groups[at]![0]];
}

// Stable: within a group as they came.
export function byMeaning(names: readonly string[]): string[] {
  const place = new Map(names.map((name) => [name, groupOf(name)[0]]));
  return [...names].sort((a, b) => place.get(a)! - place.get(b)!);
}

// ---- Metrics in plain words ----

let docs: Record<string, { doc?: string }> = {};

// Of the report that the page shows.
export function setDocs(metrics: Record<string, { doc?: string }> | undefined): void {
  docs = metrics ?? {};
}

// Undefined where it is not known.
export const docOf = (metric: string): string => ownOf(docs, metric)?.doc ?? "";

// A metric's name and its meaning.
export const metricTitle = (metric: string): string =>
  [metric, docOf(metric)].filter(Boolean).join("\n");
