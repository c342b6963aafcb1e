// The ranks of a job: their numbers, who is like whom, and the tab of the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { heatNumbers, pooled, type HeatChoice } from "../src/rank_heat.ts";
import { quantities, readJob, type Quantity } from "../src/rank_model.ts";
import { differenceText } from "../src/rank_tables.ts";
import { sharesOf } from "../src/ranks.ts";
import { firstQuantity } from "../src/ranks_view.ts";
import type { Imbalance, RanksBlock, Report } from "../src/report.ts";
import { start } from "../src/show.ts";
import { Page } from "./fake_dom.ts";
import { scopeOf } from "./sample.ts";

const quantity = (key: string): Quantity => quantities.find((q) => q.key === key)!;
const over = (median: number) => ({
  min: median, median, max: median, sum: median, ranks: 4,
  min_rank: 0, max_rank: 0, min_record: 0, max_record: 0,
});

// Four ranks on two hosts. Rank 2's mlp takes 12 % longer, and it waits for
// nobody; rank 3 is a stage without an mlp.
function block(): RanksBlock {
  const compute = [[1000, 500], [1000, 500], [1060, 560], [900, null]];
  const of = (value: (rank: number, region: number) => number | null) =>
    compute.map((row, rank) => row.map((_, region) => (row[region] === null ? null : value(rank, region))));
  return {
    count: 4,
    world: 8,
    records: [0, 1, 2, 3].map((rank) => ({
      rank, host: rank < 2 ? "node0" : "node1", pid: 10 + rank, devices: ["NVIDIA H200"], tree: rank === 3 ? 1 : 0,
      ...(rank === 1 ? { notes: ["its trace is cut"] } : {}),
    })),
    trees: [{ regions: 1, ranks: 3 }, { regions: 0, ranks: 1 }],
    region_count: 2,
    regions: [
      { id: 0, parent: null, path: [], ranks: 4, min_kernels: 1, max_kernels: 1, compute_ns: over(1000) },
      { id: 1, parent: 0, path: ["mlp"], ranks: 3, min_kernels: 1, max_kernels: 1, compute_ns: over(500) },
    ],
    late_count: 1,
    late: [{ text: "mlp: rank 2 last in 93.0 % of 100 instances", region: 1, record: 2 }],
    slow_network: [],
    clocks: [],
    groups: [
      { tree: 0, typical: 1, records: [0, 1] },
      { tree: 0, typical: 2, records: [2] },
      { tree: 1, typical: 3, records: [3] },
    ],
    notes: ["ranks 4 to 7 of 8 left no trace"],
    matrix: {
      regions: [0, 1], records: [0, 1, 2, 3], regions_left_out: 0, records_left_out: 0,
      values: {
        compute_ns: compute,
        overlapped_ns: of(() => 0),
        exposed_ns: of((_, region) => (region === 0 ? 100 : 0)),
        copy_ns: of(() => 0),
        idle_ns: of(() => 0),
        waiting_ns: of((rank, region) => (region === 0 ? (rank === 2 ? 0 : 90) : null)),
        kernels: of(() => 4),
        latency_ns: of(() => 40),
        sm_clock_hz: null,
      },
    },
  };
}

test("Numbers are by rank and region, and null where a rank has none", async () => {
  const job = await readJob(block());
  assert.equal(job.of(quantity("compute_ns"), 2, 1), 560);
  assert.equal(job.of(quantity("compute_ns"), 3, 1), null);
  assert.equal(job.of(quantity("gpu_ns"), 2, 0), 1160);
  assert.equal(job.of(quantity("delay_ns"), 0, 0), 10);
  assert.equal(job.of(quantity("waiting_ns"), 0, 1), null);
  assert.equal(job.difference(quantity("compute_ns"), 2, 1), 60 / 500);
  // Of all that the region takes: waiting has no median to be a part of.
  assert.equal(job.difference(quantity("waiting_ns"), 2, 0), -90 / 1100);
  assert.ok(!job.known().some(({ key }) => key === "sm_clock_hz"));
});

test("The heat map opens on the part of the time that makes the worst rank late", async () => {
  assert.equal(firstQuantity(await readJob(block())).key, "compute_ns");
  const idle = block();
  idle.matrix.values!.compute_ns = [[1000, 500], [1000, 500], [1000, 500], [900, null]];
  idle.matrix.values!.idle_ns = [[0, 0], [0, 0], [80, 80], [0, 0]];
  idle.regions[1]!.idle_ns = over(0);
  assert.equal(firstQuantity(await readJob(idle)).key, "idle_ns");
  assert.equal(firstQuantity(await readJob({ ...idle, late: [] })).key, "compute_ns");
});

test("Packed numbers are the same", async () => {
  const packed = block();
  const text = JSON.stringify(packed.matrix.values);
  packed.matrix.packed = { encoding: "gzip+base64", content: gzipSync(text).toString("base64") };
  delete packed.matrix.values;
  const job = await readJob(packed);
  assert.equal(job.of(quantity("compute_ns"), 2, 1), 560);
});

test("Ranks that behave alike are one, until they are opened", async () => {
  const job = await readJob(block());
  const drawn = (joined: boolean, open: number[] = []) =>
    job.items(joined, new Set(open)).map(({ record, stands }) => `${record}×${stands}`).join(" ");
  assert.equal(drawn(false), "0×1 1×1 2×1 3×1");
  assert.equal(drawn(true), "1×2 2×1 3×1");
  assert.equal(drawn(true, [0]), "0×1 1×1 2×1 3×1");
});

