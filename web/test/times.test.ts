import assert from "node:assert/strict";
import { test } from "node:test";
import { timeOf } from "../src/model.ts";
import type { Region, Spread, Times } from "../src/report.ts";
import { barsOf, timesTiles } from "../src/times.ts";

const spread = (instances: number, total: number): Spread => ({
  instances,
  total,
  min: 0,
  median: 0,
  max: 0,
  mean: 0,
  standard_deviation: 0,
});

const times: Times = {
  instances: 3,
  unclosed: 1,
  cpu_ns: spread(2, 20000),
  gpu_ns: spread(2, 50000),
  gpu_span_ns: spread(2, 60000),
  gpu_idle_ns: spread(2, 10000),
  gpu: {
    busy_ns: 45000,
    span_ns: 100000,
    idle_ns: 55000,
    concurrency: 1.25,
    copies: 1,
    copy_bytes: 4096,
    sets: 0,
    set_bytes: 0,
    latency_ns: spread(0, 0),
  },
  first: { cpu_ns: [10000, 10000, null], gpu_ns: [40000, 10000, 0] },
};

test("an instance has two bars, and one that never closed has one", () => {
  const { bars, most } = barsOf(times);
  assert.equal(most, 40000);
  assert.deepEqual(bars[2], { ordinal: 2, cpu: null, gpu: 0 });
  assert.equal(bars.length, 3);
});

test("a region's columns: idle is inside its runs", () => {
  const region = { times } as Region;
  assert.equal(timeOf(region, "runs"), 3);
  assert.equal(timeOf(region, "cpu"), 20000);
  assert.equal(timeOf(region, "busy"), 45000);
  assert.equal(timeOf(region, "idle"), 10000);
  assert.equal(timeOf({} as Region, "cpu"), undefined);
});

test("figures say what they are part of, and nothing of what is not there", () => {
  assert.deepEqual(timesTiles(times), [
    ["GPU with its work", "45.00 µs", "of 100.0 µs"],
    ["GPU without it", "55.00 µs", "55.0 %"],
    ["Concurrency", "1.25", "activities"],
    ["Copies", "1", "4.096 KB"],
  ]);
});

test("GPU work that was not recorded is absent, and the GPU is not called idle", () => {
  const unknown: Times = { ...times, gpu: null, wall_ns: { unknown: 20000 } };
  const region = { times: unknown } as Region;
  for (const column of ["busy", "idle", "idle_share"]) assert.equal(timeOf(region, column), undefined);
  assert.equal(timeOf(region, "cpu"), 20000);
  assert.deepEqual(timesTiles(unknown), []);
});
