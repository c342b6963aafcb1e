// Estimates on the page: values with their errors, facts about the samples, and
// measured values beside them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { legendText } from "../src/estimates.ts";
import * as format from "../src/format.ts";
import type { Cell, Measured, Report, Sampling, Scope } from "../src/report.ts";
import { start } from "../src/show.ts";
import { Page } from "./fake_dom.ts";
import { scopeOf } from "./sample.ts";

const estimate = (value: number, standard_error: number, more: Partial<Cell> = {}): Cell => ({
  value,
  unit: "byte",
  how: "estimated",
  rule: "regression",
  standard_error,
  low: value - 2 * standard_error,
  high: value + 2 * standard_error,
  launches: 1920,
  samples: 4868,
  ...more,
});

const sampling = (verdict: string, reasons: string[] = [], more: Partial<Sampling> = {}): Sampling => ({
  device: 0,
  interval_ns: 200_000,
  samples: 28_056,
  fit: {
    verdict,
    reasons,
    metrics: {
      "dram__bytes.sum": { verdict, decides: true, r2: 0.9987 },
      "sm__inst_executed.sum": { verdict: "good", decides: true, r2: 0.9991 },
    },
  },
  ...more,
});

function reportOf(scope: Scope, of: Sampling[] = [sampling("good")]): Report {
  return { schema: "rangefinder.report/2", capture: { sampling: of }, scopes: [scope] };
}

// A with an estimate, B without one.
function estimated(): Scope {
  const scope = scopeOf("A 10\nB 20");
  const [a, b] = scope.regions;
  a!.inclusive.metrics = { "dram__bytes.sum": estimate(2e9, 8e6) };
  b!.inclusive.metrics = {
    "dram__bytes.sum": { value: null, unit: "byte", how: "absent", reason: "too few samples" },
  };
  a!.kernels![0]!.metrics = { "dram__bytes.sum": estimate(2e9, 4e8) };
  return scope;
}
const page = (report: Report, hash = "#region=1") => new Page(report, start, hash);

test("An estimate is rounded to the second digit of its standard error, in one unit", () => {
  const texts = [
    estimate(1000, 4),
    estimate(1000, 94.9),
    estimate(-1_234_567, 14_400),
    estimate(1e9, 99_600_000),
    estimate(1000, 20_000),
    estimate(0, 3),
    estimate(0, 0),
    estimate(50, 2, { unit: "%" }),
    { value: 5, how: "exact" } as Cell,
    { value: null, how: "absent" } as Cell,
    undefined,
  ].map(format.cellText);
  assert.deepEqual(texts, [
    "1.0000 ± 0.0040 KB",
    "1.000 ± 0.095 KB",
    "-1.235 ± 0.014 MB",
    "1.00 ± 0.10 GB",
    "1 ± 20 KB",
    "0.0 ± 3.0 B",
    "0 B",
    "50.0 ± 2.0 %",
    "5",
    "–",
    "–",
  ]);
});

test("An estimate whose interval reaches 0 is its upper end", () => {
  const cell = estimate(1000, 600, { bound: "upper", low: 0, high: 2200 });
  assert.equal(format.cellSign(cell) + format.cellText(cell), "≤ 2.2 KB");
  assert.equal(format.errorOf(cell), null);
});

test("In a column what is little has its own unit", () => {
  const scale = format.scaleOf(2e9, "byte");
  assert.deepEqual(
    [estimate(2e9, 8e6), estimate(3e7, 1e6), estimate(3e6, 1e5)].map((cell) => format.scaledText(cell, scale)),
    ["2.0000 ± 0.0080", "0.0300 ± 0.0010", "3.00 ± 0.10 MB"],
  );
});

test("A tooltip says what an estimate is from, and its interval", () => {
  assert.deepEqual(format.cellTitle("dram__bytes.sum", estimate(2e9, 8e6)).split("\n"), [
    "dram__bytes.sum",
    "2000000000 byte",
    "estimated (regression) for 1,920 launches from 4,868 samples",
    "95 % interval: 1.984 GB to 2.016 GB",
    "standard error: 8 MB",
  ]);
});

test("Tables have the error behind the value, and a dash without one", () => {
  const shown = page(reportOf(estimated()));
  assert.deepEqual(shown.rows.map((row) => row.split(" | ").at(-1)), ["2.0000 ± 0.0080", "–"]);
  assert.match(shown.table("Metrics")![0]!, /^dram__bytes\.sum \| 2\.0000 ± 0\.0080 GB \|/);
  assert.match(shown.table("Kernels")![0]!, /2\.00 ± 0\.40 GB/);
  shown.selectRow("B");
  const cell = shown.root.all((e) => e.tag === "td" && e.attribute("title").includes("too few samples"))[0];
  assert.equal(cell?.textContent, "–");
  assert.match(shown.table("Metrics")![0]!, /absent \| too few samples$/);
});

