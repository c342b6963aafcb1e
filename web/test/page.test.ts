// The whole page on small reports: two runs, names, ranks and times.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import type { Region, Report, Scope, Spread, Times } from "../src/report.ts";
import { apart } from "../src/kernels_table.ts";
import { start } from "../src/show.ts";
import { Page } from "./fake_dom.ts";
import { scopeOf } from "./sample.ts";

const page = (report: Report, hash = "") => new Page(report, start, hash);
const reportOf = (scopes: Scope[], capture: Report["capture"] = {}): Report => ({
  schema: "rangefinder.report/2",
  capture,
  scopes,
});
const region = (scope: Scope, name: string): Region =>
  scope.regions.find((r) => r.name === name)!;

// ---- Two runs ---------------------------------------------------------------

const runs = [
  { name: "trace", mode: "trace", seconds: 2.5, passes: 1, outcome: "ok" },
  { name: "all", mode: "kernel", seconds: 30, passes: 9, outcome: "ok" },
];

// A ran twice as often as it was measured, B as often, C was not measured.
function twoRuns(): Report {
  const scope = scopeOf(`
A 100
  inner 20
B 50
C 0
`);
  const traced = (
    name: string,
    [kernels, ns, own, ownNs]: number[],
    calls: [string, number, number, number, number][],
  ) => {
    region(scope, name).traced = {
      kernel_count: kernels!,
      gpu_time_ns: ns!,
      own_kernel_count: own!,
      own_gpu_time_ns: ownNs!,
      busy_ns: ns!,
      kernels: calls.map(([kernel_name, count, ms, measured, measuredMs]) => ({
        kernel_name,
        calls: count,
        total_ms: ms,
        measured_calls: measured,
        measured_total_ms: measuredMs,
      })),
    };
  };
  traced("A", [22, 2160, 20, 2000], [["gemm", 20, 0.002, 10, 0.0013]]);
  traced("inner", [2, 160, 2, 160], [["relu", 2, 0.00016, 2, 0.00016]]);
  traced("B", [5, 40, 5, 40], [["gemm", 5, 0.00004, 5, 0.00005]]);
  traced("C", [1, 7, 1, 7], [["late", 1, 0.000007, 0, 0]]);
  region(scope, "A").coverage = {
    launches_measured: 12,
    launches: 22,
    time_share: 0.96,
  };
  region(scope, "A").scaled = {
    "dram__bytes.sum": { value: 51, error: 5.5, unit: "byte", single_samples: 0 },
  };
  region(scope, "A").inclusive.metrics = {
    "dram__bytes.sum": { value: 27, unit: "byte", how: "exact" },
  };
  scope.traced = { kernel_count: 28, gpu_time_ns: 2207, busy_ns: 2200 };
  scope.coverage = { launches_measured: 17, launches: 28, time_share: 0.9 };
  return reportOf([scope], {
    runs,
    replay_ratio: { median: 1.3, low: 1, high: 1.5, kernels: 3 },
  });
}

test("The head says which runs were made, and what each cost", () => {
  const { text } = page(twoRuns());
  assert.match(text, /runs trace 2\.500 s, 1 pass; all \(kernel\) 30\.00 s, 9 passes, 12\.00× the trace/);
  assert.match(text, /2\.207 µs baseline/);
});

test("Times of the baseline run carry the table, and what was not measured is no 0", () => {
  const shown = page(twoRuns());
  assert.match(shown.text, /GPU time by region, baseline run/);
  assert.deepEqual(shown.columns, [
    "Region",
    "Share",
    "Baseline run inclusive",
    "GPU time measured",
    "Baseline run exclusive",
    "Launches inclusive",
    "Kernels inclusive",
    "dram__bytes sum [B]",
  ]);
  // Nothing of C was measured, which is not 0.
  const rows = [
    "A | 97.9 % | 2.160 µs | 120 ns | 2.000 µs | 22 | 12 | 27",
    "inner | 7.2 % | 160 ns | 20 ns | 160 ns | 2 | 2 | –",
    "B | 1.8 % | 40 ns | 50 ns | 40 ns | 5 | 5 | –",
    "C | 0.3 % | 7 ns | – | 7 ns | 1 | – | –",
  ];
  assert.deepEqual(shown.rows, rows);
  shown.sortBy("Baseline run inclusive");
  shown.sortBy("Baseline run ↓ inclusive");
  assert.deepEqual(shown.rows.map((row) => row.split(" ")[0]), ["C", "B", "A", "inner"]);
});

