// How a region's sampled counters went over the run, by blocks of its
// instances: the growth of a decode loop, which a total does not show.

import { cellOf } from "./columns.ts";
import { h, svg } from "./dom.ts";
import * as format from "./format.ts";
import type { BlockValue, OverTime, Region } from "./report.ts";
import { table } from "./tables.ts";

interface Course {
  metric: string;
  unit: string;
  values: (BlockValue | null)[]; // by block
}

const width = 150;
const height = 34;

// A point a block with its 95 % interval. The axis begins at 0 where that hides
// nothing, and spans a tenth of the value at least: less is no change to see.
function plot({ metric, unit, values }: Course): Element {
  const known = values.filter((value) => value !== null);
  const most = Math.max(...known.map(({ high }) => high));
  const lowest = Math.min(...known.map(({ low }) => low));
  const least = lowest < most / 2 ? 0 : Math.min(lowest, most * 0.9);
  const y = (value: number) => height - 3 - (most > least ? (value - least) / (most - least) : 0.5) * (height - 6);
  const x = (block: number) => 6 + (block * (width - 12)) / Math.max(values.length - 1, 1);
  const marks = values.flatMap((value, block) =>
    value === null
      ? []
      : [
          svg("line", { class: "interval", x1: x(block), x2: x(block), y1: y(value.low), y2: y(value.high) }),
          svg("circle", { cx: x(block), cy: y(value.value), r: 2.5 }),
        ],
  );
  return svg(
    "svg",
    {
      class: "course",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-label": `${metric}: ${values.map((value) => (value ? format.quantity(value.value, unit) : "unknown")).join(", ")}`,
    },
    ...marks,
  );
}

const end = (course: Course, from: "first" | "last") => {
  const known = course.values.filter((value) => value !== null);
  return from === "first" ? known[0] : known[known.length - 1];
};

const endText = (course: Course, from: "first" | "last") =>
  format.quantity(end(course, from)?.value ?? 0, course.unit);

function endTitle(course: Course, from: "first" | "last"): string {
  const value = end(course, from);
  if (!value) return "";
  return `95 % interval: ${format.quantity(value.low, course.unit)} to ${format.quantity(value.high, course.unit)}`;
}

function coursesOf({ blocks }: OverTime, region: Region): Course[] {
  const metrics = Object.keys(blocks[0]?.metrics ?? {});
  return metrics
    .map((metric) => ({
      metric,
      unit: cellOf(region.inclusive, metric)?.unit ?? "",
      values: blocks.map(({ metrics: of }) => of[metric] ?? null),
    }))
    .filter(({ values }) => values.some((value) => value !== null && value.value > 0));
}

export function overTimeSection(region: Region): HTMLElement[] {
  const all = (region.over_time ?? []).map((one) => ({ one, courses: coursesOf(one, region) }));
  return all
    .filter(({ courses }) => courses.length > 0)
    .flatMap(({ one, courses }) => [
      h("h3", {}, "Over the run", all.length > 1 ? h("small", {}, `GPU ${one.device}`) : null),
      h(
        "p",
        { class: "muted" },
        `Per instance, in ${one.blocks.length} blocks of about ${format.digits(one.blocks[0]?.instances ?? 0)}, with 95 % intervals.`,
      ),
      table(
        courses,
        [
          { label: "Metric", text: ({ metric }) => metric, className: () => "metric", breaks: true },
          { label: "First", number: true, text: (course) => endText(course, "first"), tooltip: (course) => endTitle(course, "first") },
          { label: "", text: () => "", element: plot },
          { label: "Last", number: true, text: (course) => endText(course, "last"), tooltip: (course) => endTitle(course, "last") },
        ],
        { caption: "Counters over the run", cap: 50 },
      ),
    ]);
}
