// The page of small comparisons: its first sentence, the table of both sides,
// the origin of the change, and the panel of a region.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import type { Diff, DiffRegion, DiffTime, Verdict } from "../src/diff_model.ts";
import { parseDiff, readDiff } from "../src/diff_model.ts";
import { stepsOf } from "../src/diff_parts.ts";
import { startDiff } from "../src/diff_show.ts";
import { Page } from "./fake_dom.ts";

const page = (diff: unknown, hash = "") => new Page(diff, startDiff, hash);

const timeOf = (base: number, fresh: number, more: Partial<DiffTime> = {}): DiffTime => ({
  per_instance: false,
  base_ns: [base],
  new_ns: [fresh],
  base_median_ns: base,
  new_median_ns: fresh,
  base_mean_ns: base,
  new_mean_ns: fresh,
  ratio: fresh / base,
  interval: null,
  chance: null,
  cycles_ratio: null,
  runs_needed: null,
  change_ns: fresh - base,
  own_change_ns: 0,
  ...more,
});

let next = 0;
const region = (path: string, parent: number | null, verdict: Verdict, time: DiffTime, more: Partial<DiffRegion> = {}): DiffRegion => ({
  id: next++,
  parent,
  path,
  name: path.split("/").pop()!,
  base_path: null,
  paired_by: "name",
  depth: path === "" ? 0 : path.split("/").length,
  verdict,
  why: null,
  time,
  facts: [],
  kernels: [],
  counters: [],
  ...more,
});

// mlp is slower, attention was attn, tail may be slower, head is the same.
function sample(): Diff {
  next = 0;
  const regions = [
    region("", null, "SLOWER", timeOf(1e6, 1.3e6)),
    region("step", 0, "SLOWER", timeOf(9e5, 1.2e6, { base_ns: [8e5, 1e6], interval: [1.2, 1.4], chance: 0.004, runs_needed: 5 })),
    region("step/mlp", 1, "SLOWER", timeOf(4e5, 6.6e5), {
      facts: [{ kind: "launches", text: "1 more launch per instance: splitk", kernel: "splitk", base: 0, new: 1 }],
      kernels: [
        { base: "gemm<64>", new: "gemm<128>", paired_by: "guess", base_launches: 4, new_launches: 4, base_ns: 4e5, new_ns: 6e5 },
        { base: null, new: "splitk", paired_by: "name", base_launches: 0, new_launches: 2, base_ns: 0, new_ns: 6e4 },
      ],
      counters: [
        { metric: "dram__bytes.sum", unit: "byte", base: 1e6, new: 2e6, base_standard_error: 1e4, new_standard_error: null, ratio: 2, changed: true },
      ],
    }),
    region("step/attention", 1, "RENAMED", timeOf(3e5, 3e5), { base_path: "step/attn", paired_by: "guess" }),
    region("step/tail", 1, "AMBIGUOUS", timeOf(2e5, 2.4e5, { runs_needed: 9 }), { why: "fewer than 5 runs per side" }),
    region("head", 0, "SAME", timeOf(1e5, 1e5)),
    region("gone", 0, "GONE", timeOf(1e5, 0, { new_ns: [], new_median_ns: null, new_mean_ns: null, ratio: null, change_ns: -1e5 })),
  ];
  return {
    schema: "rangefinder.diff/1",
    comparable: true,
    summary: "2 slower, 1 the same",
    caveats: [{ fatal: false, text: "another driver" }],
    base: { runs: ["a", "b"], settings: { device: "H200", driver: "1" } },
    new: { runs: ["c"], settings: { device: "H200", driver: "2" } },
    rules: { time: 0.02, absolute_ns: 20000, alpha: 0.01, least_runs: 5, tested: 6 },
    gate: { asked: true, passed: false, crossings: [{ region: 2, path: "step/mlp", what: "time", text: "GPU time +65 %", accepted: null }] },
    regions,
    contributions: [
      { region: 2, path: "step/mlp", kernel: "gemm<128>", change_ns: 2e5, with: ["per launch +50 %"] },
      { region: 6, path: "gone", kernel: "old", change_ns: -1e5, with: [] },
      { region: 2, path: "step/mlp", kernel: "splitk", change_ns: 6e4, with: [] },
      { region: 4, path: "step/tail", kernel: null, change_ns: 1.4e5, with: [] },
    ],
  };
}