test("Chart and shares are of either run", () => {
  const shown = page(twoRuns());
  shown.selectRow("B");
  assert.equal(shown.location.hash, "#region=3");
  shown.click("Measured");
  assert.equal(shown.location.hash, "#by=measured&region=3");
  assert.equal(shown.rows[0]?.split(" | ")[1], "70.6 %");
  assert.deepEqual(shown.columns.slice(1, 5), [
    "Share",
    "GPU time inclusive",
    "Baseline run inclusive",
    "GPU time exclusive",
  ]);
  assert.equal(shown.rows[3], "C | – | – | 7 ns | – | 1 | – | –");
  assert.equal(page(twoRuns(), shown.location.hash).rows[0], shown.rows[0]);
  shown.click("Baseline");
  assert.equal(shown.rows[0]?.split(" | ")[1], "97.9 %");
  assert.equal(page(reportOf([scopeOf("A 10")])).button("Measured"), undefined);
});

test("Without a second run there is no column for it", () => {
  const shown = page(reportOf([scopeOf("A 10")]));
  assert.ok(!shown.columns.some((column) => /Baseline/.test(column)));
  assert.ok(!shown.headings.includes("Two runs"));
});

test("A region has both times, what differs, coverage and scaled sums", () => {
  const shown = page(twoRuns(), "#region=1");
  assert.deepEqual(shown.table("The two runs"), [
    "GPU time | 2.160 µs | 120 ns | –",
    "launches | 22 | 12 | –",
    "exclusive GPU time | 2.000 µs | 100 ns | –",
    "exclusive launches | 20 | 10 | –",
    "GPU busy | 2.160 µs | – | –",
  ]);
  assert.match(shown.text, /12 of 22 launches carry counters, 96\.0 % of the baseline GPU time\./);
  assert.deepEqual(shown.table("Scaled metrics"), [
    "dram__bytes.sum | 27 B | ~ 51 B | ± 5.5 B",
  ]);
  assert.match(shown.text, /Kernel by kernel \(1\), 1 with different launch counts/);
  assert.deepEqual(shown.table("Kernels of the two runs"), [
    "gemm | 20 | 10 | 100 ns | 130 ns | 1.30× | fewer measured",
  ]);
});

test("Times of equal launches are compared", () => {
  const shown = page(twoRuns(), "#region=3");
  assert.deepEqual(shown.table("The two runs")?.slice(0, 2), [
    "GPU time | 40 ns | 50 ns | 1.25×",
    "launches | 5 | 5 | –",
  ]);
  shown.selectRow("C");
  assert.deepEqual(shown.table("Kernels of the two runs"), [
    "late | 1 | 0 | 7 ns | – | – | only in baseline",
  ]);
});

test("All regions together: the runs, and kernel by kernel", () => {
  const shown = page(twoRuns());
  assert.equal(shown.table("Runs"), undefined);
  shown.click("All regions");
  assert.equal(shown.location.hash, "#region=all");
  assert.equal(shown.button("All regions")?.attribute("aria-pressed"), "true");
  assert.deepEqual(shown.table("Runs"), [
    "trace | trace | 2.500 s | – | 1 | ok",
    "all | kernel | 30.00 s | 12.00× | 9 | ok",
  ]);
  assert.match(shown.text, /Kernels took 1\.30 times as long under replay \(median of 3, from 1\.00 to 1\.50\)\./);
  assert.match(shown.text, /17 of 28 launches carry counters/);
  assert.deepEqual(shown.table("Kernels of the two runs"), [
    "gemm | 25 | 15 | 81.6 ns | 90 ns | 1.10× | fewer measured",
    "relu | 2 | 2 | 80 ns | 80 ns | 1.00× | ",
    "late | 1 | 0 | 7 ns | – | – | only in baseline",
  ]);
  assert.equal(page(twoRuns(), "#region=all").table("Runs")?.length, 2);
});

