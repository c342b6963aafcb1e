// The kernels of a region, inner regions included: launches, time, and the part
// of it that the region itself launched.

import { cellOf, metricsOf } from "./columns.ts";
import { h } from "./dom.ts";
import * as format from "./format.ts";
import { metricTable, sortValue, valueText } from "./metric_tables.ts";
import { walk, type Node } from "./model.ts";
import type { Held, Kernel } from "./report.ts";
import { numbers, table, type TableColumn } from "./tables.ts";
import type { InSpan, Inside } from "./timeline.ts";

// A kernel over a region and its inner regions.
export interface KernelRow extends Kernel {
  own_calls: number;
  own_total_ms: number | null;
  rows: number; // of regions that it is made of; metrics are one's alone
}

const keyOf = (kernel: Kernel) => JSON.stringify([kernel.kernel_name, kernel.device ?? ""]);

// Inclusive and exclusive calls as the report has them, else summed.
export function kernelsOf(node: Node): KernelRow[] {
  const { kernels } = node.region;
  if (kernels?.some((kernel) => kernel.own_calls !== undefined)) {
    return kernels.map((kernel) => {
      const own_calls = kernel.own_calls ?? kernel.calls;
      const all = own_calls === kernel.calls ? kernel.total_ms : 0;
      return { ...kernel, own_calls, own_total_ms: kernel.own_total_ms ?? all, rows: 1 };
    });
  }
  const rows = new Map<string, KernelRow>();
  walk([node], (inner) => {
    for (const kernel of inner.region.kernels ?? []) {
      addTo(rows, kernel, inner === node);
    }
  });
  return [...rows.values()].sort((a, b) => (b.total_ms ?? 0) - (a.total_ms ?? 0));
}

function addTo(rows: Map<string, KernelRow>, kernel: Kernel, own: boolean): void {
  const key = keyOf(kernel);
  const known = rows.get(key);
  const own_calls = own ? kernel.calls : 0;
  const own_total_ms = own ? kernel.total_ms : 0;
  if (!known) {
    rows.set(key, { ...kernel, own_calls, own_total_ms, rows: 1 });
    return;
  }
  const calls = known.calls + kernel.calls;
  const total_ms = plus(known.total_ms, kernel.total_ms);
  const sums: Partial<KernelRow> = {
    calls,
    total_ms,
    mean_ms: total_ms === null ? null : total_ms / calls,
    min_ms: both(Math.min, known.min_ms, kernel.min_ms),
    max_ms: both(Math.max, known.max_ms, kernel.max_ms),
    own_calls: known.own_calls + own_calls,
    own_total_ms: plus(known.own_total_ms, own_total_ms),
    rows: known.rows + 1,
    traced: added(known.traced, kernel.traced),
  };
  rows.set(key, { ...known, ...sums, metrics: undefined, packed: undefined });
}

type Time = number | null;

// Facts that only one of two rows of a kernel has.
function both(of: (a: number, b: number) => number, a: Time, b: Time): Time {
  return a === null || b === null ? (a ?? b) : of(a, b);
}
const plus = (a: Time, b: Time) => both((x, y) => x + y, a, b);

function added(a: Kernel["traced"], b: Kernel["traced"]): Kernel["traced"] {
  if (!a || !b) return a ?? b;
  return { calls: a.calls + b.calls, total_ms: a.total_ms + b.total_ms };
}

const several: Held = { metrics: {} };

// The short name; a click shows the full name.
const nameOf = (kernel: Kernel) => format.visible(kernel.short_name ?? kernel.kernel_name);

// Where the kernel's code comes from, a line for each kind of origin.
const originOf = (kernel: Kernel) =>
  (
    [
      ["Operators of the model", kernel.source],
      ["Lines of the model", kernel.model_lines],
      ["Begins at", kernel.source_lines],
      ["Source unknown", kernel.source_unknown ? [kernel.source_unknown] : undefined],
    ] as const
  ).map(([label, texts]) => texts && h("p", { class: "muted" }, `${label}: ${texts.map(format.visible).join(", ")}`));

const count = (label: string, title: string, value: (k: KernelRow) => number) =>
  numbers(label, value, format.digits, { title });

function ms(label: string, key: "total_ms" | "mean_ms" | "min_ms" | "max_ms" | "own_total_ms"): TableColumn<KernelRow> {
  const tooltip = (k: KernelRow) => (k[key] === null ? "no duration was collected" : `${k[key]} ms`);
  return numbers(label, (k) => k[key], format.timeOfMs, { tooltip });
}

// A cell shows the beginning of a long name. Where several names begin alike,
// their ends are shown, too.
const shownOfName = 40;
export function apart(names: string[]): (name: string) => string {
  const begins = new Map<string, Set<string>>();
  for (const name of names) {
    const begin = name.slice(0, shownOfName);
    begins.set(begin, (begins.get(begin) ?? new Set()).add(name));
  }
  return (name) =>
    name.length > shownOfName && (begins.get(name.slice(0, shownOfName))?.size ?? 0) > 1
      ? `${name.slice(0, shownOfName / 2 - 2)}…${name.slice(-shownOfName / 2)}`
      : name;
}

