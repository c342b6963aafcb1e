import assert from "node:assert/strict";
import { test } from "node:test";
import { coverageText, overhead, runsText, tracedTiles } from "../src/two_runs.ts";

const run = (name: string, mode: string, seconds: number, outcome = "ok") => ({
  name,
  mode,
  seconds,
  passes: 0,
  outcome,
});

test("a run is held against the trace of its rank, if that gave anything", () => {
  const runs = [
    run("trace, rank 0", "trace", 2),
    run("trace, rank 1", "trace", 4),
    run("trace, rank 2", "trace", 1, "nothing to trace"),
    run("all, rank 0", "kernel", 20),
    run("all, rank 1", "kernel", 20),
    run("all, rank 2", "kernel", 20),
  ];
  assert.deepEqual(
    runs.map((one) => overhead(one, runs)),
    [undefined, undefined, undefined, 10, 5, undefined],
  );
});

test("the line of runs is cut where they are many, or their names long", () => {
  const runs = Array.from({ length: 6 }, () => run("n".repeat(200), "kernel", 1));
  const text = runsText(runs);
  assert.match(text, /; 2 more under “All regions”$/);
  assert.equal(text.split("; ").length, 5);
  assert.ok(text.startsWith(`${"n".repeat(79)}… (kernel) 1.000 s;`));
  assert.doesNotMatch(runsText(runs.slice(2)), /more/);
});

test("coverage is said where it is partial", () => {
  const coverage = { launches_measured: 12, launches: 840, time_share: 0.96 };
  assert.equal(
    coverageText(coverage),
    "12 of 840 launches carry counters, 96.0 % of the baseline GPU time",
  );
  assert.equal(coverageText({ ...coverage, launches: 12 }), "");
  assert.equal(coverageText(undefined), "");
});

test("the time of the baseline run is a figure of its own", () => {
  assert.deepEqual(tracedTiles({ traced: { kernel_count: 840, gpu_time_ns: 5000 } }), [
    ["Baseline run", "5.000 µs", "840 kernels"],
  ]);
  assert.deepEqual(tracedTiles({}), []);
});