test("Ranges measured as a whole have that time, and shares of the baseline run", () => {
  const scope = scopeOf("A 0\n  inner 0\nB 0");
  for (const [name, ns, own] of [["A", 300, 200], ["inner", 100, 100], ["B", 100, 100]] as const) {
    region(scope, name).traced = { kernel_count: 1, gpu_time_ns: ns, own_kernel_count: 1, own_gpu_time_ns: own };
  }
  region(scope, "A").measured = [
    { mode: "range", gpu_time_ns: 3000, metrics: { "dram__bytes.sum": { value: 8, unit: "byte", how: "measured" } } },
    { mode: "range", gpu_time_ns: 2900 },
  ];
  scope.traced = { kernel_count: 3, gpu_time_ns: 400 };
  scope.coverage = { launches_measured: 0, launches: 3, time_share: 0 };
  const shown = page(reportOf([scope]));
  assert.deepEqual(shown.columns.slice(1, 5), [
    "Share",
    "Baseline run inclusive",
    "As a whole not summed",
    "Baseline run exclusive",
  ]);
  assert.equal(shown.rows[0], "A | 75.0 % | 300 ns | 3.000 µs ×2 | 200 ns | 1 | 8");
  assert.equal(shown.rows[2], "B | 25.0 % | 100 ns | – | 100 ns | 1 | –");
  delete region(scope, "B").traced;
  assert.equal(page(reportOf([scope])).rows[2], "B | – | – | – | – | – | –");
  assert.match(shown.text, /As a whole3\.000 µsrange, first of 2/);
  assert.doesNotMatch(shown.text, /carry counters|0 kernels/);

  // Without a trace there is nothing to have a share of.
  delete scope.traced;
  for (const one of scope.regions) delete one.traced;
  const alone = page(reportOf([scope]));
  assert.deepEqual(alone.columns.slice(0, 2), ["Region", "As a whole not summed"]);
  assert.equal(alone.rows[0], "A | 3.000 µs ×2 | 8");
  const chart = alone.root.all((e) => e.classes.includes("icicle-panel"))[0]!;
  assert.equal(chart.hidden, true);
});

// ---- Links -----------------------------------------------------------------

function withMetrics(): Report {
  const scope = scopeOf("A 100\n  inner 20\nB 50");
  const cell = (value: number, unit: string) => ({ value, unit, how: "exact" as const });
  scope.regions.forEach((one, i) => {
    one.inclusive.metrics = {
      "launch__grid_size": cell(64, ""),
      "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": cell(i, ""),
      "dram__bytes.sum": cell(1e6 * (i + 1), "byte"),
      "sm__throughput.avg.pct_of_peak_sustained_elapsed": cell(10 + i, "%"),
    };
    one.exclusive.metrics = one.inclusive.metrics;
    one.verdict = ["memory bound: x", "compute bound: y", null][i];
  });
  scope.totals.metrics = scope.regions[0]!.inclusive.metrics;
  return reportOf([scope]);
}
const check = (shown: Page, label: string) =>
  shown.root
    .all((e) => e.tag === "label" && e.textContent.trim() === label)[0]!
    .all((e) => e.tag === "input")[0]!
    .send("change");

test("Columns, order, layout and colours are kept in the link", () => {
  const shown = page(withMetrics());
  assert.deepEqual(shown.columns.slice(-2), ["sm__throughput avg % of peak", "dram__bytes sum [MB]"]);
  assert.equal(shown.rows[0], "A | 70.6 % | 120 ns | 100 ns | 12 | 10.00 | 1");
  check(shown, "sm__throughput.avg.pct_of_peak_sustained_elapsed");
  check(shown, "GPU time exclusive");
  shown.sortBy("dram__bytes sum [MB]");
  shown.click("Flat");
  shown.sortBy("Region");
  assert.deepEqual(shown.columns, ["Region ↑", "Share", "GPU time inclusive", "Kernels exclusive", "dram__bytes sum [MB]"]);
  const hash = "#region=1&layout=flat&sort=name&columns=dram__bytes.sum&hide=exclusive";
  assert.equal(decodeURIComponent(shown.location.hash), hash);
  const again = page(withMetrics(), hash);
  assert.deepEqual(again.columns, shown.columns);
  assert.deepEqual(again.rows, shown.rows);
});

test("Colours say what limits a region, and a legend says so", () => {
  const shown = page(withMetrics());
  const legend = () =>
    shown.root.all((e) => e.classes.includes("legend-item")).map((e) => e.textContent);
  const blocks = () =>
    shown.root.all((e) => e.classes.includes("block")).map((e) => `${e.textContent} ${e.classes[1]}`);
  assert.deepEqual(legend(), ["memory bound", "compute bound", "unknown"]);
  assert.deepEqual(blocks().sort(), ["A limit-memory", "B color-none", "inner limit-compute"]);
  shown.choose("Colour: ", "share");
  assert.equal(shown.location.hash, "#region=1&color=share");
  assert.equal(legend()[0], "below 0.5 %");
  assert.deepEqual(blocks().sort(), ["A heat5", "B heat4", "inner heat3"]);
  shown.choose("Colour: ", "sm__throughput.avg.pct_of_peak_sustained_elapsed");
  assert.deepEqual(legend().filter(Boolean), ["0", "100.00 %", "not measured"]);
});

