// Reports that pack most of their metrics.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import type { Report, Scope } from "../src/report.ts";
import { start } from "../src/show.ts";
import { Page } from "./fake_dom.ts";
import { scopeOf } from "./sample.ts";

const asked = "dram__bytes.sum";
const packed = "sm__inst_executed.sum";
const attribute = "device__attribute_clock_rate";

const block = {
  schema: "rangefinder.columns/1",
  scopes: [
    {
      scope: "aggregate",
      totals: 0,
      regions: [1, 2],
      inclusive: [0, 1],
      exclusive: [2, 1],
      kernels: [[2], [1]],
      measured: [[], []],
      by_name: [],
    },
    { scope: "process:7/device:0", same_as: 0 },
  ],
  lists: 3,
  metrics: {
    [packed]: { value: [30, 20, null], spread: { 1: [5, 15] }, form: [0, 0, 1] },
    launch__size: { value: 128, form: packed },
    [attribute]: { value: 1980, form: 2 },
  },
  forms: [
    { how: "exact", rule: "sum", measurements: 3 },
    { how: "absent", rule: "sum", reason: "not collected", measurements: 0 },
    { how: "measured", measurements: 1 },
  ],
};

function reportOf(content: unknown = block): Report {
  const scope = scopeOf("A 10\n  inner 20");
  const [a, inner] = scope.regions;
  const cell = (value: number) => ({ [asked]: { value, unit: "byte", how: "exact" as const } });
  a!.inclusive.metrics = cell(64);
  inner!.inclusive.metrics = cell(32);
  a!.sections = { Memory: [] };
  inner!.sections = { Memory: [] };
  inner!.findings = [{ rule: "Stall", title: "Long Stalls", text: "waits", kernels: 2, time_share: 0.5 }];
  const same: Scope = { ...structuredClone(scope), scope: "process:7/device:0" };
  return {
    schema: "rangefinder.report/2",
    metrics: {
      [asked]: { unit: "byte", rule: "sum", cells: "in_place" },
      [packed]: { unit: "inst", rule: "sum", cells: "columns" },
      launch__size: { unit: "", cells: "columns" },
      [attribute]: { unit: "hz", cells: "columns" },
    },
    scopes: [scope, same],
    sections: {
      Memory: {
        title: "Memory Workload",
        rows: [
          { label: "Instructions", metric: packed },
          { label: "Bytes", metric: asked },
        ],
      },
    },
    columns: {
      encoding: "gzip+base64",
      content: gzipSync(JSON.stringify(content)).toString("base64"),
    },
  };
}

test("Each packed estimate has its own error and interval", async () => {
  const content = structuredClone(block) as typeof block & { metrics: Record<string, object> };
  content.metrics[packed] = {
    value: [30, 20, null],
    interval: { 0: [3, 24, 36], 1: [1, 18, 22] },
    form: [0, 0, 1],
  } as never;
  content.forms[0] = { how: "estimated", rule: "regression", launches: 3, samples: 9 } as never;
  const page = new Page(reportOf(content), start, "#region=1");
  await page.ready;
  assert.equal(metrics(page)?.[1], "sm__inst_executed.sum | 30.0 ± 3.0 inst | –");
  page.selectRow("inner");
  assert.equal(metrics(page)?.[1], "sm__inst_executed.sum | 20.0 ± 1.0 inst | 20.0 ± 1.0 inst");
});

const metrics = (page: Page) => page.table("Metrics")?.map((row) => row.split(" | ").slice(0, 3).join(" | "));

test("What is in place is there at once, what is packed a moment later", async () => {
  const page = new Page(reportOf(), start, "#region=2");
  assert.deepEqual(metrics(page), ["dram__bytes.sum | 32 B | –"]);
  await page.ready;
  assert.deepEqual(metrics(page), [
    "dram__bytes.sum | 32 B | –",
    "sm__inst_executed.sum | 20 inst | 20 inst",
    "launch__size | 128 | 128",
  ]);
  assert.equal(page.rows[1]?.split(" | ").at(-1), "32");
});

test("Absent is absent, and says why", async () => {
  const page = new Page(reportOf(), start, "#region=1");
  await page.ready;
  assert.equal(metrics(page)?.[1], "sm__inst_executed.sum | 30 inst | –");
  assert.ok(page.root.all((e) => /not collected/.test(e.attribute("title"))).length > 0);
});

test("The totals have what the device is, regions do not", async () => {
  const page = new Page(reportOf(), start, "#region=all");
  await page.ready;
  assert.ok(page.text.includes(attribute));
  page.selectRow("A");
  assert.ok(!page.table("Metrics")?.join().includes(attribute));
});

test("Sections are filled in from the rows that all regions share", async () => {
  const page = new Page(reportOf(), start, "#region=2");
  await page.ready;
  assert.match(page.table("Memory")?.[0] ?? "", /^Instructions \| 20 inst/);
  assert.match(page.text, /Long Stalls/);
  assert.match(page.text, /50 % of the region's time/);
});

test("A scope that says what another does refers to it", async () => {
  const page = new Page(reportOf(), start, "#scope=process:7/device:0&region=2");
  await page.ready;
  assert.equal(metrics(page)?.[1], "sm__inst_executed.sum | 20 inst | 20 inst");
});

test("A browser that cannot unpack shows what is in place and says what is not", async () => {
  const there = globalThis.DecompressionStream;
  Object.assign(globalThis, { DecompressionStream: undefined });
  try {
    const page = new Page(reportOf(), start, "#region=2");
    await page.ready;
    assert.deepEqual(metrics(page), ["dram__bytes.sum | 32 B | –"]);
    assert.match(page.text, /3 of 4 metrics are not shown: they are packed, and this browser cannot/);
  } finally {
    Object.assign(globalThis, { DecompressionStream: there });
  }
});

test("A block that was cut off is said, and the rest is shown", async () => {
  const report = reportOf();
  report.columns!.content = String(report.columns!.content).slice(0, 40);
  const page = new Page(report, start);
  await page.ready;
  assert.match(page.text, /could not be read/);
  assert.equal(page.rows.length, 2);
});

test("Names of a program that every object has are metrics like others", async () => {
  const hostile = { ...block, metrics: { ...block.metrics, constructor: { value: 7, form: 2 } } };
  const report = reportOf(hostile);
  report.metrics!.constructor = { unit: "", cells: "columns" } as never;
  const page = new Page(report, start, "#region=2");
  await page.ready;
  assert.ok(metrics(page)?.some((row) => row.startsWith("constructor | 7")));
});
