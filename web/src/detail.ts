// The panel of the selected region, or of the whole scope: what was measured,
// its kernels, metrics, sections and findings.

import { fill, h } from "./dom.ts";
import * as format from "./format.ts";
import type { Tree } from "./model.ts";
import type { Cell, Kernel, Metrics, Region, Row } from "./report.ts";
import type { Store } from "./state.ts";
import { table, type TableColumn } from "./tables.ts";
import { timesSection, timesTiles } from "./times.ts";
import { tracedSection, tracedTiles } from "./two_runs.ts";

export class DetailView {
  readonly element: HTMLElement;
  private readonly content = h("div", {});
  private metricFilter = "";

  constructor(private readonly store: Store) {
    this.element = h(
      "section",
      { class: "panel detail", "aria-label": "Details", tabindex: -1 },
      this.content,
    );
  }

  draw(): void {
    const { tree, selected } = this.store.state;
    fill(
      this.content,
      ...(selected ? this.region(selected.region) : this.whole(tree)),
    );
    this.element.scrollTop = 0;
  }

  private whole(tree: Tree): HTMLElement[] {
    const { totals } = tree.scope;
    return [
      h("h2", {}, "All regions"),
      tiles([
        ["GPU time", format.time(totals.gpu_time_ns)],
        ["Kernels", format.digits(totals.kernel_count)],
        ["Regions", String(tree.nodes.length)],
        ...tracedTiles(tree.scope),
        ...(tree.scope.times ? timesTiles(tree.scope.times) : []),
      ]),
      ...tracedSection(tree.scope),
      h("p", { class: "muted" }, "Choose a region to see its kernels, metrics, sections and findings."),
      ...this.metrics(totals.metrics ?? {}, null),
    ];
  }

  private region(region: Region): HTMLElement[] {
    const { tree } = this.store.state;
    const path = region.path.map(format.visible);
    const { inclusive, exclusive } = region;
    return [
      h("p", { class: "path" }, path.slice(0, -1).map((p) => `${p} / `).join("")),
      h("h2", {}, path[path.length - 1] ?? "(unattributed)"),
      this.facts(region),
      tiles([
        ["GPU time", format.time(inclusive.gpu_time_ns), format.share(inclusive.gpu_time_ns ?? 0, tree.scope.totals.gpu_time_ns ?? 0)],
        ["own GPU time", format.time(exclusive.gpu_time_ns), format.share(exclusive.gpu_time_ns ?? 0, tree.scope.totals.gpu_time_ns ?? 0)],
        ["Kernels", format.digits(inclusive.kernel_count), `${format.digits(exclusive.kernel_count)} own`],
        ...tracedTiles(region),
        ...(region.times ? timesTiles(region.times) : []),
      ]),
      ...tracedSection(region),
      ...(region.times
        ? [h("h3", {}, "Time"), ...timesSection(region.times)]
        : []),
      ...this.findings(region.findings ?? []),
      ...this.kernels(region.kernels ?? []),
      ...this.measured(region),
      ...this.sections(region.sections ?? {}),
      ...this.metrics(inclusive.metrics ?? {}, exclusive.metrics ?? {}),
    ];
  }

  private facts(region: Region): HTMLElement {
    const words = [
      region.path.length === 0
        ? "launched outside all ranges"
        : (region.kind ?? "").replace("_", "/").replace("push/pop", "push/pop range"),
      region.domain ? `domain ${format.visible(region.domain)}` : "",
      region.imbalance ? format.imbalance(region.imbalance) : "",
      typeof region.instances === "number"
        ? `${region.instances} instance${region.instances === 1 ? "" : "s"}`
        : "",
    ];
    return h("p", { class: "muted" }, words.filter(Boolean).join(" · "));
  }

  private findings(findings: Row[]): HTMLElement[] {
    if (findings.length === 0) return [];
    return [
      h("h3", {}, `Findings (${findings.length})`),
      h("ul", { class: "findings" }, ...findings.slice(0, 50).map(finding)),
      ...(findings.length > 50
        ? [h("p", { class: "muted" }, `${findings.length - 50} more are in report.json.`)]
        : []),
    ];
  }

