// The baseline run beside the measured run: times by kernel and in total, the
// number of launches with counters, and sums scaled to all launches. Numbers of
// the two runs are never added.

import { h } from "./dom.ts";
import * as format from "./format.ts";
import type {
  Amounts,
  Coverage,
  Metrics,
  Region,
  ReplayRatio,
  Run,
  Scaled,
  Scope,
  Traced,
  TracedKernel,
} from "./report.ts";
import { numbers, table, type TableColumn } from "./tables.ts";

export interface Both {
  traced?: Traced;
  coverage?: Coverage;
  scaled?: Scaled;
}

const ratioText = (ratio: number) =>
  `${ratio < 100 ? ratio.toFixed(2) : format.digits(ratio)}×`;

// Clocks and caches apart, kernels take as long in either run.
const differs = (ratio: number) => ratio > 1.1 || ratio < 0.9;

// ---- Runs ----

const mostRuns = 4; // in a line; the table has them all

// How many times as long a run took as the one of the same rank that only
// traced; nothing where that gave nothing.
export function overhead(run: Run, runs: readonly Run[]): number | undefined {
  const rank = (of: Run) => /, rank \d+$/.exec(of.name)?.[0] ?? "";
  const bare = runs.find(
    (r) =>
      r.mode === "trace" &&
      r.outcome === "ok" &&
      r.seconds > 0 &&
      rank(r) === rank(run),
  );
  return bare && run.mode !== "trace" ? run.seconds / bare.seconds : undefined;
}

function passes(count: number): string {
  return count > 0 ? `${format.digits(count)} ${count === 1 ? "pass" : "passes"}` : "";
}

// "trace 2.500 s, 1 pass; all (kernel) 30.00 s, 9 passes, 12.00× the trace"
export function runsText(runs: readonly Run[]): string {
  const more = runs.length - mostRuns;
  return runs
    .slice(0, mostRuns)
    .map((run) => {
      const name = format.short(run.name);
      const times = overhead(run, runs);
      return [
        `${run.name === run.mode ? name : `${name} (${format.short(run.mode)})`} ${format.time(run.seconds * 1e9)}`,
        passes(run.passes),
        times === undefined ? "" : `${ratioText(times)} the trace`,
        run.outcome === "ok" ? "" : format.short(run.outcome),
      ]
        .filter(Boolean)
        .join(", ");
    })
    .concat(more > 0 ? `${format.digits(more)} more under “All regions”` : [])
    .join("; ");
}

function runsTable(runs: readonly Run[]): HTMLElement {
  return table(
    runs,
    [
      {
        label: "Run",
        text: (run) => format.visible(run.name),
        tooltip: (run) => format.visible(run.name),
        className: () => "clip",
      },
      { label: "Mode", text: (run) => format.visible(run.mode) },
      {
        label: "Time",
        title: "Run time of the program, profiler included",
        number: true,
        text: (run) => format.time(run.seconds * 1e9),
        tooltip: (run) => `${run.seconds} s`,
      },
      {
        label: "Relative to the baseline",
        number: true,
        text: (run) => {
          const times = overhead(run, runs);
          return times === undefined ? format.dash : ratioText(times);
        },
      },
      {
        label: "Passes",
        title: "Runs of each kernel",
        number: true,
        text: (run) => (run.passes > 0 ? format.digits(run.passes) : format.dash),
      },
      {
        label: "Outcome",
        text: (run) => format.visible(run.outcome),
        className: () => "long",
      },
    ],
    { caption: "Runs", cap: 20 },
  );
}

// ---- One region, or all ----

export function tracedTiles(both: Both): [string, string, string?][] {
  if (!both.traced) return [];
  const { gpu_time_ns, kernel_count } = both.traced;
  return [
    [
      "Baseline run",
      format.time(gpu_time_ns),
      `${format.digits(kernel_count)} ${kernel_count === 1 ? "kernel" : "kernels"}`,
    ],
  ];
}

// "12 of 840 launches carry counters, 96.0 % of its time"; empty where all do.
export function coverageText(coverage: Coverage | undefined): string {
  if (!coverage || coverage.launches_measured >= coverage.launches) return "";
  const { launches_measured, launches, time_share } = coverage;
  return `${format.digits(launches_measured)} of ${format.digits(launches)} launches carry counters, ${format.share(time_share, 1)} of the baseline GPU time`;
}

interface Line {
  what: string;
  traced: string;
  measured: string;
  ratio?: number;
}