test("Space and enter open and close a row, arrows go in and out", () => {
  const shown = page(withMetrics());
  const names = () => shown.rows.map((row) => row.split(" | ")[0]);
  shown.key(" ");
  assert.deepEqual(names(), ["A", "B"]);
  shown.key("Enter");
  assert.deepEqual(names(), ["A", "inner", "B"]);
  shown.key("ArrowRight");
  assert.equal(shown.location.hash, "#region=2");
  shown.key("ArrowLeft");
  assert.equal(shown.location.hash, "#region=1");
});

test("At most three findings stand at the top, as text", () => {
  const found = (headlines: Report["headlines"]) => {
    const shown = page({ ...withMetrics(), headlines });
    const list = shown.root.all((e) => e.classes.includes("headline"))[0]!;
    return { shown, lines: list.children.map((line) => line.textContent) };
  };
  const { shown, lines } = found([
    { text: "GPU idle", next: "look there", region_id: 3 },
    { text: "<b>two" },
    { text: "three", region_id: 0, certain: false, next: "ask" },
    { text: "four" },
  ]);
  assert.deepEqual(lines, ["GPU idleto do: look thereshow", "<b>two", "threenext: ask"]);
  shown.click("show");
  assert.equal(shown.location.hash, "#region=3");
  assert.deepEqual(found(undefined).lines, []);
});

test("The names of a merged region are with it, the slowest first said", () => {
  const scope = scopeOf("decode_* 30");
  const member = (name: string, ns: number) => ({ name, instances: 1, kernel_count: 1, gpu_time_ns: ns });
  scope.regions[0]!.merged = {
    count: 3,
    slowest: member("decode_1", 15),
    members: [member("decode_0", 10), member("decode_1", 15)],
  };
  scope.regions[0]!.summary = { source: "kernels", reason: "said why" };
  const shown = page(reportOf([scope]));
  assert.deepEqual(shown.table("Merged names"), ["decode_0 | 1 | 1 | 10 ns", "decode_1 | 1 | 1 | 15 ns"]);
  assert.match(shown.text, /the slowest is decode_1, 15 ns on the GPU\. The first 2; 1 more\./);
  assert.match(shown.text, /said why/);
});

test("What has no duration is a dash, and kernels that the report sums are taken as they are", () => {
  const scope = scopeOf("A 0\n  inner 20");
  const kernel = { kernel_name: "gemm", calls: 4, total_ms: null, mean_ms: null, min_ms: null, max_ms: null };
  region(scope, "A").kernels = [
    { ...kernel, own_calls: 0 },
    { ...kernel, kernel_name: "relu", total_ms: 0.004, own_calls: 1, own_total_ms: 0.001 },
  ];
  const shown = page(reportOf([scope]), "#region=1");
  assert.deepEqual(shown.table("Kernels"), [
    "gemm | 4 | 0 | – | – | – | – | – | 0 ns",
    "relu | 4 | 1 | 4.000 µs | 100.0 % | – | – | – | 1.000 µs",
  ]);
});

// ---- By name ----------------------------------------------------------------

function named(): Report {
  const scope = scopeOf(`
step 10
  forward 30
    attn 60
  attn 20
end 40
`);
  scope.by_name = [
    {
      name: "attn",
      domain: "",
      regions: [3, 4],
      inclusive: {
        kernel_count: 8,
        gpu_time_ns: 80,
        metrics: { "dram__bytes.sum": { value: 5, unit: "byte", how: "exact" } },
      },
    },
  ];
  return reportOf([scope]);
}

test("Phases and costs per unit stand below the wall time, and nothing without a framework", () => {
  const scope = scopeOf(`
decode 80
prefill 20
`);
  const plain = page(reportOf([structuredClone(scope)]));
  assert.ok(!plain.text.includes("Phases"));
  scope.phases = [
    { phase: "decode", gpu_time_ns: 80e6, share: 0.8, kernel_count: 504 },
    { phase: "prefill", gpu_time_ns: 19e6, share: 0.19, kernel_count: 2 },
    { phase: null, gpu_time_ns: 1e6, share: 0.01, kernel_count: 1 },
  ];
  region(scope, "decode").units = [
    {
      metric: "gpu_time_ns",
      unit: "ns",
      mean: 143_300,
      per_instance: { value: 112_000, standard_error: 300 },
      costs: [{ unit: "generated_tokens", value: 1000, standard_error: 10, mean: 4580, from: 1, to: 64, same: ["generation_requests"] }],
    },
    {
      metric: "dram__bytes_read.sum",
      unit: "byte",
      mean: 3e9,
      costs: [],
      bends: "batch",
      bins: [{ units: 8, instances: 12, mean: 3.2e9 }],
    },
  ];
  const shown = page(reportOf([scope])).text;
  for (const text of ["Phases", "(none)", "Costs per unit", "112", "143.3", "generated token = generating request, 1 to 64", "instance with 8 × sequence of the batch", "dram__bytes_read.sum"])
    assert.ok(shown.includes(text), text);
});

