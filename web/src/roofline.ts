// The roofline: the verdict, and how near their roofs all regions and
// kernels are, as a chart with logarithmic axes and as a table.

import { h, svg } from "./dom.ts";
import * as format from "./format.ts";
import { walk, type Node, type Tree } from "./model.ts";
import type { How, RooflineRow } from "./report.ts";
import { table } from "./tables.ts";

// A row of either kind: FLOP, or the instructions of warps.
interface Row {
  precision: string;
  unit: string; // flop or inst
  how?: How;
  work: number | undefined;
  intensity: number;
  achieved: number;
  peak?: number | null;
  peak_bandwidth?: number | null;
  limit?: number | null;
  percent?: number | null;
}

function rowOf(row: RooflineRow): Row {
  const { precision, how, intensity, peak_bandwidth, percent } = row;
  const common = { precision, how, intensity, peak_bandwidth, percent };
  return row.unit === "inst"
    ? {
        ...common,
        unit: "inst",
        work: row.instructions,
        achieved: row.achieved_instructions ?? 0,
        peak: row.peak_instructions,
        limit: row.limit_instructions,
      }
    : {
        ...common,
        unit: "flop",
        work: row.flop,
        achieved: row.achieved_flops ?? 0,
        peak: row.peak_flops,
        limit: row.limit_flops,
      };
}

interface Placed {
  of: string;
  row: Row;
  node: Node;
  kernel: boolean;
  size: number; // of its time; the largest are drawn first
}

// Below its roof's ridge it is the memory that limits.
export function limitOf({ limit, peak }: Pick<Row, "limit" | "peak">): string {
  if (typeof limit !== "number" || typeof peak !== "number") return format.dash;
  return limit < peak ? "memory" : "compute";
}

function placedOf(node: Node, name: string): Placed[] {
  const { region } = node;
  return [
    ...(region.roofline ?? []).map((row) => ({ of: name, row: rowOf(row), node, kernel: false, size: node.inclusive })),
    // Each where it was launched, not again in all that is around it.
    ...(region.kernels ?? []).filter((kernel) => kernel.own_calls !== 0).flatMap((kernel) =>
      (kernel.roofline ?? []).map((row) => ({
        of: format.visible(kernel.short_name ?? kernel.kernel_name),
        row: rowOf(row),
        node,
        kernel: true,
        size: (kernel.total_ms ?? 0) * 1e6,
      })),
    ),
  ];
}

// ---- The chart --------------------------------------------------------------

const width = 620;
const height = 300;
const edge = { left: 84, right: 22, top: 10, bottom: 34 };
const mostPoints = 500;

interface Axis {
  from: number; // powers of ten
  to: number;
  at: (value: number) => number; // px
}

function axis(values: number[], low: number, high: number): Axis {
  const seen = values.filter((value) => value > 0).map(Math.log10);
  const from = Math.floor(seen.reduce((a, b) => Math.min(a, b), Infinity));
  const to = Math.max(from + 1, Math.ceil(seen.reduce((a, b) => Math.max(a, b), -Infinity)));
  const at = (value: number) => low + ((Math.log10(value) - from) / (to - from)) * (high - low);
  return { from, to, at };
}

const powers = ({ from, to }: Axis) => Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));

function grid(x: Axis, y: Axis, unit: string): Element[] {
  const bottom = height - edge.bottom;
  const across = powers(x).flatMap((value) => [
    svg("line", { x1: x.at(value), x2: x.at(value), y1: edge.top, y2: bottom, class: "grid" }),
    svg("text", { x: x.at(value), y: bottom + 14, "text-anchor": "middle" }, format.digits(value)),
  ]);
  const down = powers(y).flatMap((value) => [
    svg("line", { x1: edge.left, x2: width - edge.right, y1: y.at(value), y2: y.at(value), class: "grid" }),
    svg("text", { x: edge.left - 6, y: y.at(value) + 4, "text-anchor": "end" }, format.quantity(value, `${unit}/s`)),
  ]);
  const label = svg("text", { x: (edge.left + width) / 2, y: height - 4, "text-anchor": "middle" }, `intensity, ${unit}/B`);
  return [...across, ...down, label];
}

// One roof a precision: as far as the memory feeds it, then its own peak.
function roofs(points: Placed[], x: Axis, y: Axis): Element[] {
  const known = new Map<string, Row>();
  for (const { row } of points) {
    const best = known.get(row.precision);
    if ((row.peak ?? 0) > (best?.peak ?? 0) && row.peak_bandwidth) known.set(row.precision, row);
  }
  return [...known.values()].flatMap((row) => {
    const { precision } = row;
    const [peak, bandwidth] = [row.peak!, row.peak_bandwidth!];
    const at = (intensity: number) =>
      `${x.at(intensity).toFixed(1)},${y.at(Math.min(peak, bandwidth * intensity)).toFixed(1)}`;
    const ends = [10 ** x.from, Math.min(10 ** x.to, Math.max(10 ** x.from, peak / bandwidth)), 10 ** x.to];
    return [
      svg("polyline", { class: "roof", points: ends.map(at).join(" ") }),
      svg("text", { x: width - edge.right - 4, y: y.at(peak) - 4, "text-anchor": "end" }, format.visible(precision)),
    ];
  });
}