test("A rank that was started again, and one without a number, are told apart", async () => {
  const again = block();
  again.records[1]!.rank = 0;
  again.records[3]!.rank = null;
  const job = await readJob(again);
  assert.deepEqual([0, 1, 2, 3].map((record) => job.who(record)), [
    "rank 0 on node0, process 10",
    "rank 0 on node0, process 11",
    "rank 2 on node1",
    "process 13 on node1",
  ]);
});

test("Colours are of the difference to the median; what shares a pixel shows the furthest", async () => {
  const job = await readJob(block());
  const choice: HeatChoice = {
    job, items: job.items(false, new Set()), quantity: quantity("compute_ns"), meaning: "median", selected: null,
  };
  const { values, range } = heatNumbers(choice);
  assert.equal(range, 0.12);
  assert.deepEqual([...values].map((v) => (Number.isNaN(v) ? null : Math.round(100 * v))), [0, 0, 45, -76, 0, 0, 100, null]);
  const two = pooled(heatNumbers(choice), 2);
  assert.deepEqual([...two.values].map((v) => Math.round(100 * v)), [0, -76, 0, 100]);
  const most = heatNumbers({ ...choice, meaning: "most" });
  assert.equal(most.values[2], 1);
});

test("Differences are written with their sign", () => {
  assert.deepEqual([0.121, -0.03, 0, 0.0001, null].map(differenceText), ["+12.1 %", "−3.0 %", "±0 %", "±0 %", "–"]);
});

const report = () => ({ schema: "rangefinder.report/2", scopes: [scopeOf("mlp 100")], ranks: block() });
const settled = () => new Promise((done) => setTimeout(done));

test("The page says who is late, and leads to the rank", async () => {
  const page = new Page(report(), start);
  assert.match(page.text, /mlp: rank 2 last in 93\.0 % of 100 instances/);
  assert.equal(page.table("All ranks"), undefined);
  page.click("show");
  await settled();
  assert.match(page.text, /4 of 8 ranks/);
  assert.equal(page.table("All ranks")?.length, 4);
  assert.ok(page.headings.some((heading) => heading.startsWith("Rank 2 on node1")));
  assert.match(page.table("Regions of the rank")![1]!, /^mlp \| \+12\.0 % \| 560 ns/);
  assert.match(page.location.hash, /tab=ranks&record=2/);
  assert.match(page.text, /ranks 4 to 7 of 8 left no trace/);
  assert.match(page.text, /Values of mlp, inner regions included/);
});

test("The tab and the rank are in the address; alike ranks can be joined", async () => {
  const page = new Page(report(), start, "#tab=ranks&record=3");
  await page.ready;
  await settled();
  assert.ok(page.headings.some((heading) => heading.startsWith("Rank 3 on node1")));
  // A stage without the region has no row of it.
  assert.equal(page.table("Regions of the rank")?.length, 1);
  const joined = page.root.all((e) => e.attribute("type") === "checkbox" && e.parent!.textContent.includes("similar"))[0]!;
  (joined as unknown as { checked: boolean }).checked = true;
  joined.send("change");
  assert.match(page.table("All ranks")![0]!, /^2 like rank 1/);
  page.root.all((e) => e.attribute("title") === "Show each")[0]!.send("click");
  assert.equal(page.table("All ranks")?.length, 4);
});

test("Metrics of the ranks' scopes are shown like times", async () => {
  const whole = { ...report(), metrics: { bytes: { unit: "byte" } } };
  whole.scopes[0]!.regions[0]!.inclusive.metrics = { bytes: { value: 30, unit: "byte" } };
  for (const [rank, value] of [10, 20].entries()) {
    const scope = { ...scopeOf("mlp 50"), scope: `process:${rank}/device:0`, rank, host: "node0" };
    scope.regions[0]!.inclusive.metrics = { bytes: { value, unit: "byte" } };
    whole.scopes.push(scope);
  }
  const page = new Page(whole, start, "#tab=ranks");
  await page.ready;
  page.choose("Show ", "metric:bytes");
  page.choose("as ", "most");
  assert.match(page.table("All ranks")![0]!, /^rank 0 \| node0 \|/);
  page.root.all((e) => e.classes.includes("crumb") && e.textContent === "rank 1")[0]!.send("click");
  assert.deepEqual(page.table("Regions of the rank"), ["mlp | +33.3 % | 20 B | 500 ns | 500 ns | – | 0 ns | 0 ns | 10 ns | 4"]);
});

test("Without ranks there is no tab", () => {
  const page = new Page({ ...report(), ranks: undefined }, start, "#tab=ranks");
  assert.doesNotMatch(page.text, /Ranks/);
});

test("A block that is damaged is said, and the rest of the page stays", async () => {
  const damaged = report();
  delete damaged.ranks.matrix.values;
  damaged.ranks.matrix.packed = { encoding: "gzip+base64", content: "AAAA" };
  const page = new Page(damaged, start, "#tab=ranks");
  await page.ready;
  assert.match(page.text, /The numbers of the ranks could not be read/);
});

test("Shares of a region are in the order of ranks, and devices are summed", () => {
  const rank = (number: number, ns: number) => ({
    ...scopeOf(`mlp ${ns}`), scope: "process", rank: number, process: 90 - number,
  });
  const report = {
    scopes: [scopeOf("mlp 60"), rank(10, 10), rank(2, 20), rank(0, 10), rank(2, 10), { ...rank(1, 0), regions: [] }],
  } as unknown as Report;
  const over = (what: string) =>
    sharesOf(report, 1, { over: what } as Imbalance).map(({ who, ns }) => [who, ns]);
  assert.deepEqual(over("rank"), [["rank 0", 10], ["rank 1", 0], ["rank 2", 30], ["rank 10", 10]]);
  assert.deepEqual(over("process").map(([who]) => who), ["process 80", "process 88", "process 89", "process 90"]);
});