// A region in both runs. Times are compared over equal launches alone.
export function linesOf(
  traced: Traced,
  inclusive: Amounts,
  exclusive: Amounts | null,
): Line[] {
  const lines: Line[] = [];
  const amounts = (
    own: string,
    ns: number,
    count: number,
    measured: Amounts,
  ) => {
    const measuredNs = measured.gpu_time_ns ?? 0;
    const comparable =
      count === measured.kernel_count && ns > 0 && measuredNs > 0;
    lines.push(
      {
        what: `${own}GPU time`,
        traced: count > 0 ? format.time(ns) : format.dash,
        measured: measured.kernel_count > 0 ? format.time(measuredNs) : format.dash,
        ratio: comparable ? measuredNs / ns : undefined,
      },
      {
        what: `${own}launches`,
        traced: format.digits(count),
        measured: format.digits(measured.kernel_count),
      },
    );
  };
  amounts("", traced.gpu_time_ns, traced.kernel_count, inclusive);
  const ownCount = traced.own_kernel_count ?? traced.kernel_count;
  if (
    exclusive &&
    (ownCount !== traced.kernel_count ||
      exclusive.kernel_count !== inclusive.kernel_count)
  ) {
    amounts("exclusive ", traced.own_gpu_time_ns ?? 0, ownCount, exclusive);
  }
  if (traced.kernel_count > 0 && typeof traced.busy_ns === "number") {
    lines.push({
      what: "GPU busy",
      traced: format.time(traced.busy_ns),
      measured: format.dash,
    });
  }
  return lines;
}

function ratioColumn<T>(of: (row: T) => number | undefined): TableColumn<T> {
  return {
    label: "Ratio",
    title: "Measured / baseline",
    number: true,
    text: (row) => {
      const ratio = of(row);
      return ratio === undefined ? format.dash : ratioText(ratio);
    },
    className: (row) => (differs(of(row) ?? 1) ? "differs" : ""),
    sort: (row) => of(row) ?? -Infinity,
  };
}

// ---- Kernel by kernel ----

const mean = (ms: number, calls: number) =>
  calls > 0 ? format.timeOfMs(ms / calls) : format.dash;

function kernelRatio(kernel: TracedKernel): number | undefined {
  const { calls, total_ms, measured_calls, measured_total_ms } = kernel;
  if (!(total_ms > 0 && measured_total_ms > 0)) return undefined;
  return measured_total_ms / measured_calls / (total_ms / calls);
}

// How the launches of the two runs are not the same.
export function disagreement(kernel: TracedKernel): string {
  if (kernel.calls === 0) return "only measured";
  if (kernel.measured_calls === 0) return "only in baseline";
  if (kernel.measured_calls > kernel.calls) return "more measured";
  return kernel.measured_calls < kernel.calls ? "fewer measured" : "";
}

// The kernels of all regions by name, most time first.
export function allKernels(regions: readonly Region[]): TracedKernel[] {
  const kernels = new Map<string, TracedKernel>();
  for (const one of regions.flatMap((region) => region.traced?.kernels ?? [])) {
    const sum = kernels.get(one.kernel_name);
    if (!sum) {
      kernels.set(one.kernel_name, { ...one });
      continue;
    }
    sum.calls += one.calls;
    sum.total_ms += one.total_ms;
    sum.measured_calls += one.measured_calls;
    sum.measured_total_ms += one.measured_total_ms;
  }
  const most = (k: TracedKernel) => Math.max(k.total_ms, k.measured_total_ms);
  return [...kernels.values()].sort((a, b) => most(b) - most(a));
}

// Only the baseline columns where no kernel was measured by itself.
function kernelTable(
  kernels: readonly TracedKernel[],
  measured: boolean,
): HTMLElement {
  const name = (kernel: TracedKernel) => format.visible(kernel.kernel_name);
  const columns: TableColumn<TracedKernel>[] = [
    {
      label: "Kernel",
      text: name,
      tooltip: name,
      className: () => "kernel short",
      sort: name,
    },
    numbers("Launches", (k) => k.calls, format.digits, { small: "baseline" }),
    numbers("Launches", (k) => k.measured_calls, format.digits, { small: "measured" }),
    {
      label: "Mean",
      small: "baseline",
      number: true,
      text: (k) => mean(k.total_ms, k.calls),
      tooltip: (k) => `${k.total_ms} ms in total`,
      sort: (k) => k.total_ms / k.calls || -1,
    },
    {
      label: "Mean",
      small: "measured",
      number: true,
      text: (k) => mean(k.measured_total_ms, k.measured_calls),
      tooltip: (k) => `${k.measured_total_ms} ms in total`,
      sort: (k) => k.measured_total_ms / k.measured_calls || -1,
    },
    ratioColumn(kernelRatio),
    {
      label: "Launches",
      small: "that differ",
      text: disagreement,
      className: () => "differs nowrap",
      sort: disagreement,
    },
  ];
  return table(
    kernels,
    measured ? columns : columns.filter((column) => column.small === "baseline" || column.text === name),
    { caption: "Kernels of the two runs", cap: 30 },
  );
}

