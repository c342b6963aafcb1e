// The report.json that this page shows: docs/report.schema.json describes each
// member. Members that some reports lack are optional.

import type { Packed } from "./packing.ts";

export type How = "measured" | "exact" | "estimated" | "approx" | "bound" | "absent";

export interface Cell {
  value?: number | string | null;
  unit?: string;
  how?: How;
  rule?: string;
  weight?: string;
  bound?: string; // upper or lower
  min?: number; // over the measurements
  max?: number;
  distinct?: number; // different values among them
  reason?: string;
  // Of an estimate: one standard error, the 95 % interval, and its sources.
  standard_error?: number;
  low?: number;
  high?: number;
  launches?: number;
  samples?: number;
  agrees?: boolean | null; // with the measured value; null: of other launches
  [other: string]: unknown;
}

export type Metrics = Record<string, Cell>;

// Metrics of one list of cells: those in place, and the packed ones as soon as
// they are unpacked (columns.ts).
export interface Held {
  metrics?: Metrics;
  packed?: { columns: PackedCells; list: number; device: boolean };
}

export interface PackedCells {
  names: (device: boolean) => string[];
  cell: (name: string, list: number) => Cell | undefined;
}

export interface Amounts extends Held {
  kernel_count: number;
  gpu_time_ns: number | null;
}

export interface Kernel extends Held {
  kernel_name: string;
  calls: number;
  // null: no duration was collected.
  total_ms: number | null;
  mean_ms: number | null;
  min_ms: number | null;
  max_ms: number | null;
  device?: string;
  traced?: { calls: number; total_ms: number };
  short_name?: string;
  source?: string[]; // operators of the model
  model_lines?: string[];
  source_lines?: string[];
  source_unknown?: string;
  // Where `calls` include inner regions: the calls of the region alone.
  own_calls?: number;
  own_total_ms?: number | null; // where they are some and not all
  roofline?: RooflineRow[];
}

export interface Measured extends Held {
  mode: string;
  gpu_time_ns?: number | null;
}

// Rows of sections, findings and notes are shown by their own members.
export type Row = Record<string, unknown>;

// How many values of one kind spread; `instances` or `kernels` says how many.
export interface Spread {
  instances?: number;
  kernels?: number;
  total: number;
  min: number;
  median: number;
  max: number;
  mean: number;
  standard_deviation: number;
}

export interface StreamTimes {
  process: number;
  device: number;
  stream: number;
  kernel_count: number;
  gpu_time_ns: number;
  copies: number;
  copy_ns: number;
}

// Where a trace saw the region; all times in ns.
export interface Times {
  instances: number;
  unclosed: number;
  cpu_ns: Spread;
  gpu_ns: Spread;
  gpu_span_ns: Spread;
  gpu_idle_ns: Spread;
  // Null: not known, so nothing is known of the steady state.
  warmup?: null | {
    instances: number;
    cpu_ns: number;
    steady_instances: number;
    steady_cpu_ns: number | null;
    steady_gpu_ns: number | null;
  };
  wall_ns?: Record<string, number>; // by parts of the wall time
  steady_wall_ns?: Record<string, number>;
  gpu: null | {
    // null: the GPU work was not recorded
    busy_ns: number;
    span_ns: number;
    idle_ns: number;
    concurrency: number | null;
    copies: number;
    copy_ns?: number;
    copy_bytes: number;
    sets: number;
    set_ns?: number;
    set_bytes: number;
    latency_ns: Spread;
  };
  streams?: StreamTimes[];
  streams_left_out?: number;
  first?: { cpu_ns?: (number | null)[]; gpu_ns?: (number | null)[] };
  slowest?: Instance[];
  slowest_gpu?: Instance[];
}

export interface Instance {
  name?: string; // of merged ranges: as the program gave it
  ordinal: number; // in its thread
  process: number;
  thread: number;
  start_ns: number;
  cpu_ns: number | null; // null: never closed
  gpu_ns: number | null; // null: unknown
  gpu_span_ns: number | null;
  gpu_idle_ns: number | null;
}

// The baseline run beside a measured run; see docs/report.schema.json.
export interface Traced {
  kernel_count: number;
  gpu_time_ns: number;
  own_kernel_count?: number;
  own_gpu_time_ns?: number;
  busy_ns?: number | null;
  kernels?: TracedKernel[];
}