  private measured(region: Region): HTMLElement[] {
    const measured = region.measured ?? [];
    if (measured.length === 0) return [];
    return [
      h("h3", {}, "Measured as a whole"),
      h("p", { class: "muted" }, "Not the sum of the kernels, and never added to it: gaps between launches and concurrency are part of it."),
      ...measured.map((whole) => {
        const ns = whole.gpu_time_ns;
        return h(
          "details",
          {},
          h(
            "summary",
            {},
            format.visible(whole.mode),
            ns ? `: ${format.time(ns)}` : null,
          ),
          metricTable(whole.metrics ?? {}, null, `Metrics, ${whole.mode}`),
        );
      }),
    ];
  }

  private kernels(kernels: Kernel[]): HTMLElement[] {
    if (kernels.length === 0) return [];
    const total = kernels.reduce((sum, k) => sum + (k.total_ms || 0), 0);
    const ms = (label: string, key: "total_ms" | "mean_ms" | "min_ms" | "max_ms"): TableColumn<Kernel> => ({
      label,
      number: true,
      text: (k) => format.timeOfMs(k[key]),
      tooltip: (k) => `${k[key]} ms`,
      sort: (k) => k[key],
    });
    const devices = new Set(kernels.map((k) => k.device ?? ""));
    const columns: TableColumn<Kernel>[] = [
      {
        label: "Kernel",
        text: (k) => format.visible(k.kernel_name),
        tooltip: (k) => format.visible(k.kernel_name),
        className: () => "kernel",
        sort: (k) => k.kernel_name,
      },
      {
        label: "Calls",
        number: true,
        text: (k) => format.digits(k.calls),
        sort: (k) => k.calls,
      },
      ms("Total", "total_ms"),
      ...(kernels.some((k) => k.traced)
        ? [{
            label: "Traced",
            title: "In the undisturbed run",
            number: true,
            text: (k: Kernel) => (k.traced ? format.timeOfMs(k.traced.total_ms) : format.dash),
            tooltip: (k: Kernel) => (k.traced ? `${k.traced.calls} calls` : ""),
            sort: (k: Kernel) => k.traced?.total_ms ?? -1,
          }]
        : []),
      {
        label: "Share",
        number: true,
        text: (k) => format.share(k.total_ms, total),
        sort: (k) => k.total_ms,
      },
      ms("Mean", "mean_ms"),
      ...(devices.size > 1
        ? [{
            label: "Device",
            text: (k: Kernel) => k.device ?? "",
            sort: (k: Kernel) => k.device ?? "",
          }]
        : []),
      ...this.store.state.columns.map((name): TableColumn<Kernel> => {
        const [label, small] = format.metricLabel(name);
        return {
          label,
          small,
          title: name,
          number: true,
          text: (k) => valueText(k.metrics?.[name]),
          tooltip: (k) => format.cellTitle(name, k.metrics?.[name]),
          sort: (k) => sortValue(k.metrics?.[name]),
        };
      }),
      ms("Min", "min_ms"),
      ms("Max", "max_ms"),
    ];
    return [
      h("h3", {}, `Kernels of its own (${kernels.length})`),
      table(kernels, columns, {
        caption: "Kernels",
        cap: 50,
        details: (k) =>
          h(
            "div",
            { class: "kernel-details" },
            h("p", {}, h("code", {}, format.visible(k.kernel_name))),
            metricTable(k.metrics ?? {}, null, "Metrics of the kernel"),
          ),
      }),
    ];
  }