test("Names are a layout: every name once, opened into its regions", () => {
  const shown = page(named());
  shown.click("By name");
  assert.deepEqual(shown.columns, [
    "Name",
    "Share",
    "GPU time ↓ inclusive",
    "Regions",
    "Kernels inclusive",
  ]);
  const names = [
    "step | 75.0 % | 120 ns |  | 12",
    "forward | 56.3 % | 90 ns |  | 9",
    "attn | 50.0 % | 80 ns | 2 | 8",
    "end | 25.0 % | 40 ns |  | 4",
  ];
  assert.deepEqual(shown.rows, names);
  assert.match(shown.text, /4 names/);
  shown.selectRow("attn");
  assert.equal(shown.location.hash, "#name=attn");
  shown.key("ArrowRight");
  assert.deepEqual(shown.rows.slice(2, 5), [
    names[2],
    "step / forward / attn | 37.5 % | 60 ns |  | 6",
    "step / attn | 12.5 % | 20 ns |  | 2",
  ]);
  shown.key("ArrowRight");
  assert.equal(shown.location.hash, "#region=3&layout=names");
  shown.key("ArrowLeft");
  assert.equal(shown.location.hash, "#name=attn");
  shown.key("ArrowLeft");
  assert.deepEqual(shown.rows, names);
});

test("A name has its amounts, and its regions to go to", () => {
  const shown = page(named(), "#name=attn");
  assert.equal(shown.button("By name")?.attribute("aria-pressed"), "true");
  assert.match(shown.text, /A kernel counts once/);
  assert.match(shown.text, /GPU time80 ns50\.0 %Kernels8Regions2/);
  assert.deepEqual(shown.table("Regions of the name"), [
    "step / forward / attn | 60 ns | 6",
    "step / attn | 20 ns | 2",
  ]);
  assert.deepEqual(shown.table("Metrics"), ["dram__bytes.sum | 5 B | exact | "]);
  const marked = shown.root.all((e) => e.classes.includes("block") && e.classes.includes("selected"));
  assert.deepEqual(marked.map((e) => e.textContent), ["attn", "attn"]);
  shown.click("step / attn");
  assert.equal(shown.location.hash, "#region=4&layout=names");
});

test("Where every name is one region's there is no such layout", () => {
  assert.equal(page(reportOf([scopeOf("A 10")])).button("By name"), undefined);
});

// ---- Ranks ------------------------------------------------------------------

test("Who has how much of a region stands under the imbalance", () => {
  const all = scopeOf("A 100");
  all.regions[0]!.imbalance = { over: "rank", count: 3, max: 70, mean: 100 / 3, ratio: 2.1, who: "rank 1" };
  const of = (rank: number, device: number, drawing: string): Scope => ({
    ...scopeOf(drawing),
    scope: `process:${rank}/device:${device}`,
    process: rank,
    rank,
  });
  const none = of(2, 0, "other 10");
  none.regions[0]!.id = 9;
  const shown = page(reportOf([all, of(0, 0, "A 30"), of(1, 0, "A 40"), of(1, 1, "A 30"), none]));
  assert.equal(shown.rows[0]?.split(" | ").at(-1), "2.10×");
  assert.match(shown.text, /rank 1 has 2\.10 times the mean of 3 ranks/);
  assert.deepEqual(shown.table("Ranks"), [
    "rank 0 | 30 ns |  | 0.90× | 3",
    "rank 1 | 70 ns |  | 2.10× | 7",
    "rank 2 | 0 ns |  | 0.00× | 0",
  ]);
});

// ---- Times ------------------------------------------------------------------

const spread = (count: number, min: number, median: number, max: number): Spread => ({
  instances: count,
  total: count * median,
  min,
  median,
  max,
  mean: median,
  standard_deviation: 1,
});

