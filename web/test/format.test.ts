import assert from "node:assert/strict";
import { test } from "node:test";

import { markup } from "../src/detail.ts";
import * as format from "../src/format.ts";
import { programName } from "../src/header.ts";
import { parseReport } from "../src/report.ts";

test("Base units are scaled for people", () => {
  const lines = [
    [0, "ns"],
    [950, "ns"],
    [108_380, "ns"],
    [1_500_000_000, "ns"],
    [4_316_000, "byte"],
    [3.35e12, "byte/second"],
    [1.98e9, "hz"],
    [33.514, "%"],
    [0.004, "%"],
    [12, "warp"],
    [4_194_304, ""],
    [0.25, ""],
  ].map(([value, unit]) => format.quantity(Number(value), String(unit)));
  assert.deepEqual(lines, [
    "0 ns",
    "950 ns",
    "108.4 µs",
    "1.500 s",
    "4.316 MB",
    "3.35 TB/s",
    "1.98 GHz",
    "33.51 %",
    "0.004 %",
    "12 warp",
    "4.194 M",
    "0.25",
  ]);
});

test("Absent is a dash with its reason, never 0", () => {
  const cell = { value: null, how: "absent", reason: "no rule" } as const;
  assert.equal(format.cellText(cell), format.dash);
  assert.equal(format.cellText(undefined), format.dash);
  assert.equal(format.cellText({ value: 0, unit: "byte", how: "exact" }), "0 B");
  assert.match(format.cellTitle("m", cell), /absent: no rule/);
});

test("What is not exact carries a sign", () => {
  const sign = (how: "exact" | "approx" | "bound", bound?: string) =>
    format.cellSign({ value: 1, how, bound });
  assert.equal(sign("exact"), "");
  assert.equal(sign("approx"), "≈ ");
  assert.equal(sign("bound", "upper"), "≤ ");
  assert.equal(sign("bound", "lower"), "≥ ");
});

test("Launches that differ show their range", () => {
  const cell = { value: 4, unit: "", how: "exact", rule: "spread" } as const;
  assert.equal(format.cellText({ ...cell, min: 4, max: 4, distinct: 1 }), "4");
  assert.equal(
    format.cellText({ ...cell, min: 4, max: 16384, distinct: 3 }),
    "4 … 16,384",
  );
});

test("A report is named after what was profiled, not after the profiler", () => {
  const name = (command: string[], ...processes: string[]) =>
    programName({
      schema: "",
      scopes: [],
      capture: { command, processes: processes.map((p) => ({ name: p })) },
    });
  assert.equal(name(["/opt/ncu", "-f", "/tmp/nested"], "/tmp/nested"), "nested");
  assert.equal(
    name(["ncu", "python3", "-u", "/srv/llm.py", "--steps"], "/usr/bin/python3.12"),
    "llm.py",
  );
  assert.equal(name(["python", "-m", "serve"], "/usr/bin/python"), "serve");
  assert.equal(name(["./a.out"]), "a.out");
  assert.equal(name([]), "Region report");
});

test("A name is one visible line, whatever is in it", () => {
  assert.equal(format.visible("a\nb\tc\u0000\u001b[31m"), "a\\nb\\tc\\x00\\x1b[31m");
  assert.equal(format.visible("\u202egnp.exe"), "\\u202egnp.exe");
  assert.equal(format.visible(""), "“”");
  assert.equal(format.visible("<b>é 漢</b>"), "<b>é 漢</b>");
});

test("Shares never round something to nothing", () => {
  assert.equal(format.share(1, 1e6), "<0.1 %");
  assert.equal(format.share(0, 10), "0 %");
  assert.equal(format.share(1, 3), "33.3 %");
  assert.equal(format.share(1, 0), format.dash);
});

test("NVIDIA's markup becomes its label", () => {
  assert.equal(
    markup("look at @section:SchedulerStats:Scheduler Statistics@ and @url:the guide:https://example.com/a@"),
    "look at Scheduler Statistics and the guide",
  );
});

test("A page without a report says so", () => {
  assert.match(String(parseReport("/*REPORT" + "*/")), /contains no report/);
  assert.match(String(parseReport("{}")), /not contain a Rangefinder report/);
  assert.match(
    String(parseReport('{"schema": "rangefinder.report/3", "scopes": []}')),
    /schema rangefinder.report\/2, not rangefinder.report\/3/,
  );
});

test("An imbalance says who, how much and of how many", () => {
  const imbalance = { over: "rank", count: 4, max: 30, mean: 20, ratio: 1.5, who: "rank 3" };
  assert.equal(
    format.imbalance(imbalance),
    "rank 3 has 1.50 times the mean of 4 ranks",
  );
  assert.equal(
    format.imbalance({ ...imbalance, over: "process", who: "process 7" }),
    "process 7 has 1.50 times the mean of 4 processes",
  );
});