test("What a counter is stands where the counter is shown", () => {
  const report = reportOf(estimated());
  report.metrics = { "dram__bytes.sum": { doc: "Bytes that were moved" } };
  const shown = page(report);
  const titles = shown.root.all((e) => e.attribute("title").startsWith("dram__bytes.sum\nBytes that were moved"));
  assert.ok(titles.some((e) => e.tag === "button"));
  assert.ok(titles.some((e) => e.tag === "td"));
  assert.match(format.cellTitle("dram__bytes.sum", estimate(2e9, 8e6)), /^dram__bytes\.sum\nBytes that were moved\n/);
  page(reportOf(estimated()));
  assert.equal(format.cellTitle("dram__bytes.sum", undefined).split("\n")[1], "not measured here");
});

test("Estimates are shown where some instances were counted as well", () => {
  const scope = estimated();
  const [a] = scope.regions;
  a!.inclusive.kernel_count = 0;
  const counted = (mode: string) => {
    a!.measured = [{ mode, metrics: { "dram__bytes.sum": { value: 7, unit: "byte", how: "measured" } } } as unknown as Measured];
    return page(reportOf(scope)).rows[0]!.split(" | ").at(-1);
  };
  assert.equal(counted("counters"), "2.0000 ± 0.0080");
  assert.equal(counted("range"), "7");
});

test("What ± means is said once, where estimates are shown", () => {
  const told = (shown: Page) =>
    shown.root.all((e) => e.textContent === legendText && e.tag === "p" && !e.attributes.has("hidden") && !(e as unknown as { hidden?: boolean }).hidden).length;
  assert.equal(told(page(reportOf(estimated()))), 1);
  assert.equal(told(page(reportOf(estimated()), "#region=1&columns=")), 1);
  assert.equal(told(page(reportOf(scopeOf("A 10")))), 0);
});

test("The header says what was sampled, in a line", () => {
  const line = (of: Sampling[]) =>
    page(reportOf(estimated(), of)).root.all((e) => e.classes.includes("sampling"))[0]?.textContent;
  assert.equal(
    line([sampling("good")]),
    "sampling 28,056 samples of 200.0 µs on GPU 0, 2 counters, good fit (R² 0.999 or more)",
  );
  assert.equal(
    line([
      sampling("good", [], { lost: 5 }),
      { device: 1, interval_ns: 0, samples: 0, reason: "no permission" },
    ]),
    "sampling 28,056 samples of 200.0 µs on GPU 0, 2 counters, 5 samples lost, good fit (R² 0.999 or more); GPU 1 was not sampled: no permission",
  );
  assert.equal(line([]), undefined);
});

test("A fit that is not good is a banner with its reasons", () => {
  const banners = (of: Sampling) =>
    page(reportOf(estimated(), [of])).root.all((e) => e.classes.includes("banner"));
  assert.equal(banners(sampling("good")).length, 0);
  const [doubtful] = banners(sampling("doubtful", ["3 % of the samples were lost"]));
  assert.equal(doubtful!.attribute("role"), "alert");
  assert.equal(
    doubtful!.textContent,
    "The estimates of GPU 0's counters are doubtful.3 % of the samples were lostdoubtful: dram__bytes.sum (R² 0.999)",
  );
  const reasons = ["the launches explain dram__bytes.sum badly"];
  const [bad] = banners(sampling("bad", reasons));
  assert.ok(bad!.classes.includes("bad"));
  // A reason for a metric is given once.
  assert.equal(
    bad!.textContent,
    `The counters of GPU 0 are not estimated: samples and launches do not match.${reasons[0]}`,
  );
  const [many] = banners(sampling("bad", Array.from({ length: 12 }, (_, i) => `reason ${i}`)));
  assert.match(many!.textContent, /reason 75 more are in report\.json$/);
});

test("One metric that fits badly is said, although the fit is good", () => {
  const of = sampling("good");
  of.fit!.metrics["dram__bytes.sum"]!.verdict = "bad";
  const shown = page(reportOf(estimated(), [of]));
  const [banner] = shown.root.all((e) => e.classes.includes("banner"));
  assert.equal(banner?.textContent, "Some estimates of GPU 0's counters are doubtful or bad.bad: dram__bytes.sum (R² 0.999)");
});