function pointOf(placed: Placed, x: Axis, y: Axis, selected: Node | null, choose: (node: Node) => void): Element {
  const { row, node, kernel, of } = placed;
  const { unit } = row;
  const [cx, cy] = [x.at(row.intensity), y.at(row.achieved)];
  const limit = limitOf(row);
  const path = node.region.path.map(format.visible).join(" / ") || node.label;
  const facts = [
    kernel ? `${of} in ${path}` : path,
    `${format.visible(row.precision)}: ${format.quantity(row.achieved, `${unit}/s`)} at ${format.digits(row.intensity)} ${unit}/B`,
    row.how === "estimated" ? "estimated from samples" : "",
    typeof row.percent === "number" ? `${format.quantity(row.percent, "%")} of its roof (${limit})` : "",
  ].filter(Boolean);
  const shape: Record<string, number> = kernel
    ? { x: cx - 3, y: cy - 3, width: 6, height: 6 }
    : { cx, cy, r: 5 };
  return svg(
    kernel ? "rect" : "circle",
    {
      ...shape,
      class: `point limit-${limit === format.dash ? "none" : limit}${node === selected ? " selected" : ""}`,
      onclick: () => choose(node),
    },
    svg("title", {}, facts.join("\n")),
  );
}

// Of points of one unit.
function chart(points: Placed[], selected: Node | null, choose: (node: Node) => void): HTMLElement | null {
  const seen = points.filter(({ row }) => row.intensity > 0 && row.achieved > 0);
  const unit = seen[0]?.row.unit;
  if (unit === undefined) return null;
  const drawn = [...seen].sort((a, b) => b.size - a.size).slice(0, mostPoints);
  const roofed = drawn.map(({ row }) => row.peak ?? 0);
  const x = axis(drawn.map(({ row }) => row.intensity), edge.left, width - edge.right);
  const y = axis([...drawn.map(({ row }) => row.achieved), ...roofed], height - edge.bottom, edge.top);
  // Points of the selected region on top.
  const order = [...drawn].sort((a, b) => Number(a.node === selected) - Number(b.node === selected));
  const key = (className: string, label: string) =>
    h("span", { class: "legend-item" }, h("span", { class: `swatch ${className}` }), label);
  return h(
    "figure",
    { class: "roofline" },
    svg(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Roofline: achieved work over intensity, both logarithmic; the table below has the values" },
      ...grid(x, y, unit),
      ...roofs(drawn, x, y),
      ...order.map((placed) => pointOf(placed, x, y, selected, choose)),
    ) as unknown as HTMLElement,
    h(
      "figcaption",
      { class: "legend" },
      key("limit-memory", "memory roof"),
      key("limit-compute", "compute roof"),
      "● regions  ■ kernels",
      seen.length > drawn.length ? `${mostPoints} of ${format.digits(seen.length)}, most time first` : null,
    ),
  );
}

// ---- The section ------------------------------------------------------------

// Of a region, with all others around it; or of all.
export function rooflineSection(tree: Tree, selected: Node | null, choose: (node: Node) => void): HTMLElement[] {
  if (selected && (selected.region.roofline ?? []).length === 0) return [];
  const all: Placed[] = [];
  walk(tree.roots, (node) => all.push(...placedOf(node, node.label)));
  if (all.length === 0) return [];
  const rows = selected ? placedOf(selected, "the region") : all;
  const units = [...new Set(rows.map(({ row }) => row.unit))].sort();
  return [
    h("h3", {}, "Roofline"),
    ...units.flatMap((unit) => {
      const of = ({ row }: Placed) => row.unit === unit;
      const drawn = chart(all.filter(of), selected, choose);
      return [
        ...(unit === "inst"
          ? [h("p", { class: "muted" }, "In warp instructions, since FLOP were not counted. Peaks: four instructions per cycle and SM, and the DRAM bandwidth.")]
          : []),
        ...(drawn ? [drawn] : []),
        rooflineTable(rows.filter(of), unit),
      ];
    }),
  ];
}

function rooflineTable(rows: Placed[], unit: string): HTMLElement {
  const number = (
    label: string,
    unit: string,
    value: (row: Row) => number | null | undefined,
  ) => ({
    label,
    number: true,
    text: ({ row }: Placed) => {
      const of = value(row);
      return typeof of === "number" ? format.quantity(of, unit) : format.dash;
    },
    tooltip: ({ row }: Placed) => `${value(row) ?? "unknown"} ${unit}`,
    sort: ({ row }: Placed) => value(row) ?? -1,
  });
  return table(
    rows,
    [
      {
        label: "Of",
        text: ({ of }) => of,
        tooltip: ({ of }) => of,
        className: () => "kernel short",
        sort: ({ of }) => of,
      },
      ...(unit === "flop"
        ? [{ label: "Precision", text: ({ row }: Placed) => format.visible(row.precision) }]
        : []),
      number("Work", unit, (row) => row.work),
      number("Intensity", `${unit}/B`, (row) => row.intensity),
      number("Achieved", `${unit}/s`, (row) => row.achieved),
      number("Roof", `${unit}/s`, (row) => row.limit),
      number("% of roof", "%", (row) => row.percent),
      { label: "Limit", text: ({ row }) => limitOf(row) },
    ],
    { caption: unit === "flop" ? "Roofline" : "Roofline of instructions", cap: 30 },
  );
}
