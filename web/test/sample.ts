// Small reports for the tests, from a drawing of their tree.

import type { Region, Scope } from "../src/report.ts";

// Each line: two spaces a level, name, own ns. Own kernels: one per 10 ns.
export function scopeOf(drawing: string): Scope {
  const regions: Region[] = [];
  const open: Region[] = [];
  for (const line of drawing.split("\n").filter((l) => l.trim() !== "")) {
    const depth = (line.length - line.trimStart().length) / 2;
    const words = line.trim().split(" ");
    const own = Number(words.pop());
    const name = words.join(" ");
    open.length = depth;
    const parent = open[depth - 1];
    const amounts = () => ({ kernel_count: 0, gpu_time_ns: 0, metrics: {} });
    const region: Region = {
      id: regions.length + 1,
      parent_id: parent ? parent.id : null,
      name,
      path:
        name === "(unattributed)" ? [] : [...(parent?.path ?? []), name],
      depth,
      inclusive: amounts(),
      exclusive: { kernel_count: own / 10, gpu_time_ns: own, metrics: {} },
      kernels: own > 0 ? [kernel(`kernel_of_${name}`)] : [],
    };
    regions.push(region);
    open.push(region);
    for (const outer of open) {
      outer.inclusive.kernel_count += own / 10;
      outer.inclusive.gpu_time_ns = (outer.inclusive.gpu_time_ns ?? 0) + own;
    }
  }
  const total = regions.reduce((s, r) => s + (r.exclusive.gpu_time_ns ?? 0), 0);
  return {
    scope: "aggregate",
    totals: { kernel_count: total / 10, gpu_time_ns: total, metrics: {} },
    regions,
  };
}

function kernel(kernel_name: string) {
  return { kernel_name, calls: 1, total_ms: 1, mean_ms: 1, min_ms: 1, max_ms: 1 };
}