test("Times of instances are a table, a plot and the slowest", () => {
  const scope = scopeOf("A 100");
  const instance = { process: 7, thread: 7, start_ns: 5, gpu_span_ns: 70, gpu_idle_ns: 10 };
  const times: Times = {
    instances: 3,
    unclosed: 1,
    cpu_ns: spread(2, 10, 20, 40),
    gpu_ns: spread(3, 30, 50, 60),
    gpu_span_ns: spread(3, 40, 60, 70),
    gpu_idle_ns: spread(3, 10, 10, 10),
    gpu: {
      busy_ns: 140,
      span_ns: 200,
      idle_ns: 60,
      concurrency: 1,
      copies: 2,
      copy_ns: 30,
      copy_bytes: 4096,
      sets: 0,
      set_ns: 0,
      set_bytes: 0,
      latency_ns: { ...spread(0, 5, 6, 7), instances: undefined, kernels: 9 },
    },
    first: { cpu_ns: [10, 40, null], gpu_ns: [30, 50, 60] },
    slowest: [{ ...instance, ordinal: 1, cpu_ns: 40, gpu_ns: 50 }],
    slowest_gpu: [
      { ...instance, ordinal: 2, cpu_ns: null, gpu_ns: 60 },
      { ...instance, ordinal: 1, cpu_ns: 40, gpu_ns: 50 },
    ],
  };
  scope.regions[0]!.times = times;
  const shown = page(reportOf([scope]));
  assert.deepEqual(shown.table("Times"), [
    "CPU |  | 40 ns | 2 | 10 ns | 20 ns | 20 ns | 40 ns | 1 ns",
    "Kernels |  | 150 ns | 3 | 30 ns | 50 ns | 50 ns | 60 ns | 1 ns",
    "GPU span |  | 180 ns | 3 | 40 ns | 60 ns | 60 ns | 70 ns | 1 ns",
    "Without its work |  | 30 ns | 3 | 10 ns | 10 ns | 10 ns | 10 ns | 1 ns",
    "Launch to start |  | 0 ns | 9 | 5 ns | 6 ns | 6 ns | 7 ns | 1 ns",
  ]);
  const lines = shown.root.all((e) => e.tag === "svg" && e.attribute("class") === "spread");
  assert.equal(lines[0]?.attribute("aria-label"), "CPU: 10 ns to 40 ns, median 20 ns");
  assert.equal(lines.length, 5);
  // Two bars an instance.
  const plot = shown.root.all((e) => e.classes.includes("instances"))[0]!;
  assert.equal(plot.all((e) => e.tag === "rect").length, 6);
  assert.deepEqual(shown.table("Slowest instances"), [
    "#1 | 5 ns | 40 ns | 50 ns | 70 ns | 10 ns",
    "#2 | 5 ns | – | 60 ns | 70 ns | 10 ns",
  ]);
  assert.match(shown.text, /1 never closed: their wall time is unknown/);
  assert.match(shown.text, /Copies24\.096 KB in 30 ns/);
});

// ---- Limits ------------------------------------------------------------------

test("What limits a region is said, with its roofline and its kernels'", () => {
  const scope = scopeOf("A 10");
  const row = {
    precision: "fp32",
    flop: 2e9,
    intensity: 4,
    achieved_flops: 1e12,
    peak_flops: 6e13,
    limit_flops: 1.6e13,
    percent: 6.25,
  };
  const a = scope.regions[0]!;
  a.verdict = "memory bound: DRAM at 80 % of its peak";
  a.roofline = [row];
  a.kernels![0]!.roofline = [{ ...row, limit_flops: null, percent: null }];
  const shown = page(reportOf([scope]));
  assert.match(shown.text, /memory bound: DRAM at 80 % of its peak/);
  assert.deepEqual(shown.table("Roofline"), [
    "the region | fp32 | 2 Gflop | 4 flop/B | 1 Tflop/s | 16 Tflop/s | 6.25 % | memory",
    "kernel_of_A | fp32 | 2 Gflop | 4 flop/B | 1 Tflop/s | – | – | –",
  ]);
});

test("All regions and kernels are points of one chart, and lead to their region", () => {
  const scope = scopeOf("A 10\n  inner 20");
  const row = (intensity: number) => ({
    precision: "fp32",
    flop: 2e9,
    intensity,
    achieved_flops: 1e12,
    peak_flops: 6e13,
    peak_bandwidth: 4e12,
    limit_flops: Math.min(6e13, 4e12 * intensity),
    percent: 6.25,
  });
  scope.regions[0]!.roofline = [row(4)];
  scope.regions[1]!.roofline = [row(40)];
  scope.regions[1]!.kernels![0]!.roofline = [row(40)];
  const shown = page(reportOf([scope]), "#region=all");
  const points = () => shown.root.all((e) => e.classes.includes("point"));
  assert.deepEqual(points().map((e) => `${e.tag} ${e.classes[1]}`), [
    "rect limit-compute",
    "circle limit-memory",
    "circle limit-compute",
  ]);
  assert.match(points()[0]!.textContent, /^kernel_of_inner in A \/ inner\nfp32: 1 Tflop\/s at 40 flop\/B/);
  assert.equal(shown.root.all((e) => e.tag === "polyline").length, 1);
  points()[2]!.send("click");
  assert.equal(shown.location.hash, "#region=2");
  // All stay, those of the region on top and marked.
  assert.deepEqual(points().map((e) => e.classes[2]), [undefined, "selected", "selected"]);
  assert.equal(shown.table("Roofline")?.length, 2);
});