  private metrics(inclusive: Metrics, exclusive: Metrics | null): HTMLElement[] {
    const count = Object.keys(inclusive).length;
    if (count === 0) return [];
    const place = h("div", {});
    const draw = () => {
      const keep = (metrics: Metrics) =>
        Object.fromEntries(
          Object.entries(metrics).filter(([name]) =>
            name.toLowerCase().includes(this.metricFilter),
          ),
        );
      fill(place, metricTable(keep(inclusive), exclusive, "Metrics"));
    };
    draw();
    return [
      h(
        "h3",
        {},
        `Metrics (${count})`,
        count > 12
          ? h("input", {
              type: "search",
              placeholder: "Filter metrics",
              "aria-label": "Filter metrics",
              value: this.metricFilter,
              oninput: (event: Event) => {
                const input = event.target as HTMLInputElement;
                this.metricFilter = input.value.trim().toLowerCase();
                draw();
              },
            })
          : null,
      ),
      place,
    ];
  }

  private sections(sections: Record<string, Row[]>): HTMLElement[] {
    const names = Object.keys(sections).filter((n) => sections[n]?.length);
    if (names.length === 0) return [];
    return [
      h("h3", {}, `Sections (${names.length})`),
      ...names.map((name, i) =>
        h(
          "details",
          { open: i === 0 },
          h("summary", {}, name),
          sectionTable(sections[name] ?? [], name),
        ),
      ),
    ];
  }
}

function tiles(values: [string, string, string?][]): HTMLElement {
  return h(
    "dl",
    { class: "tiles" },
    ...values.map(([label, value, small]) =>
      h(
        "div",
        {},
        h("dt", {}, label),
        h("dd", {}, value, small ? h("small", {}, small) : null),
      ),
    ),
  );
}

const valueText = (cell: Cell | undefined) =>
  format.cellSign(cell) + format.cellText(cell);

function sortValue(cell: Cell | undefined): number | string {
  return typeof cell?.value === "number" ? cell.value : -Infinity;
}

// In the report's order, but what describes launch, device and profiler last.
function byInterest(names: string[]): string[] {
  const dull = /^(launch|device|profiler|numa|nvlink|c2clink|pcie|derived)_/;
  return [
    ...names.filter((name) => !dull.test(name)),
    ...names.filter((name) => dull.test(name)),
  ];
}

function metricTable(
  inclusive: Metrics,
  exclusive: Metrics | null,
  caption: string,
): HTMLElement {
  const names = byInterest(Object.keys(inclusive));
  const value = (label: string, of: Metrics, title: string): TableColumn<string> => ({
    label,
    title,
    number: true,
    text: (name) => valueText(of[name]),
    tooltip: (name) => format.cellTitle(name, of[name]),
    className: (name) => `how-${of[name]?.how ?? "absent"}`,
    sort: (name) => sortValue(of[name]),
  });
  return table(
    names,
    [
      {
        label: "Metric",
        text: (name) => name,
        className: () => "metric",
        sort: (name) => name,
      },
      value(exclusive ? "Inclusive" : "Value", inclusive, "With inner regions"),
      ...(exclusive ? [value("Own", exclusive, "Without inner regions")] : []),
      {
        label: "How",
        title: "How the value was obtained",
        text: (name) => inclusive[name]?.how ?? "",
        className: (name) => `badge-${inclusive[name]?.how ?? "absent"}`,
        sort: (name) => inclusive[name]?.how ?? "",
      },
      {
        label: "Rule",
        title: "How measurements were combined; open the row for all of it",
        text: (name) => inclusive[name]?.rule ?? inclusive[name]?.reason ?? "",
        tooltip: (name) => format.cellOrigin(inclusive[name]),
        className: () => "rule",
        sort: (name) => format.cellOrigin(inclusive[name]),
      },
    ],
    {
      caption,
      cap: 200,
      details: (name) =>
        h(
          "div",
          { class: "cells" },
          cellFacts(exclusive ? "Inclusive" : "", inclusive[name]),
          exclusive ? cellFacts("Own", exclusive[name]) : null,
        ),
    },
  );
}