// A kernel launched directly in a region, in either run.
export interface TracedKernel {
  kernel_name: string;
  calls: number;
  total_ms: number;
  measured_calls: number;
  measured_total_ms: number;
}

// One run that was made for the report.
export interface Run {
  name: string;
  mode: string;
  seconds: number;
  passes: number; // 0: not known
  outcome: string;
}

// How many times as long kernels took under replay.
export interface ReplayRatio {
  median: number;
  low: number;
  high: number;
  kernels: number;
}

export interface Coverage {
  launches_measured: number;
  launches: number;
  time_share: number;
}

// Additive metrics over all launches, scaled from the measured launches.
export type Scaled = Record<
  string,
  { value: number; error: number | null; unit: string; single_samples: number }
>;

// GPU time by the phases in the names of a framework; null: there are none.
export interface Phase {
  phase: string | null;
  gpu_time_ns: number;
  share: number;
  kernel_count: number;
}

export interface Stated {
  value: number;
  standard_error: number;
}

// The cost of an instance of a region by the numbers in its names.
export interface UnitCosts {
  metric: string;
  unit: string;
  mean: number;
  per_instance?: Stated; // without any unit
  costs: (Stated & { unit: string; mean?: number; from: number; to: number; same?: string[] })[];
  bends?: string; // the unit of which it is no straight line
  bins?: { units: number; instances: number; mean: number }[];
}

export interface Region {
  id: number;
  parent_id?: number | null;
  name: string;
  domain?: string;
  path: string[];
  depth: number;
  kind?: string;
  instances?: number | null;
  imbalance?: Imbalance;
  times?: Times;
  traced?: Traced;
  coverage?: Coverage;
  scaled?: Scaled;
  inclusive: Amounts;
  exclusive: Amounts;
  // Estimates of values that were measured as well.
  estimated?: { inclusive: Metrics; exclusive: Metrics };
  over_time?: OverTime[];
  measured?: Measured[];
  kernels?: Kernel[];
  sections?: Record<string, Row[]>;
  findings?: Row[];
  verdict?: string | null;
  cause?: Cause; // that saves most, inner regions included
  summary?: Summary;
  merged?: { count: number; slowest: Member | null; members: Member[] };
  roofline?: RooflineRow[];
  units?: UnitCosts[];
}

// Why a region takes its wall time; uncertain: a question.
export interface Cause {
  kind: string;
  title: string;
  certain: boolean;
  text: string;
  next: string;
  saves_ns: number;
}

// The row of a table, as every format shows it: here, why something is not.
export interface Summary {
  source: "undisturbed" | "kernels" | "range" | null;
  unselected?: number; // launches that regions.kernels leaves out
  reason?: string;
  [other: string]: unknown;
}

// One of the names that are merged into a region.
export interface Member {
  name: string;
  instances: number;
  kernel_count: number;
  gpu_time_ns: number | null;
  cpu_ns?: number;
}

// A sentence on what to look at, and the next step.
export interface Headline {
  kind?: string;
  region_id?: number; // in the first scope
  text: string;
  next?: string;
  certain?: boolean; // false: a question
}

// Of FLOP, or of instructions where `unit` says so.
export interface RooflineRow {
  precision: string;
  unit?: string;
  how?: How;
  flop?: number;
  instructions?: number;
  intensity: number; // for each byte
  achieved_flops?: number; // a second
  achieved_instructions?: number;
  peak_flops?: number | null;
  peak_instructions?: number | null;
  peak_bandwidth?: number | null; // bytes a second
  limit_flops?: number | null; // at this intensity
  limit_instructions?: number | null;
  percent?: number | null; // of that
}

// A device whose counters were sampled, or were to be.
export interface Sampling {
  process?: number;
  device: number;
  chip?: string;
  interval_ns: number;
  samples: number;
  lost?: number;
  reason?: string; // why there are none, or no more
  gaps?: { start_ns: number; end_ns: number; samples: number; reason: string }[];
  fit?: {
    verdict: string; // good, doubtful or bad
    reasons: string[];
    // decides: the verdict of the fit depends on this metric
    metrics: Record<string, { verdict: string; decides: boolean; r2: number | null }>;
  };
}

// An estimate per instance of a region, against exact counts of some instances.
export interface Check {
  region: string; // path, as text
  metric: string;
  unit?: string;
  estimate: number;
  standard_error: number;
  instances: number;
  exact: number;
  exact_standard_error: number;
  counted: number;
  agrees: boolean;
}

