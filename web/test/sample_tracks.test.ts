// The counters over time: the text of the block, the chosen counters, and the
// samples of each pixel.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  choicesOf,
  linesOf,
  meanIn,
  pixelsOf,
  pointAt,
  topOf,
  tracksIn,
  tracksOf,
  type PackedTrack,
} from "../src/sample_tracks.ts";
import { scopeOf } from "./sample.ts";

// Points at 0-100, 100-200, a gap, 400-500.
const packed: PackedTrack = {
  process: 7,
  device: 0,
  samples: 30,
  lost: 20,
  interval_ns: 10,
  start: [0, 100, 300],
  length: [100, 100, 100],
  metrics: [
    { name: "dram__bytes_read.sum", unit: "byte/s", mean: [10, 30, 50], max: [20, 90, 60] },
    { name: "dram__bytes.sum", unit: "byte/s", mean: [20, null, 60], max: [30, null, 70] },
    { name: "sm__pipe_tensor_cycles_active.avg", unit: "%", mean: [1, 2, 3] },
    { name: "sm__cycles_active.avg", unit: "%", mean: [40, 50, 60] },
  ],
};
const [track] = tracksOf([packed]);
const [reads, both] = track!.lines;

test("Starts are sums, a missing value is none, and points without a largest are samples", () => {
  assert.deepEqual([...track!.start], [0, 100, 400]);
  assert.deepEqual([...track!.end], [100, 200, 500]);
  assert.equal(track!.each, 10);
  assert.ok(Number.isNaN(both!.mean[1]));
  assert.equal(reads!.most, 90);
  assert.deepEqual([...track!.lines[3]!.max], [40, 50, 60]);
  assert.deepEqual(tracksOf(undefined), []);
});

test("A pixel has the mean over time and the largest, and none where nothing was sampled", () => {
  const { mean, max } = pixelsOf(track!, reads!, { from: 0, to: 500 }, 5);
  assert.deepEqual([...mean], [10, 30, NaN, NaN, 50]);
  assert.deepEqual([...max], [20, 90, NaN, NaN, 60]);
  // 50 of 10, 100 of 30: a gap counts for nothing.
  assert.deepEqual([...pixelsOf(track!, reads!, { from: 50, to: 350 }, 1).mean], [(50 * 10 + 100 * 30) / 150]);
  assert.deepEqual([...pixelsOf(track!, reads!, { from: 120, to: 160 }, 2).mean], [30, 30]);
  assert.equal(meanIn(track!, reads!, { from: 0, to: 500 }), 30);
  assert.ok(Number.isNaN(meanIn(track!, reads!, { from: 210, to: 390 })));
});

test("A value of 0 is drawn, and what has no value is not", () => {
  const [own] = tracksOf([{ ...packed, metrics: [{ name: "a", unit: "", mean: [0, null, 2] }] }]);
  assert.deepEqual([...pixelsOf(own!, own!.lines[0]!, { from: 0, to: 500 }, 5).mean], [0, NaN, NaN, NaN, 2]);
});

test("The point at a time; in a gap there is none", () => {
  assert.deepEqual([0, 99, 100, 250, 400, 600].map((at) => pointAt(track!, at)), [0, 0, 1, -1, 2, -1]);
});

test("Memory and SMs are shown at first, and each, all or none can be", () => {
  const names = (wanted: string) => linesOf(track!, wanted).map(({ name }) => name);
  assert.deepEqual(names(""), ["dram__bytes.sum", "sm__cycles_active.avg"]);
  assert.deepEqual(names("all").length, 4);
  assert.deepEqual(names("none"), []);
  assert.deepEqual(names("dram__bytes_read.sum"), ["dram__bytes_read.sum"]);
  // An address may name counters that this run does not have.
  assert.deepEqual(names("gone.sum"), names(""));
  const [other] = tracksOf([{ ...packed, metrics: packed.metrics.slice(0, 1) }]);
  assert.deepEqual(linesOf(other!, "").map(({ name }) => name), ["dram__bytes_read.sum"]);
  assert.deepEqual(choicesOf([track!, other!]).map(([, label]) => label), [
    "memory and SMs",
    "all",
    "DRAM reads (dram__bytes_read.sum)",
    "DRAM traffic (dram__bytes.sum)",
    "Tensor pipes (sm__pipe_tensor_cycles_active.avg)",
    "SM activity (sm__cycles_active.avg)",
    "none",
  ]);
});

test("A scope has the tracks of its process and device", () => {
  const scope = scopeOf("A 10");
  const tracks = tracksOf([packed, { ...packed, device: 1 }, { ...packed, process: 8 }]);
  assert.equal(tracksIn(tracks, scope).length, 3);
  assert.equal(tracksIn(tracks, { ...scope, process: 7 }).length, 2);
  assert.equal(tracksIn(tracks, { ...scope, process: 7, device: 1 }).length, 1);
});

test("Shares are drawn up to 100 %, rates up to their largest", () => {
  assert.equal(topOf(reads!), 90);
  assert.equal(topOf(track!.lines[3]!), 100);
  assert.equal(topOf(track!.lines[2]!), 3);
  assert.equal(topOf({ ...reads!, most: 0 }), 1);
});
