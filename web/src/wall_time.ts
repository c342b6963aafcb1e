// Wall time by parts, as one bar with its legend.

import { h } from "./dom.ts";
import * as format from "./format.ts";
import type { Times } from "./report.ts";

// In the order of profile/wall_time.h: the GPU's work, then the program's
// waiting.
const parts: [string, string][] = [
  ["kernels", "kernels"],
  ["rank_wait", "waiting for ranks"],
  ["copies", "copies"],
  ["other_gpu_work", "other GPU work"],
  ["page_migration", "page migration"],
  ["profiler", "this profiler"],
  ["loading", "loading"],
  ["allocating", "allocating"],
  ["synchronising", "synchronising"],
  ["launching", "launching"],
  ["other_calls", "other CUDA calls"],
  ["host", "host"],
  ["unknown", "no GPU work, not known why"],
];

export interface WallPart {
  name: string;
  label: string;
  ns: number;
}

// Of several regions together; without parts that took no time.
export function wallParts(all: (Times | undefined)[], steady: boolean): WallPart[] {
  return parts
    .map(([name, label]) => ({
      name,
      label,
      ns: all.reduce((sum, times) => {
        const wall = steady ? (times?.steady_wall_ns ?? times?.wall_ns) : times?.wall_ns;
        return sum + (wall?.[name] ?? 0);
      }, 0),
    }))
    .filter(({ ns }) => ns > 0);
}

export function wallBar(shown: WallPart[]): HTMLElement[] {
  const total = shown.reduce((sum, { ns }) => sum + ns, 0);
  if (total === 0) return [];
  const text = ({ label, ns }: WallPart) => `${label} ${format.time(ns)} (${format.share(ns, total)})`;
  return [
    h(
      "div",
      { class: "wall-bar", role: "img", "aria-label": `Wall time: ${shown.map(text).join(", ")}` },
      ...shown.map((part) => {
        const block = h("span", { class: `wall-${part.name}`, title: text(part) });
        block.style.width = `${(100 * part.ns) / total}%`;
        return block;
      }),
    ),
    h(
      "div",
      { class: "legend" },
      ...shown.map((part) =>
        h("span", { class: "legend-item" }, h("span", { class: `swatch wall-${part.name}` }), text(part)),
      ),
    ),
  ];
}