test("The head says what came of it, the caveats and the gate", () => {
  const { text, title } = page(sample());
  assert.equal(title, "+30.0 % – Rangefinder diff");
  assert.match(text, /GPU time per run 1\.000 ms → 1\.300 ms, \+30\.0 %/);
  assert.match(text, /The whole run: ▲ SLOWER 2 slower, 1 the same/);
  assert.match(text, /Caveatsanother driver/);
  assert.match(text, /The gate failedstep\/mlp GPU time \+65 %/);
  assert.match(text, /Timing gates need at least 5 runs per side/);
  assert.match(text, /2 pairs were guessed/);
});

test("What cannot be compared says so before all else", () => {
  const diff = sample();
  diff.comparable = false;
  diff.gate = { asked: true, passed: null, crossings: [] };
  diff.caveats.unshift({ fatal: true, text: "device differs" });
  const { text } = page(diff);
  assert.match(text, /The runs are not comparabledevice differs/);
  assert.doesNotMatch(text, /The gate/);
});

test("How the runs were made stands side by side", () => {
  assert.deepEqual(page(sample()).table("How the runs were made"), [
    "runs | a, b | c | ",
    "device | H200 | H200 | ",
    "driver | 1 | 2 | differs",
  ]);
});

test("The table has both sides, the change and the verdict, and sorts by each", () => {
  const shown = page(sample());
  assert.deepEqual(shown.columns, ["Region", "Base", "New", "Change", "Change mean per run", "95 % of the change", "Verdict"]);
  assert.deepEqual(shown.rows, [
    "(the whole run) | 1.000 ms | 1.300 ms | +30.0 % |  | – | ▲ SLOWER",
    "step | 900.0 µs | 1.200 ms | +33.3 % |  | +20.0 … +40.0 % | ▲ SLOWER",
    "mlp | 400.0 µs | 660.0 µs | +65.0 % |  | – | ▲ SLOWER",
    "attention | 300.0 µs | 300.0 µs | +0.0 % |  | – | → RENAMED ≈",
    "tail | 200.0 µs | 240.0 µs | +20.0 % |  | – | ? AMBIGUOUS",
    "head | 100.0 µs | 100.0 µs | +0.0 % |  | – | = SAME",
    "gone | 100.0 µs | – | – |  | – | − GONE",
  ]);
  const names = () => shown.rows.map((row) => row.split(" | ")[0]);
  shown.sortBy("Change mean per run");
  assert.deepEqual(names(), ["(the whole run)", "step", "mlp", "tail", "attention", "head", "gone"]);
  shown.sortBy("Change ↓ mean per run");
  assert.deepEqual(names(), ["(the whole run)", "gone", "head", "step", "attention", "tail", "mlp"]);
});

test("Wall time stands in the head and in a column, where both sides have it", () => {
  const diff = sample();
  diff.regions[1]!.time.wall_change_ns = { host: 5e5, copies: -3e5 };
  const shown = page(diff);
  assert.match(shown.text, /Wall time in regions: \+200\.0 µs\. Verdicts are on GPU time alone\./);
  assert.equal(shown.columns[6], "Change of wall time");
  assert.match(shown.rows[1]!, /\+200\.0 µs \| ▲ SLOWER$/);
  assert.match(shown.rows[2]!, /– \| ▲ SLOWER$/);
  assert.doesNotMatch(page(sample()).text, /Wall time/);
});

test("Only what changed, and what it is in", () => {
  const shown = page(sample());
  const box = shown.root.all((e) => e.attribute("type") === "checkbox")[0]!;
  Object.assign(box, { checked: true });
  box.send("change");
  assert.ok(!shown.rows.some((row) => row.startsWith("head")));
  assert.equal(shown.rows.length, 6);
  assert.match(shown.location.hash, /only=changed/);
  assert.equal(page(sample(), shown.location.hash).rows.length, 6);
  Object.assign(box, { checked: false });
  box.send("change");
  assert.equal(shown.rows.length, 7);
});

