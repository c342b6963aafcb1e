// The timeline's arithmetic: the text of its block, the work in a span, and the
// tables of a span.

import assert from "node:assert/strict";
import { test } from "node:test";

import { buildTree } from "../src/model.ts";
import { firstBehind } from "../src/sample_tracks.ts";
import { restrict } from "../src/span_tree.ts";
import {
  busyByPixel,
  busyIn,
  busyOf,
  inSpan,
  lanesOf,
  shifted,
  ticksOf,
  timelineOf,
  zoomed,
  type TimelineBlock,
} from "../src/timeline.ts";
import { scopeOf } from "./sample.ts";

// Region 1 is A, 2 is inner in it, 3 is B. A thread has A from 0 to 100 with
// inner from 20 to 40, and B from 200 to 260; a stream has their kernels.
const block: TimelineBlock = {
  schema: "rangefinder.timeline/1",
  end_ns: 300,
  lanes: [
    { process: 7, thread: 11 },
    { process: 7, device: 0, context: 1, stream: 7 },
  ],
  ranges: { lane: [0, 0, 0], region: [1, 2, 3], row: [0, 1, 2], start: [0, 20, 180], length: [100, 20, 60] },
  kernels: {
    lane: [1, 1],
    region: [2, 3],
    name: [0, 1],
    row: [0, 1, 1],
    start: [50, 160, 30],
    length: [100, 10, 60],
    joined: [2],
    count: [6],
    busy: [30],
  },
  names: ["gemm", "relu"],
};
const drawing = "A 10\n  inner 20\nB 30";

test("Starts are sums, and what stands for several says so", () => {
  const timeline = timelineOf(block);
  const [thread, stream] = timeline.lanes;
  assert.deepEqual([...thread!.spans.start], [0, 20, 200]);
  assert.deepEqual([...stream!.spans.end], [150, 220, 300]);
  assert.deepEqual([...stream!.spans.count], [1, 1, 6]);
  assert.deepEqual([timeline.intervals, timeline.joined, timeline.stands], [6, 1, 6]);
});

test("What is nested lies in a track of its own", () => {
  const [thread] = timelineOf(block).lanes;
  assert.deepEqual(
    thread!.tracks.map((track) => [...track.item]),
    [[0, 2], [1]],
  );
  assert.equal(firstBehind(thread!.tracks[0]!, 99), 0);
  assert.equal(firstBehind(thread!.tracks[0]!, 100), 1);
  assert.equal(firstBehind(thread!.tracks[0]!, 260), 2);
});

test("A span has what overlaps it, with the part of its time that is inside", () => {
  const timeline = timelineOf(block);
  const found = inSpan(timeline, timeline.lanes, { from: 50, to: 270 });
  const { regions, kernels } = found;
  assert.deepEqual(regions.get(1), { runs: 1, cpu: 50, kernels: 0, gpu: 0 });
  assert.deepEqual(regions.get(2), { runs: 0, cpu: 0, kernels: 1, gpu: 100 });
  // One kernel, and half of the six that were joined.
  assert.deepEqual(regions.get(3), { runs: 1, cpu: 60, kernels: 4, gpu: 25 });
  assert.deepEqual([...kernels.get(3)!.keys()], ["relu"]);
});

test("In a span the tree keeps what ran, with inner regions summed", () => {
  const timeline = timelineOf(block);
  const whole = buildTree(scopeOf(drawing));
  const tree = restrict(whole, inSpan(timeline, timeline.lanes, { from: 60, to: 160 }));
  assert.deepEqual(
    tree.nodes.map((node) => [node.label, node.depth, node.inclusive, node.exclusive, node.inside?.kernels]),
    [["A", 0, 90, 0, 1], ["inner", 1, 90, 90, 1]],
  );
  assert.equal(tree.total, 90);
  assert.equal(tree.basis, "span");
  assert.equal(tree.byId.get(3), undefined);
});