export interface BlockValue {
  value: number;
  standard_error: number;
  low: number;
  high: number;
}

// The counters of an instance over the run, on one device.
export interface OverTime {
  process: number;
  device: number;
  blocks: {
    start_ns: number;
    end_ns: number;
    instances: number;
    metrics: Record<string, BlockValue | null>;
  }[];
}

// Over the ranks of a job, or the processes of one run; times in ns.
export interface Imbalance {
  over: string;
  count: number;
  max: number;
  mean: number;
  ratio: number;
  who: string;
}

// The regions of one name together.
export interface NameRow {
  name: string;
  domain: string;
  regions: number[]; // ids
  inclusive: Amounts;
}

export interface Scope {
  scope: string;
  rank?: number;
  host?: string;
  process?: unknown;
  device?: unknown;
  headline?: string;
  totals: Amounts;
  times?: Times;
  traced?: Traced;
  coverage?: Coverage;
  scaled?: Scaled;
  phases?: Phase[];
  regions: Region[];
  by_name?: NameRow[];
}

// ---- Ranks ------------------------------------------------------------------

export interface OverRanks {
  min: number;
  median: number;
  max: number;
  sum: number;
  ranks: number;
  min_rank: number | null;
  max_rank: number | null;
  min_record: number;
  max_record: number;
}

export interface RankRow {
  rank: number | null;
  host: string;
  pid: number;
  devices: string[];
  tree: number;
  lost_collectives?: number;
  notes?: string[];
}

export interface JobRegion {
  id: number;
  parent: number | null;
  path: string[];
  ranks: number;
  min_kernels: number;
  max_kernels: number;
  reason?: string;
  [times: string]: unknown; // "compute_ns": OverRanks or null
}

export interface LateRank {
  text: string;
  said_by?: number; // another that says the same
  region: number; // id
  record: number;
}

export interface RankGroup {
  tree: number;
  typical: number;
  records: number[];
}

export type RankValues = Record<string, (number | null)[][] | null>;

export interface RanksBlock {
  count: number;
  world: number | null;
  records: RankRow[];
  trees: { regions: number; ranks: number }[];
  region_count: number;
  regions: JobRegion[];
  late_count: number;
  late: LateRank[];
  slow_network: { text: string; region: number; records?: number[] }[];
  clocks: { host: string; offset_ns: number; residual_ns: number; collectives: number }[];
  groups: RankGroup[];
  notes: string[];
  matrix: {
    regions: number[];
    records: number[];
    regions_left_out: number;
    records_left_out: number;
    values?: RankValues;
    packed?: Packed;
  };
}

// ---- The document -----------------------------------------------------------

export interface Report {
  schema: string;
  generated_at?: string;
  config_fingerprint?: string;
  capture?: {
    mode?: string;
    tools?: Record<string, unknown>;
    command?: unknown;
    clock_control?: string | null;
    cache_control?: string | null;
    devices?: string[];
    processes?: { scope?: string; pid?: number; name?: string; host?: string; rank?: number | null }[];
    runs?: Run[];
    replay_ratio?: ReplayRatio;
    sampling?: Sampling[];
    check?: Check[];
    [other: string]: unknown;
  };
  // The facts that all cells of a metric share, and the place of the cells.
  metrics?: Record<string, { unit?: string; rule?: string; doc?: string; cells?: string }>;
  scopes: Scope[];
  // The rows of sections: a region repeats those of metrics in place.
  sections?: Record<string, { title?: string; rows: { label: string; metric: string }[] }>;
  headlines?: Headline[];
  columns?: Packed; // from beside the report
  ranks?: RanksBlock; // of two or more
  notes?: (Row | string)[];
}

// The report in the page, or why there is none.
export function parseReport(text: string): Report | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "This page contains no report: it is the bare viewer, or the file was cut off.";
  }
  const report = value as Report;
  if (typeof report?.schema !== "string" || !Array.isArray(report.scopes)) {
    return "This page does not contain a Rangefinder report.";
  }
  if (report.schema !== "rangefinder.report/2") {
    return `This page shows reports of the schema rangefinder.report/2, not ${report.schema}.`;
  }
  // Unknown: the kernels of ranges that were measured as a whole are not counted.
  for (const { totals } of report.scopes) totals.kernel_count ??= 0;
  return report;
}