// ---- Kernels and metrics -----------------------------------------------------

test("Kernels of a region are with inner regions, and say which are its own", () => {
  const scope = scopeOf("A 10\n  inner 20\nB 30");
  const kernel = (name: string, calls: number, ms: number) => ({
    kernel_name: name, calls, total_ms: ms, mean_ms: ms / calls, min_ms: ms / calls, max_ms: ms / calls,
  });
  region(scope, "A").kernels = [kernel("gemm", 2, 0.002)];
  region(scope, "inner").kernels = [kernel("gemm", 2, 0.006), kernel("relu", 1, 0.001)];
  const shown = page(reportOf([scope]), "#region=1");
  assert.deepEqual(shown.table("Kernels"), [
    "gemm | 4 | 2 | 8.000 µs | 88.9 % | 2.000 µs | 1.000 µs | 3.000 µs | 2.000 µs",
    "relu | 1 | 0 | 1.000 µs | 11.1 % | 1.000 µs | 1.000 µs | 1.000 µs | 0 ns",
  ]);
  assert.ok(shown.headings.includes("Kernels (2)inner regions included"));
  shown.selectRow("inner");
  assert.equal(shown.table("Kernels")?.[0], "gemm | 2 | 6.000 µs | 85.7 % | 3.000 µs | 3.000 µs | 3.000 µs");
});

test("Metrics come in the order of their meaning, with headings among many", () => {
  const names = [
    "device__attribute_clock_rate",
    "launch__grid_size",
    "zzz__unheard_of.sum",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "dram__bytes.sum",
    "l1tex__t_sectors.sum",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__time_duration.sum",
    "smsp__inst_executed.sum",
    "sm__cycles_elapsed.avg",
    "sm__inst_executed_pipe_fma.sum",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
  ];
  const scope = scopeOf("A 10");
  const metrics = Object.fromEntries(names.map((name) => [name, { value: 1, unit: "", how: "exact" as const }]));
  scope.regions[0]!.inclusive.metrics = scope.regions[0]!.exclusive.metrics = metrics;
  const shown = page(reportOf([scope]));
  assert.deepEqual(shown.table("Metrics")?.map((row) => row.split(" | ")[0]), [
    "Time", "gpu__time_duration.sum",
    "Speed of light", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "Memory", "dram__bytes.sum", "l1tex__t_sectors.sum",
    "Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active",
    "Stalls", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
    "Instructions and pipes", "smsp__inst_executed.sum", "sm__inst_executed_pipe_fma.sum",
    "Cycles and clocks", "sm__cycles_elapsed.avg",
    "Rest", "zzz__unheard_of.sum",
    "Launch", "launch__grid_size",
    "Device and profiler", "device__attribute_clock_rate",
  ]);
});

// ---- Names that attack ------------------------------------------------------

// Every text of a report except keys and kinds.
function renamed<T>(value: T, name: string): T {
  const kept = ["scope", "how", "unit", "over", "schema", "mode", "outcome"];
  if (Array.isArray(value)) {
    return value.map((v) => (typeof v === "string" ? name : renamed(v, name))) as T;
  }
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, v]) => [
      key,
      typeof v === "string" && !kept.includes(key) ? name : renamed(v, name),
    ]),
  ) as T;
}

test("Whatever things are called, it stays text", () => {
  const hostile = "<img src=x onerror=alert(1)>\u202e\n\u0007";
  const visible = "<img src=x onerror=alert(1)>\\u202e\\n\\x07";
  for (const [report, hashes] of [
    [twoRuns(), ["#region=1", "#region=all"]],
    [named(), ["#region=1", "#name="]],
  ] as const) {
    for (const hash of hashes) {
      const drawn = (name: string, seen: string) => {
        const shown = page(renamed(report, name), hash === "#name=" ? `#name=${encodeURIComponent(seen)}` : hash);
        if (hash === "#name=") assert.match(shown.text, /by name/);
        assert.ok(shown.text.includes(seen));
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
        assert.doesNotMatch(shown.text, /[\u202e\n\u0007]/);
        return shown.root.all(() => true).map((e) => e.tag).sort();
      };
      assert.deepEqual(drawn(hostile, visible), drawn("plain", "plain"), hash);
    }
  }
});

