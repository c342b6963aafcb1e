// Counters estimated from samples: the quality of the samples and their fit, the
// meaning of ±, and estimates beside measured values.

import { cellOf, metricsOf } from "./columns.ts";
import { h } from "./dom.ts";
import * as format from "./format.ts";
import { valueText } from "./metric_tables.ts";
import type { Cell, Held, Metrics, Region, Report, Sampling } from "./report.ts";
import { metricNames, table } from "./tables.ts";

const samplingOf = (report: Report) => report.capture?.sampling ?? [];

const deviceOf = ({ device }: Sampling) => (device < 0 ? "the GPU" : `GPU ${device}`);

export function sampledMetrics(report: Report): string[] {
  return samplingOf(report).flatMap(({ fit }) => Object.keys(fit?.metrics ?? {}));
}

// ---- The samples and their fit ----------------------------------------------

function fitText({ fit }: Sampling): string {
  if (!fit) return "";
  const r2 = Object.values(fit.metrics)
    .filter(({ decides }) => decides)
    .map((metric) => metric.r2)
    .filter((value) => value !== null);
  const least = r2.length > 0 ? ` (R² ${Math.min(...r2).toFixed(3)} or more)` : "";
  return `${fit.verdict} fit${least}`;
}

function samplingText(sampling: Sampling): string {
  const { samples, lost, interval_ns, reason, fit } = sampling;
  if (samples === 0) return `${deviceOf(sampling)} was not sampled: ${format.visible(reason ?? "no samples arrived")}`;
  const counters = Object.keys(fit?.metrics ?? {}).length;
  return [
    `${format.digits(samples)} samples of ${format.time(interval_ns)} on ${deviceOf(sampling)}`,
    counters > 0 ? `${counters} counter${counters === 1 ? "" : "s"}` : "",
    lost ? `${format.digits(lost)} samples lost` : "",
    fitText(sampling),
    reason ? `then stopped: ${format.visible(reason)}` : "",
  ].filter(Boolean).join(", ");
}

// A line of the header; nothing where nothing was to be sampled.
export function samplingFacts(report: Report): HTMLElement | null {
  const all = samplingOf(report);
  if (all.length === 0) return null;
  return h(
    "p",
    { class: "facts sampling" },
    h("span", { class: "fact" }, h("b", {}, "sampling"), ` ${all.map(samplingText).join("; ")}`),
  );
}

const mostReasons = 8;

// Metrics that fit worse than good, and that no reason speaks of.
function poorMetrics({ fit }: Sampling, verdict: string): string[] {
  return Object.entries(fit?.metrics ?? {})
    .filter(([name, metric]) => metric.verdict === verdict && !fit!.reasons.some((reason) => reason.includes(name)))
    .map(([name, { r2 }]) => (r2 === null ? name : `${name} (R² ${r2.toFixed(3)})`));
}

function warning(sampling: Sampling): HTMLElement | null {
  const { fit } = sampling;
  if (!fit) return null;
  const reasons = [
    ...fit.reasons,
    ...["bad", "doubtful"]
      .map((verdict): [string, string[]] => [verdict, poorMetrics(sampling, verdict)])
      .filter(([, names]) => names.length > 0)
      .map(([verdict, names]) => `${verdict}: ${names.join(", ")}`),
  ];
  if (fit.verdict === "good" && reasons.length === 0) return null;
  const overall =
    fit.verdict === "bad"
      ? `The counters of ${deviceOf(sampling)} are not estimated: samples and launches do not match.`
      : fit.verdict === "doubtful"
        ? `The estimates of ${deviceOf(sampling)}'s counters are doubtful.`
        : `Some estimates of ${deviceOf(sampling)}'s counters are doubtful or bad.`;
  return h(
    "div",
    { class: `banner ${fit.verdict === "bad" ? "bad" : "doubtful"}`, role: "alert" },
    h("strong", {}, overall),
    h(
      "ul",
      {},
      ...reasons.slice(0, mostReasons).map((reason) => h("li", {}, format.visible(reason))),
      reasons.length > mostReasons ? h("li", {}, `${reasons.length - mostReasons} more are in report.json`) : null,
    ),
  );
}

// Fits that are not good, each with its reasons.
export function samplingWarnings(report: Report): HTMLElement[] {
  return samplingOf(report).map(warning).filter((element) => element !== null);
}

// ---- The meaning of ± -------------------------------------------------------

export const anyEstimates = (held: Held) =>
  Object.values(metricsOf(held)).some((cell) => cell.how === "estimated");

export const legendText =
  "± is one standard error of a counter estimated from samples. Point at a value for its 95 % interval.";

// The signs before values that are not exact.
export const signsText = {
  bound: "≤ and ≥ are bounds: the exact value cannot be made of what was measured.",
  approx: "≈ is a weighted mean of the kernels' values.",
};

export const legend = (text: string = legendText) => h("p", { class: "muted estimates-legend" }, text);

// ---- Measured as well -------------------------------------------------------

interface Beside {
  metric: string;
  measured: Cell | undefined;
  estimated: Cell;
}

function agreement({ agrees }: Cell): [string, string] {
  if (agrees === true) return ["agree", "The measured value lies in the 95 % interval of the estimate"];
  if (agrees === false) return ["differ", "The measured value lies outside the 95 % interval of the estimate"];
  return ["not comparable", "Measured and estimated over different launches"];
}

function besideTable(estimates: Metrics, measured: Held, caption: string): HTMLElement {
  const rows = Object.entries(estimates).map(
    ([metric, estimated]): Beside => ({ metric, measured: cellOf(measured, metric), estimated }),
  );
  return table(
    rows,
    [
      metricNames(({ metric }) => metric),
      {
        label: "Measured",
        number: true,
        text: ({ measured }) => valueText(measured),
        tooltip: ({ metric, measured }) => format.cellTitle(metric, measured),
      },
      {
        label: "Estimated",
        number: true,
        text: ({ estimated }) => valueText(estimated),
        tooltip: ({ metric, estimated }) => format.cellTitle(metric, estimated),
      },
      {
        label: "They",
        text: ({ estimated }) => agreement(estimated)[0],
        tooltip: ({ estimated }) => agreement(estimated)[1],
        className: ({ estimated }) => (estimated.agrees === false ? "differs nowrap" : "nowrap"),
        sort: ({ estimated }) => agreement(estimated)[0],
      },
    ],
    { caption, cap: 50 },
  );
}

// The metrics of a region that were both measured and estimated.
export function besideSection({ estimated, inclusive, exclusive }: Region): HTMLElement[] {
  const own = Object.keys(estimated?.exclusive ?? {}).length > 0 && exclusive.kernel_count !== inclusive.kernel_count;
  if (!estimated || (Object.keys(estimated.inclusive).length === 0 && !own)) return [];
  const all = [...Object.values(estimated.inclusive), ...(own ? Object.values(estimated.exclusive) : [])];
  const differ = all.filter(({ agrees }) => agrees === false).length;
  return [
    h("h3", {}, "Measured and estimated", differ > 0 ? h("small", { class: "differs" }, `${differ} differ`) : null),
    ...(Object.keys(estimated.inclusive).length > 0
      ? [besideTable(estimated.inclusive, inclusive, "Measured and estimated")]
      : []),
    ...(own
      ? [
          h("p", { class: "muted" }, "Without inner regions:"),
          besideTable(estimated.exclusive, exclusive, "Measured and estimated, exclusive"),
        ]
      : []),
  ];
}
