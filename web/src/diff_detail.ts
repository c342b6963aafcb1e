// One region on both sides: its verdict with the reason, its runs, certain
// changes, its kernels in pairs, its counters.

import { changeOf } from "./diff_columns.ts";
import {
  changeText,
  guessed,
  intervalText,
  placeOf,
  signed,
  type Counter,
  type DiffRegion,
  type DiffTime,
  type DiffTree,
  type KernelPair,
} from "./diff_model.ts";
import { verdictClass, verdictText } from "./diff_colors.ts";
import { fill, h, svg } from "./dom.ts";
import * as format from "./format.ts";
import type { Store } from "./state.ts";
import { table, tiles } from "./tables.ts";

export class DiffDetail {
  readonly element = h("section", { class: "panel detail", "aria-label": "Region" });

  constructor(
    private readonly store: Store,
    private readonly tree: DiffTree,
  ) {}

  draw(): void {
    const { selected } = this.store.state;
    if (!selected) {
      fill(this.element, h("p", { class: "muted" }, "Select a region."));
      return;
    }
    const region = this.tree.of(selected);
    fill(
      this.element,
      h("h2", {}, selected.label),
      region.path === "" ? null : h("p", { class: "path" }, placeOf(region.path)),
      pairedText(region) ? h("p", { class: "differs" }, pairedText(region)) : null,
      h(
        "p",
        { class: "verdict" },
        h("span", { class: verdictClass(region.verdict) }, verdictText(region.verdict)),
        region.why ? ` ${format.visible(region.why)}` : null,
      ),
      tiles(tilesOf(region)),
      runsChart(region.time),
      ...factsSection(region),
      ...kernelsSection(region),
      ...countersSection(region),
    );
  }
}

function pairedText(region: DiffRegion): string {
  if (region.base_path === null) return guessed(region) ? "≈ paired by guess" : "";
  const how = guessed(region) ? "by guess, ≈" : region.paired_by === "given" ? "as given" : "";
  return `was ${placeOf(region.base_path)}${how ? ` (paired ${how})` : ""}`;
}

function tilesOf({ time, verdict }: DiffRegion): [string, string, string?][] {
  const each = time.per_instance ? "per instance" : "";
  const all: [string, string, string?][] = [
    ["Base, median", format.time(time.base_median_ns), each],
    ["New, median", format.time(time.new_median_ns), each],
    ["Change", changeText(time.ratio), time.interval ? `95 %: ${intervalText(time.interval)}` : each],
    ["Change, mean per run", changeOf(time.change_ns), `exclusive ${changeOf(time.own_change_ns)}`],
  ];
  if (time.cycles_ratio !== null) all.push(["In cycles", changeText(time.cycles_ratio)]);
  if (time.chance !== null) all.push(["p, over all regions", String(Number(time.chance.toPrecision(2)))]);
  if (verdict === "AMBIGUOUS" && time.runs_needed !== null) all.push(["To decide", `${time.runs_needed} runs per side`]);
  return all;
}

// A dot a run, a bar at the median.
function runsChart(time: DiffTime): HTMLElement | null {
  const all = [...time.base_ns, ...time.new_ns];
  if (all.length < 3) return null;
  const low = all.reduce((a, b) => Math.min(a, b));
  const high = all.reduce((a, b) => Math.max(a, b));
  const [left, width] = [40, 420];
  const x = (ns: number) => left + 8 + (high > low ? ((ns - low) / (high - low)) * (width - 16) : width / 2);
  const row = (label: string, runs: number[], median: number | null, y: number) => [
    svg("text", { x: 0, y: y + 4 }, label),
    svg("line", { x1: left, x2: left + width, y1: y, y2: y }),
    ...(median === null
      ? []
      : [svg("line", { class: "median", x1: x(median), x2: x(median), y1: y - 9, y2: y + 9 })]),
    ...runs.map((ns) =>
      svg("circle", { cx: x(ns), cy: y, r: 4 }, svg("title", {}, format.time(ns))),
    ),
  ];
  return h(
    "figure",
    { class: "instances runs" },
    h("figcaption", {}, `Each run: ${format.time(low)} to ${format.time(high)}`),
    svg(
      "svg",
      { width: left + width, height: 52, viewBox: `0 0 ${left + width} 52`, role: "img", "aria-label": "Times of each run" },
      ...row("base", time.base_ns, time.base_median_ns, 13),
      ...row("new", time.new_ns, time.new_median_ns, 39),
    ) as unknown as Element,
  );
}