// ---- Scaled ----

function scaledTable(scaled: Scaled, measured: Metrics): HTMLElement {
  return table(
    Object.entries(scaled),
    [
      { label: "Metric", text: ([name]) => name, className: () => "metric" },
      {
        label: "Measured launches",
        number: true,
        text: ([name]) => format.cellSign(measured[name]) + format.cellText(measured[name]),
        tooltip: ([name]) => format.cellTitle(name, measured[name]),
      },
      {
        label: "Scaled to all launches",
        number: true,
        text: ([, s]) => `~ ${format.quantity(s.value, s.unit)}`,
        tooltip: ([, s]) => String(s.value),
      },
      {
        label: "Standard error",
        title: "From the spread over similar launches",
        number: true,
        text: ([, s]) =>
          (s.error === null ? format.dash : `± ${format.quantity(s.error, s.unit)}`) +
          (s.single_samples > 0 ? " †" : ""),
        tooltip: ([, s]) =>
          s.single_samples > 0
            ? `${s.single_samples} kinds of launches were measured once: their spread is unknown`
            : "",
      },
    ],
    { caption: "Scaled metrics", cap: 50 },
  );
}

// ---- Sections ----

// Ranges measured as a whole have their counters without any kernel's.
const measuredKernels = (scope: Scope) => scope.totals.kernel_count > 0;

// The parts of both sections: the amounts, coverage and scaled sums.
function compared(
  both: Both & { traced: Traced },
  scope: Scope,
  inclusive: Amounts,
  exclusive: Amounts | null,
): HTMLElement[] {
  if (!measuredKernels(scope)) return [];
  const coverage = coverageText(both.coverage);
  const scaled = both.scaled ?? {};
  return [
    table(
      linesOf(both.traced, inclusive, exclusive),
      [
        { label: "", text: (line) => line.what },
        { label: "Baseline run", number: true, text: (line) => line.traced },
        { label: "Measured", number: true, text: (line) => line.measured },
        ratioColumn((line) => line.ratio),
      ],
      { caption: "The two runs" },
    ),
    ...(coverage ? [h("p", { class: "coverage" }, `${coverage}.`)] : []),
    ...(coverage && Object.keys(scaled).length > 0
      ? [scaledTable(scaled, inclusive.metrics ?? {})]
      : []),
  ];
}

function kernelSection(
  kernels: readonly TracedKernel[],
  scope: Scope,
  open: boolean,
): HTMLElement[] {
  if (kernels.length === 0) return [];
  const measured = measuredKernels(scope);
  const differing = measured
    ? kernels.filter((kernel) => disagreement(kernel)).length
    : 0;
  const title = `Kernel by kernel (${kernels.length})`;
  return [
    h(
      "details",
      { open },
      h("summary", {}, differing ? `${title}, ${differing} with different launch counts` : title),
      kernelTable(kernels, measured),
    ),
  ];
}

export function tracedSection(region: Region, scope: Scope): HTMLElement[] {
  const { traced } = region;
  if (!traced || (traced.kernel_count === 0 && !traced.kernels?.length)) return [];
  const { inclusive, exclusive } = region;
  return [
    h("h3", {}, measuredKernels(scope) ? "Two runs" : "Baseline run"),
    ...compared({ ...region, traced }, scope, inclusive, exclusive),
    ...kernelSection(traced.kernels ?? [], scope, false),
  ];
}

// Of everything, with the runs themselves.
export function runsSection(
  scope: Scope,
  runs: readonly Run[],
  ratio: ReplayRatio | undefined,
): HTMLElement[] {
  const { traced } = scope;
  return [
    ...(runs.length > 0 ? [h("h3", {}, "Runs"), runsTable(runs)] : []),
    ...(traced
      ? [
          h("h3", {}, "Two runs compared"),
          h("p", { class: "muted" }, "The baseline run was only traced; the other run replayed its kernels for counters. Their numbers are never added."),
          ratio ? h("p", {}, ratioSentence(ratio)) : null,
          ...compared({ ...scope, traced }, scope, scope.totals, null),
          ...kernelSection(allKernels(scope.regions), scope, true),
        ]
      : []),
  ].filter((element) => element !== null);
}

export function ratioSentence(ratio: ReplayRatio): string {
  const fixed = (value: number) => value.toFixed(2);
  return `Kernels took ${fixed(ratio.median)} times as long under replay (median of ${format.digits(ratio.kernels)}, from ${fixed(ratio.low)} to ${fixed(ratio.high)}).`;
}