test("A large document is packed, and shown once it is unpacked", async () => {
  const report = reportOf([scopeOf("A 10\nB 20")]);
  const packed = (text: string) => {
    const bytes = Buffer.from(text);
    const parts = [bytes.subarray(0, 100), bytes.subarray(100)];
    const content = parts.map((part) => gzipSync(part).toString("base64"));
    return { packed: { encoding: "gzip+base64", content } };
  };
  const shown = new Page(packed(JSON.stringify(report)), start);
  assert.match(shown.root.textContent, /Unpacking/);
  await shown.ready;
  assert.deepEqual(shown.rows, new Page(report, start).rows);

  const broken = new Page({ packed: { encoding: "gzip+base64", content: "AAAA" } }, start);
  await broken.ready;
  assert.match(broken.root.textContent, /cannot be unpacked .* report\.md and report\.json have the same numbers/);
});

test("Wall time orders the regions, names their cause and is divided by parts", () => {
  const scope = scopeOf("A 10\n  inner 5\nB 50");
  const spread = (total: number, instances: number) => ({
    instances, total, min: 0, median: 0, max: total, mean: total / instances, standard_deviation: 0,
  });
  const timed = (name: string, wall: number, parts: Record<string, number>) => {
    region(scope, name).times = {
      instances: 2, unclosed: 0, cpu_ns: spread(wall, 2), gpu_ns: spread(10, 2),
      gpu_span_ns: spread(10, 2), gpu_idle_ns: spread(0, 2), wall_ns: parts,
      gpu: { busy_ns: 10, span_ns: 10, idle_ns: 0, concurrency: 1, copies: 0, copy_bytes: 0, sets: 0, set_bytes: 0, latency_ns: spread(0, 2) },
    };
  };
  timed("A", 800, { kernels: 80, host: 720 });
  timed("inner", 300, { kernels: 300 });
  timed("B", 200, { kernels: 150, copies: 50 });
  region(scope, "A").cause = { kind: "host", title: "host-bound", certain: true, text: "text", next: "next", saves_ns: 700 };
  const shown = page(reportOf([scope]));
  assert.match(shown.text, /Wall time by region/);
  assert.deepEqual(shown.columns.slice(0, 6), ["Region", "Share", "Wall time inclusive", "Each steady", "Idle", "Cause"]);
  assert.match(shown.rows[0]!, /^A \| 80\.0 % \| 800 ns \| 400 ns \| 90\.0 % \| host-bound /);
  assert.deepEqual(shown.rows.map((row) => row.split(" ")[0]), ["A", "inner", "B"]);
  const bar = shown.root.all((e) => e.classes.includes("wall-bar"))[0]!;
  assert.equal(
    bar.attribute("aria-label"),
    "Wall time: kernels 230 ns (23.0 %), copies 50 ns (5.0 %), host 720 ns (72.0 %)",
  );
  assert.match(shown.text, /host-bound, text; at stake 700 ns/);
  shown.click("GPU time");
  assert.equal(shown.rows[0]!.split(" | ")[1], "23.1 %");
  assert.equal(shown.location.hash.includes("by=measured"), true);
});

test("Kernels whose names begin alike show their ends", () => {
  const begin = "elementwise_kernel<128, 4, gpu_kernel_impl_nocast<";
  const shown = apart([`${begin}MulFunctor<float>>`, `${begin}AddFunctor<float>>`, "gemm"]);
  assert.equal(shown(`${begin}MulFunctor<float>>`), "elementwise_kernel…t<MulFunctor<float>>");
  assert.equal(shown("gemm"), "gemm");
  assert.equal(apart([`${begin}MulFunctor<float>>`])(`${begin}MulFunctor<float>>`), `${begin}MulFunctor<float>>`);
});

test("The signs of bounds are explained where they are shown", () => {
  const scope = scopeOf("A 10\nB 5");
  const text = /≤ and ≥ are bounds/;
  assert.doesNotMatch(page(reportOf([scope])).text, text);
  region(scope, "A").inclusive.metrics = {
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": { value: 50, unit: "%", how: "bound", bound: "upper" },
  };
  const shown = page(reportOf([scope]));
  assert.match(shown.rows[0]!, /≤ 50/);
  assert.match(shown.text, text);
});