function factsSection({ facts }: DiffRegion): HTMLElement[] {
  if (facts.length === 0) return [];
  return [
    h("h3", {}, `Certain changes (${facts.length})`),
    h("ul", { class: "diff-facts" }, ...facts.map(({ text }) => h("li", {}, format.visible(text)))),
  ];
}

function kernelsSection({ kernels, time }: DiffRegion): HTMLElement[] {
  if (kernels.length === 0) return [];
  const ratio = (before: number, after: number) => (before > 0 && after > 0 ? after / before : null);
  const each = (ns: number | null, launches: number) => (ns !== null && launches > 0 ? ns / launches : null);
  const note = ({ base, new: name, paired_by }: KernelPair) => {
    if (base === null) return "new";
    if (name === null) return "gone";
    if (base === name) return "";
    return `${paired_by === "guess" ? "≈ " : ""}was ${format.short(base)}`;
  };
  const name = (pair: KernelPair) => format.visible(pair.new ?? pair.base ?? "");
  const known = ({ base }: KernelPair) => base !== null;
  const still = ({ new: other }: KernelPair) => other !== null;
  const change = ({ base_ns: base, new_ns: other }: KernelPair) => (base === null || other === null ? null : other - base);
  return [
    h("h3", {}, `Kernels launched directly (${kernels.length})`),
    table(
      kernels,
      [
        {
          label: "Kernel",
          text: (k) => format.short(name(k)),
          note,
          tooltip: (k) =>
            `${name(k)}${k.base !== null && k.base !== k.new ? `\nbase: ${format.visible(k.base)}` : ""}\npaired by ${k.paired_by}`,
          className: () => "kernel-pair",
          sort: name,
        },
        { label: "Launches", small: "base", number: true, text: (k) => (known(k) ? format.digits(k.base_launches) : format.dash), sort: (k) => k.base_launches },
        { label: "Launches", small: "new", number: true, text: (k) => (still(k) ? format.digits(k.new_launches) : format.dash), sort: (k) => k.new_launches },
        { label: "Time", small: "base, per run", number: true, text: (k) => (known(k) ? format.time(k.base_ns) : format.dash), sort: (k) => k.base_ns ?? -Infinity },
        { label: "Time", small: "new, per run", number: true, text: (k) => (still(k) ? format.time(k.new_ns) : format.dash), sort: (k) => k.new_ns ?? -Infinity },
        { label: "Change", small: "per run", number: true, text: (k) => changeOf(change(k)), sort: (k) => change(k) ?? -Infinity },
        {
          label: "A launch",
          small: "change",
          number: true,
          text: (k) => changeText(ratio(each(k.base_ns, k.base_launches) ?? 0, each(k.new_ns, k.new_launches) ?? 0)),
          sort: (k) => ratio(each(k.base_ns, k.base_launches) ?? 0, each(k.new_ns, k.new_launches) ?? 0) ?? 0,
        },
      ],
      { caption: time.per_instance ? "Kernels, per run" : "Kernels", cap: 50 },
    ),
  ];
}

// The standard error of an estimate.
function errorText(value: number, error: number | null): string {
  if (error === null) return "";
  if (value === 0) return `±${format.digits(error)}`;
  return `±${format.digits(Number(Math.abs((100 * error) / value).toPrecision(2)))} %`;
}

function countersSection({ counters }: DiffRegion): HTMLElement[] {
  if (counters.length === 0) return [];
  const moved = counters.filter((counter) => counter.changed).length;
  const percent = ({ ratio }: Counter) => (ratio === null ? 0 : 100 * (ratio - 1));
  return [
    h("h3", {}, `Counters (${counters.length}), ${moved} changed`),
    table(
      [...counters].sort((a, b) => Number(b.changed) - Number(a.changed)),
      [
        { label: "Metric", text: (c) => c.metric, breaks: true, className: () => "metric", sort: (c) => c.metric },
        {
          label: "Base",
          number: true,
          text: (c) => format.quantity(c.base, c.unit),
          note: (c) => errorText(c.base, c.base_standard_error),
          sort: (c) => c.base,
        },
        {
          label: "New",
          number: true,
          text: (c) => format.quantity(c.new, c.unit),
          note: (c) => errorText(c.new, c.new_standard_error),
          sort: (c) => c.new,
        },
        { label: "Change", number: true, text: (c) => (c.ratio === null ? format.dash : `${signed(percent(c), 1)} %`), sort: percent },
        { label: "", text: (c) => (c.changed ? "changed" : "within error"), className: (c) => (c.changed ? "differs nowrap" : "muted nowrap"), sort: (c) => Number(c.changed) },
      ],
      { caption: "Counters", cap: 50 },
    ),
  ];
}