// All that the report knows of one cell.
function cellFacts(label: string, cell: Cell | undefined): HTMLElement {
  return h(
    "dl",
    {},
    label ? h("strong", {}, label) : null,
    ...Object.entries(cell ?? { reason: "not measured here" }).map(
      ([key, value]) =>
        h(
          "div",
          {},
          h("dt", {}, key.replace(/_/g, " ")),
          h("dd", {}, typeof value === "number" ? String(value) : format.plain(value)),
        ),
    ),
  );
}

// A section's rows are cells with NVIDIA's label.
function sectionTable(rows: Row[], caption: string): HTMLElement {
  const cell = (row: Row) => row as Cell;
  const label = (row: Row) =>
    format.visible(String(row.label ?? row.metric ?? ""));
  return table(
    rows,
    [
      {
        label: "Label",
        text: label,
        tooltip: (row) => String(row.metric ?? ""),
        sort: label,
      },
      {
        label: "Value",
        number: true,
        text: (row) => valueText(cell(row)),
        tooltip: (row) => format.cellTitle(String(row.metric ?? ""), cell(row)),
        className: (row) => `how-${cell(row).how ?? "absent"}`,
        sort: (row) => sortValue(cell(row)),
      },
      {
        label: "How",
        text: (row) => cell(row).how ?? "",
        className: (row) => `badge-${cell(row).how ?? "absent"}`,
      },
      {
        label: "Rule",
        text: (row) => cell(row).rule ?? cell(row).reason ?? "",
        tooltip: (row) => format.cellOrigin(cell(row)),
        className: () => "rule",
      },
    ],
    {
      caption,
      cap: 200,
      details: (row) => h("div", { class: "cells" }, cellFacts("", cell(row))),
    },
  );
}

// A value, or a cell with a value, of any shape.
function anyText(value: unknown): string {
  if (value !== null && typeof value === "object" && "how" in value) {
    return valueText(value as Cell);
  }
  return format.plain(value);
}

// Rows that say by their own members what they are.
export function genericTable(rows: Row[], caption: string): HTMLElement {
  const keys: string[] = [];
  for (const row of rows) {
    for (const key of Object.keys(row)) {
      if (!keys.includes(key)) keys.push(key);
    }
  }
  return table(
    rows,
    keys.map((key): TableColumn<Row> => {
      const number = rows.some((row) => typeof row[key] === "number");
      return {
        label: key.replace(/_/g, " "),
        number,
        text: (row) => (key in row ? anyText(row[key]) : ""),
        tooltip: (row) => format.plain(row[key]),
        sort: (row) =>
          typeof row[key] === "number" ? row[key] : anyText(row[key]),
      };
    }),
    { caption, cap: 200 },
  );
}

// A finding leads with its title and text; then what it is worth.
function finding(row: Row): HTMLElement {
  const text = (key: string) => format.visible(String(row[key] || " ")).trim();
  const number = (key: string) =>
    typeof row[key] === "number" ? row[key] : undefined;
  const share = number("time_share");
  const speedup = number("speedup_percent");
  const worth = [
    share === undefined ? "" : `${(100 * share).toFixed(0)} % of the region's time`,
    number("kernels") === undefined ? "" : `${number("kernels")} kernels`,
    speedup === undefined
      ? ""
      : `estimated speedup ${format.quantity(speedup, "%")} (${text("speedup_type") || "local"})`,
    text("section"),
    text("rule"),
  ];
  return h(
    "li",
    {},
    text("kind") ? h("span", { class: "kind" }, text("kind")) : null,
    h("strong", {}, text("title") || text("name") || "finding"),
    text("text") ? h("p", {}, markup(text("text"))) : null,
    h("p", { class: "muted" }, worth.filter(Boolean).join(" · ")),
  );
}

// NVIDIA's texts point at sections and pages: @section:ID:Label@ is its label,
// @url:Label:address@ its label (this page follows no link).
export function markup(text: string): string {
  return text
    .replace(/@section:[^:@]*:([^@]*)@/g, "$1")
    .replace(/@url:([^@]*?):\s*https?:[^@]*@/g, "$1")
    .replace(/@(source|metric):[^:@]*:([^@]*)@/g, "$2");
}