const nameColumn = (kernels: KernelRow[]): TableColumn<KernelRow> => ({
  label: "Kernel",
  text: ((shown) => (k: KernelRow) => shown(nameOf(k)))(apart(kernels.map(nameOf))),
  tooltip: (k) => format.visible(k.kernel_name),
  className: () => "kernel",
  sort: nameOf,
});

const tracedColumn: TableColumn<KernelRow> = {
  label: "Traced",
  title: "In the baseline run",
  number: true,
  text: (k) => (k.traced ? format.timeOfMs(k.traced.total_ms) : format.dash),
  tooltip: (k) => (k.traced ? `${k.traced.calls} calls` : ""),
  sort: (k) => k.traced?.total_ms ?? -1,
};

const deviceColumn: TableColumn<KernelRow> = {
  label: "Device",
  text: (k) => k.device ?? "",
  sort: (k) => k.device ?? "",
};

function metricColumn(name: string): TableColumn<KernelRow> {
  const [label, small] = format.metricLabel(name);
  const cell = (k: KernelRow) => cellOf(k.rows > 1 ? several : k, name);
  return {
    label,
    small,
    title: name,
    number: true,
    text: (k) => valueText(cell(k)),
    tooltip: (k) =>
      k.rows > 1 ? `${name}\nof ${k.rows} regions: select one` : format.cellTitle(name, cell(k)),
    sort: (k) => sortValue(cell(k)),
  };
}

export function kernelSection(node: Node, metrics: string[]): HTMLElement[] {
  const kernels = kernelsOf(node);
  if (kernels.length === 0) return [];
  const total = kernels.reduce((sum, k) => sum + (k.total_ms || 0), 0);
  const devices = new Set(kernels.map((k) => k.device ?? ""));
  const inner = kernels.some((k) => k.own_calls !== k.calls);
  const columns: TableColumn<KernelRow>[] = [
    nameColumn(kernels),
    count("Calls", "Inner regions included", (k) => k.calls),
    ...(inner
      ? [count("Exclusive", "Calls launched directly in the region", (k) => k.own_calls)]
      : []),
    ms("Total", "total_ms"),
    ...(kernels.some((k) => k.traced) ? [tracedColumn] : []),
    numbers("Share", (k) => k.total_ms, (ms) => (ms === null ? format.dash : format.share(ms, total))),
    ms("Mean", "mean_ms"),
    ...(devices.size > 1 ? [deviceColumn] : []),
    ...metrics.map(metricColumn),
    ms("Min", "min_ms"),
    ms("Max", "max_ms"),
    ...(inner ? [ms("Exclusive total", "own_total_ms")] : []),
  ];
  return [
    h("h3", {}, `Kernels (${kernels.length})`, inner ? h("small", {}, "inner regions included") : null),
    table(kernels, columns, {
      caption: "Kernels",
      cap: 50,
      details: (k) =>
        h(
          "div",
          { class: "kernel-details" },
          h("p", {}, h("code", {}, format.visible(k.kernel_name))),
          ...originOf(k),
          k.rows > 1
            ? h("p", { class: "muted" }, `Its counters are shown with each of the ${k.rows} regions that launched it.`)
            : metricTable(metricsOf(k), null, "Metrics of the kernel"),
        ),
    }),
  ];
}

// ---- In a span of the timeline ----------------------------------------------

export function spanKernels(nodes: Node[], { kernels }: InSpan): [string, Inside][] {
  const sums = new Map<string, Inside>();
  const seen = new Set<number>();
  walk(nodes, ({ region }) => {
    // Regions of one name may be nested.
    if (seen.has(region.id)) return;
    seen.add(region.id);
    for (const [name, inside] of kernels.get(region.id) ?? []) {
      const known = sums.get(name);
      sums.set(name, {
        runs: 0,
        cpu: 0,
        kernels: (known?.kernels ?? 0) + inside.kernels,
        gpu: (known?.gpu ?? 0) + inside.gpu,
      });
    }
  });
  return [...sums].sort((a, b) => b[1].gpu - a[1].gpu);
}

export function spanKernelSection(nodes: Node[], inSpan: InSpan): HTMLElement[] {
  const rows = spanKernels(nodes, inSpan);
  if (rows.length === 0) return [];
  const total = rows.reduce((sum, [, inside]) => sum + inside.gpu, 0);
  return [
    h("h3", {}, `Kernels in the span (${rows.length})`, h("small", {}, "inner regions included")),
    table(
      rows,
      [
        {
          label: "Kernel",
          text: ([name]) => format.visible(name),
          tooltip: ([name]) => format.visible(name),
          className: () => "kernel",
          sort: ([name]) => name,
        },
        numbers("Calls", ([, { kernels }]) => kernels, format.digits),
        numbers("Time", ([, { gpu }]) => gpu, (ns) => format.time(Math.round(ns))),
        numbers("Share", ([, { gpu }]) => gpu, (ns) => format.share(ns, total)),
      ],
      { caption: "Kernels in the span", cap: 50 },
    ),
  ];
}
