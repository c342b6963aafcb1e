// What limits a region: the verdict, and how near its roof it is, with its
// kernels' own.

import { h } from "./dom.ts";
import * as format from "./format.ts";
import type { Region, RooflineRow } from "./report.ts";
import { table } from "./tables.ts";

interface Placed {
  of: string;
  row: RooflineRow;
}

// Below its roof's ridge it is the memory that limits.
export function limitOf(row: RooflineRow): string {
  const { limit_flops, peak_flops } = row;
  if (typeof limit_flops !== "number" || typeof peak_flops !== "number") {
    return format.dash;
  }
  return limit_flops < peak_flops ? "memory" : "compute";
}

export function rooflineSection(region: Region): HTMLElement[] {
  const own = region.roofline ?? [];
  const rows: Placed[] = [
    ...own.map((row) => ({ of: "the region", row })),
    ...(region.kernels ?? []).flatMap((kernel) =>
      (kernel.roofline ?? []).map((row) => ({
        of: format.visible(kernel.kernel_name),
        row,
      })),
    ),
  ];
  if (own.length === 0) return [];
  const number = (
    label: string,
    unit: string,
    value: (row: RooflineRow) => number | null | undefined,
  ) => ({
    label,
    number: true,
    text: ({ row }: Placed) => {
      const of = value(row);
      return typeof of === "number" ? format.quantity(of, unit) : format.dash;
    },
    tooltip: ({ row }: Placed) => `${value(row) ?? "not known"} ${unit}`,
    sort: ({ row }: Placed) => value(row) ?? -1,
  });
  return [
    h("h3", {}, "Roofline"),
    table(
      rows,
      [
        {
          label: "Of",
          text: ({ of }) => of,
          tooltip: ({ of }) => of,
          className: () => "kernel short",
          sort: ({ of }) => of,
        },
        { label: "Precision", text: ({ row }) => format.visible(row.precision) },
        number("Work", "flop", (row) => row.flop),
        number("Intensity", "flop/B", (row) => row.intensity),
        number("Achieved", "flop/s", (row) => row.achieved_flops),
        number("Roof", "flop/s", (row) => row.limit_flops),
        number("Of the roof", "%", (row) => row.percent),
        { label: "Limit", text: ({ row }) => limitOf(row) },
      ],
      { caption: "Roofline", cap: 30 },
    ),
  ];
}

export function verdict(region: Region): HTMLElement[] {
  return region.verdict
    ? [h("p", { class: "verdict" }, format.visible(region.verdict))]
    : [];
}