test("What was measured as well stands beside its estimate", () => {
  const scope = estimated();
  const a = scope.regions[0]!;
  a.inclusive.metrics = {
    "dram__bytes.sum": { value: 2.1e9, unit: "byte", how: "exact" },
    "sm__inst_executed.sum": { value: 500, unit: "inst", how: "exact" },
    "lts__t_sectors.sum": { value: 7, unit: "sector", how: "exact" },
  };
  a.estimated = {
    inclusive: {
      "dram__bytes.sum": estimate(2e9, 8e6, { agrees: false }),
      "sm__inst_executed.sum": estimate(501, 2, { unit: "inst", agrees: true }),
      "lts__t_sectors.sum": estimate(9, 1, { unit: "sector", agrees: null }),
    },
    exclusive: {},
  };
  const shown = page(reportOf(scope));
  assert.deepEqual(shown.table("Measured and estimated"), [
    "dram__bytes.sum | 2.1 GB | 2.0000 ± 0.0080 GB | differ",
    "sm__inst_executed.sum | 500 inst | 501.0 ± 2.0 inst | agree",
    "lts__t_sectors.sum | 7 sector | 9.0 ± 1.0 sector | not comparable",
  ]);
  assert.ok(shown.headings.includes("Measured and estimated1 differ"));
});

test("Without FLOP the roofline is of instructions, with their units", () => {
  const scope = estimated();
  const row = {
    precision: "instructions",
    unit: "inst",
    how: "estimated" as const,
    instructions: 4e10,
    intensity: 0.5,
    achieved_instructions: 1e12,
    peak_instructions: 8e11,
    peak_bandwidth: 4.8e12,
    limit_instructions: 8e11,
    percent: 125,
  };
  scope.regions[0]!.roofline = [row];
  const shown = page(reportOf(scope));
  assert.deepEqual(shown.table("Roofline of instructions"), [
    "the region | 40 Ginst | 0.5 inst/B | 1 Tinst/s | 800 Ginst/s | 125.00 % | compute",
  ]);
  assert.equal(shown.table("Roofline"), undefined);
  assert.match(shown.text, /intensity, inst\/B/);
  const [point] = shown.root.all((e) => e.classes.includes("point"));
  assert.match(point!.textContent, /1 Tinst\/s at 0\.5 inst\/B\nestimated from samples/);
  // One of FLOP beside it has a chart and a table of its own.
  scope.regions[1]!.roofline = [
    { precision: "fp32", unit: "flop", flop: 2e9, intensity: 4, achieved_flops: 1e12 },
  ];
  const all = page(reportOf(scope), "#region=all");
  assert.equal(all.table("Roofline")?.length, 1);
  assert.equal(all.table("Roofline of instructions")?.length, 1);
  assert.equal(all.root.all((e) => e.tag === "figure").length, 2);
});

const check = (region: string, exact: number, agrees: boolean) => ({
  region,
  metric: "dram__bytes.sum",
  unit: "byte",
  estimate: 2e6,
  standard_error: 1e4,
  instances: 100,
  exact,
  exact_standard_error: 0,
  counted: 5,
  agrees,
});

test("Estimates stand beside exact counts, those of a region in its panel", () => {
  const report = reportOf(estimated());
  report.capture!.check = [check("A", 2.01e6, true), check("B", 3e6, false)];
  const whole = page(report);
  whole.click("All regions");
  const all = whole.root.textContent;
  assert.ok(all.includes("1 of 2 agree"), all);
  assert.ok(all.includes("-33 %"), all);
  const one = page(report).root.textContent;
  assert.ok(one.includes("1 of 1 agree"), one);
  assert.ok(one.includes("-0.5 %"), one);
});

test("A region's panel draws how its counters went over the run", () => {
  const scope = estimated();
  const block = (at: number, value: number) => ({
    start_ns: at,
    end_ns: at + 1,
    instances: 12,
    metrics: { "dram__bytes.sum": { value, standard_error: 1, low: value - 2, high: value + 2 }, "idle.sum": null },
  });
  scope.regions[0]!.over_time = [{ process: 7, device: 0, blocks: [block(0, 1000), block(5, 1500)] }];
  const text = page(reportOf(scope)).root.textContent;
  assert.ok(text.includes("in 2 blocks of about 12"), text);
  assert.ok(text.includes("1 KB") && text.includes("1.5 KB"), text);
  assert.ok(!text.includes("idle.sum"), text);
});
