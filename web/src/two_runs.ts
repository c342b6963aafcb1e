// The undisturbed run beside the one that was measured: its time, how many of
// its launches carry counters, and sums scaled to all of them.

import { h } from "./dom.ts";
import * as format from "./format.ts";
import type { Coverage, Scaled, Traced } from "./report.ts";
import { table } from "./tables.ts";

export interface Both {
  traced?: Traced;
  coverage?: Coverage;
  scaled?: Scaled;
}

export function tracedTiles(both: Both): [string, string, string?][] {
  if (!both.traced) return [];
  const { gpu_time_ns, kernel_count } = both.traced;
  return [
    ["Undisturbed", format.time(gpu_time_ns), `${format.digits(kernel_count)} kernels`],
  ];
}

// "12 of 840 launches carry counters, 96.0 % of its time"; empty where all do.
export function coverageText(coverage: Coverage | undefined): string {
  if (!coverage || coverage.launches_measured >= coverage.launches) return "";
  const { launches_measured, launches, time_share } = coverage;
  return `${format.digits(launches_measured)} of ${format.digits(launches)} launches carry counters, ${format.share(time_share, 1)} of the undisturbed time`;
}

export function tracedSection(both: Both): HTMLElement[] {
  const coverage = coverageText(both.coverage);
  if (coverage === "") return [];
  const scaled = Object.entries(both.scaled ?? {});
  return [
    h("p", { class: "coverage" }, `${coverage}.`),
    ...(scaled.length > 0
      ? [
          table(
            scaled,
            [
              { label: "Metric", text: ([name]) => name, className: () => "metric" },
              {
                label: "Scaled to all launches",
                number: true,
                text: ([, s]) => `~ ${format.quantity(s.value, s.unit)}`,
                tooltip: ([, s]) => String(s.value),
              },
              {
                label: "Standard error",
                title: "From the spread over launches that are alike",
                number: true,
                text: ([, s]) =>
                  (s.error === null ? format.dash : `± ${format.quantity(s.error, s.unit)}`) +
                  (s.single_samples > 0 ? " †" : ""),
                tooltip: ([, s]) =>
                  s.single_samples > 0
                    ? `${s.single_samples} kinds of launches were measured once: their spread is not known`
                    : "",
              },
            ],
            { caption: "Scaled metrics", cap: 50 },
          ),
        ]
      : []),
  ];
}
