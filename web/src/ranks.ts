// How evenly a region's GPU time is spread over the ranks of a job, or over the
// processes of one run: who has how much, from the other scopes of the report.

import { h } from "./dom.ts";
import * as format from "./format.ts";
import type { Imbalance, Region, Report, Scope } from "./report.ts";
import { numbers, table } from "./tables.ts";

export interface Share {
  who: string; // as in Imbalance: "rank 3", "process 1655"
  ns: number;
  kernels: number;
}

// The time that imbalance compares; for a region without kernels, the measured
// time of the whole region.
function amountOf(region: Region): { ns: number; kernels: number } {
  const { inclusive, measured } = region;
  const ns =
    inclusive.kernel_count > 0
      ? inclusive.gpu_time_ns
      : measured?.[0]?.gpu_time_ns;
  return { ns: ns ?? 0, kernels: inclusive.kernel_count };
}

function ownerOf(scope: Scope, over: string): string | undefined {
  if (scope.scope === "aggregate") return undefined;
  if (over !== "rank") return `process ${String(scope.process)}`;
  return typeof scope.rank === "number" ? `rank ${scope.rank}` : undefined;
}

// A member's devices are summed; one that did nothing in the region is there.
// The shares are in the order of ranks, or of process ids.
export function sharesOf(
  report: Report,
  id: number,
  imbalance: Imbalance,
): Share[] {
  const shares = new Map<string, Share>();
  for (const scope of report.scopes) {
    const who = ownerOf(scope, imbalance.over);
    if (who === undefined) continue;
    const share = shares.get(who) ?? { who, ns: 0, kernels: 0 };
    shares.set(who, share);
    const region = scope.regions.find((r) => r.id === id);
    if (!region) continue;
    const { ns, kernels } = amountOf(region);
    share.ns += ns;
    share.kernels += kernels;
  }
  return [...shares.values()].sort((a, b) =>
    a.who.localeCompare(b.who, "en", { numeric: true }),
  );
}

export function imbalanceSection(report: Report, region: Region): HTMLElement[] {
  const { imbalance } = region;
  if (!imbalance) return [];
  const ranks = imbalance.over === "rank";
  const shares = sharesOf(report, region.id, imbalance);
  const more = imbalance.count - shares.length;
  const parts = [
    h("h3", {}, ranks ? "Over ranks" : "Over processes"),
    h("p", { class: "muted" }, `${format.imbalance(imbalance)}.`),
    table(
      shares,
      [
        {
          label: ranks ? "Rank" : "Process",
          text: (share) => format.visible(share.who),
        },
        numbers("GPU time", (share) => share.ns, format.time, { tooltip: (share) => `${share.ns} ns` }),
        {
          label: "Relative to the largest",
          element: (share) => bar(share.ns / imbalance.max),
          text: () => "",
          sort: (share) => share.ns,
        },
        numbers("Relative to the mean", (share) => share.ns, (ns) => `${(ns / imbalance.mean).toFixed(2)}×`),
        numbers("Kernels", (share) => share.kernels, format.digits),
      ],
      { caption: ranks ? "Ranks" : "Processes", cap: 32 },
    ),
    more > 0
      ? h("p", { class: "muted" }, `${format.digits(more)} more ${ranks ? "ranks" : "processes"} are not listed on this page.`)
      : null,
  ];
  return parts.filter((part) => part !== null);
}

function bar(part: number): HTMLElement {
  const filled = h("span", { class: "bar-own" });
  filled.style.width = `${100 * Math.min(1, Math.max(0, part))}%`;
  return h("span", { class: "bar wide" }, filled);
}
