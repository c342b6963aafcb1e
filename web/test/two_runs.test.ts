import assert from "node:assert/strict";
import { test } from "node:test";
import { coverageText, tracedTiles } from "../src/two_runs.ts";

test("coverage is said where it is partial", () => {
  const coverage = { launches_measured: 12, launches: 840, time_share: 0.96 };
  assert.equal(
    coverageText(coverage),
    "12 of 840 launches carry counters, 96.0 % of the undisturbed time",
  );
  assert.equal(coverageText({ ...coverage, launches: 12 }), "");
  assert.equal(coverageText(undefined), "");
});

test("the undisturbed time is a figure of its own", () => {
  assert.deepEqual(tracedTiles({ traced: { kernel_count: 840, gpu_time_ns: 5000 } }), [
    ["Undisturbed", "5.000 µs", "840 kernels"],
  ]);
  assert.deepEqual(tracedTiles({}), []);
});