test("The chart is as wide as the new side, in colours of the change, hatched where it is ambiguous", () => {
  const shown = page(sample());
  const blocks = shown.root.all((e) => e.classes.includes("block"));
  const drawn = blocks.map((e) => [
    e.textContent,
    `${parseFloat(String(e.style.width)).toFixed(1)} % ${e.classes.slice(1).join(" ")}`,
  ]);
  assert.deepEqual(Object.fromEntries(drawn), {
    "(the whole run)": "100.0 % more3",
    step: "92.3 % more3",
    mlp: "50.8 % more3 selected",
    attention: "23.1 % change-none",
    tail: "18.5 % more2 ambiguous",
    head: "7.7 % change-none",
  });
});

test("The parts of the change add up to the whole", () => {
  const diff = sample();
  assert.deepEqual(
    stepsOf(diff, 2).map(({ label, from, to }) => [label, from, to]),
    [
      ["step/mlp: gemm<128>", 0, 2e5],
      ["gone: old", 2e5, 1e5],
      ["2 other parts together", 1e5, 3e5],
    ],
  );
  assert.equal(stepsOf(diff, 10).at(-1)!.to, diff.regions[0]!.time.change_ns);
  const { text } = page(diff);
  assert.match(text, /step\/mlp: gemm<128>\+200\.0 µsper launch \+50 %/);
  assert.match(text, /step\/tail: measured as a whole\+140\.0 µs/);
  assert.match(text, /The whole run\+300\.0 µs/);
});

test("A region has its facts, its kernels in pairs and its counters", () => {
  const shown = page(sample(), "#region=2");
  assert.match(shown.text, /1 more launch per instance: splitk/);
  assert.deepEqual(shown.table("Kernels"), [
    "gemm<128>≈ was gemm<64> | 4 | 4 | 400.0 µs | 600.0 µs | +200.0 µs | +50.0 %",
    "splitknew | – | 2 | – | 60.00 µs | +60.00 µs | –",
  ]);
  assert.deepEqual(shown.table("Counters"), ["dram__bytes.sum | 1 MB±1 % | 2 MB | +100.0 % | changed"]);
  shown.selectRow("attention");
  assert.match(shown.text, /was step\/attn \(paired by guess, ≈\)/);
  shown.selectRow("tail");
  assert.match(shown.text, /\? AMBIGUOUS fewer than 5 runs per side/);
  assert.match(shown.text, /To decide9 runs per side/);
});

test("How many runs would tell is said only of what is not told", () => {
  const shown = page(sample(), "#region=1");
  assert.match(shown.text, /p, over all regions0\.004/);
  assert.doesNotMatch(shown.text, /To decide/);
});

const packedDiff = (text: string) => ({
  packed: { encoding: "gzip+base64", bytes: text.length, content: gzipSync(text).toString("base64") },
});

test("A packed comparison is shown as the same one that is not", async () => {
  const plain = page(sample());
  const packed = page(packedDiff(JSON.stringify(sample())));
  await packed.ready;
  assert.equal(packed.root.textContent, plain.root.textContent);
  assert.equal(packed.title, plain.title);
});

test("What cannot be unpacked says why", async () => {
  assert.match(String(await readDiff('{"packed":{"encoding":"gzip+base64","content":"AAAA"}}')), /could not be read/);
  assert.match(String(await readDiff('{"packed":{"encoding":"rot13","content":""}}')), /unknown encoding/);
  assert.match(String(await readDiff('{"packed":{"enc')), /cut off/);
  const { DecompressionStream: kept } = globalThis;
  Object.assign(globalThis, { DecompressionStream: undefined });
  assert.match(String(await readDiff(JSON.stringify(packedDiff("{}")))), /--format json and md/);
  Object.assign(globalThis, { DecompressionStream: kept });
});

test("What is no comparison says why", () => {
  assert.match(String(parseDiff("/*DIFF*/")), /bare viewer/);
  assert.match(String(parseDiff("{}")), /not contain a Rangefinder comparison/);
  assert.match(String(parseDiff('{"schema": "rangefinder.diff/9", "regions": [{}]}')), /not rangefinder\.diff\/9/);
});