test("Without a GPU a span has times on the CPU", () => {
  const timeline = timelineOf({ ...block, kernels: { lane: [], region: [], row: [], start: [], length: [] } });
  const whole = buildTree(scopeOf(drawing));
  const tree = restrict(whole, inSpan(timeline, timeline.lanes, { from: 0, to: 300 }));
  assert.deepEqual(
    tree.nodes.map((node) => [node.label, node.inclusive, node.exclusive]),
    [["A", 100, 80], ["inner", 20, 20], ["B", 60, 60]],
  );
});

test("Busy is the union of a device's streams", () => {
  const { lanes } = timelineOf(block);
  const busy = busyOf(lanes.filter((lane) => lane.kernels));
  assert.deepEqual(busy, { start: [50, 210, 240], end: [150, 220, 300] });
  assert.equal(busyIn(busy, { from: 100, to: 250 }), 70);
});

test("Of a pixel the part is known in which the device was busy", () => {
  const busy = { start: [50, 210, 240], end: [150, 220, 300] };
  assert.deepEqual([...busyByPixel(busy, { from: 0, to: 300 }, 3)], [0.5, 0.5, 0.7]);
  assert.deepEqual([...busyByPixel(busy, { from: 215, to: 235 }, 4)], [1, 0, 0, 0]);
});

test("A lane of copies is busy and has no kernels", () => {
  const timeline = timelineOf({
    ...block,
    lanes: block.lanes.map((lane) =>
      lane.thread === undefined ? { process: lane.process, device: lane.device, copies: true } : lane,
    ),
  });
  assert.ok(timeline.lanes.every((lane) => !lane.kernels));
  assert.equal(inSpan(timeline, timeline.lanes, { from: 0, to: 300 }).kernels.size, 0);
});

test("A scope of one process and device has its lanes", () => {
  const timeline = timelineOf(block);
  const of = (process: unknown, device: unknown) =>
    lanesOf(timeline, { ...scopeOf("A 1"), process, device }).length;
  assert.deepEqual([of(null, null), of(7, 0), of(7, 1), of(8, 0)], [2, 2, 1, 0]);
});

test("Zooming keeps the moment under the pointer, and never leaves the run", () => {
  assert.deepEqual(zoomed({ from: 0, to: 1000 }, 1000, 0.5, 500), { from: 250, to: 750 });
  assert.deepEqual(zoomed({ from: 250, to: 750 }, 1000, 4, 300), { from: 0, to: 1000 });
  assert.deepEqual(zoomed({ from: 0, to: 20 }, 1000, 0.1, 0), { from: 0, to: 10 });
  assert.deepEqual(shifted({ from: 0, to: 100 }, 1000, -50), { from: 0, to: 100 });
  assert.deepEqual(shifted({ from: 850, to: 950 }, 1000, 500), { from: 900, to: 1000 });
});

test("The axis has round times", () => {
  assert.deepEqual(ticksOf({ from: 0, to: 1000 }, 5), [0, 200, 400, 600, 800, 1000]);
  assert.deepEqual(ticksOf({ from: 130, to: 170 }, 3), [140, 160]);
});

test("A hundred thousand intervals are laid out, and asked about by a search", () => {
  const count = 100_000;
  const many: TimelineBlock = {
    ...block,
    end_ns: count * 10,
    ranges: {
      lane: [0],
      region: [1],
      row: new Array<number>(count).fill(0),
      start: Array.from({ length: count }, (_, i) => (i ? 10 : 0)),
      length: new Array<number>(count).fill(5),
    },
    kernels: { lane: [], region: [], row: [], start: [], length: [] },
  };
  const timeline = timelineOf(many);
  assert.equal(timeline.lanes[0]!.tracks.length, 1);
  const found = inSpan(timeline, timeline.lanes, { from: 500_000, to: 500_100 });
  assert.deepEqual(found.regions.get(1), { runs: 10, cpu: 50, kernels: 0, gpu: 0 });
});
