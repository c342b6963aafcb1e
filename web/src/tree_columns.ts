// The columns of the table of regions: what each says of a row, how it is
// called and what it is sorted by. The names' column is the table's own.

import { h } from "./dom.ts";
import * as format from "./format.ts";
import { cellOf } from "./columns.ts";
import {
  shownOf,
  timeOf,
  tracedTime,
  wholeOf,
  type Node,
  type Sort,
  type TimeColumn,
} from "./model.ts";
import type { Imbalance } from "./report.ts";
import type { State } from "./state.ts";

export interface Column {
  key: Sort["key"];
  metric?: string;
  label: [string, string];
  title: string;
  width: number; // px, at least
  cell: (node: Node) => HTMLElement;
}

function number(text: string, title = "", how = ""): HTMLElement {
  return h(
    "span",
    { class: `number${how}`, role: "gridcell", title: title || null },
    text,
  );
}

const timeText = (ns: number | undefined) => number(format.time(ns));

// All but the names' column.
export function columnsOf(state: State): Column[] {
  const { tree, query } = state;
  const largest = (query.layout === "names" ? tree.names : tree.nodes).reduce(
    (most, node) => Math.max(most, node.inclusive),
    0,
  );
  // Where no kernel was seen no time is known: that is not 0.
  const unseen = ({ region, members }: Node) =>
    tree.basis === "traced"
      ? !members && tracedTime(region) === undefined
      : region.inclusive.kernel_count === 0;
  const size = (value: number, node: Node) =>
    tree.timed && unseen(node)
      ? number(format.dash)
      : number(tree.timed ? format.time(value) : format.digits(value));
  const what = {
    measured: "GPU time",
    traced: "Undisturbed",
    kernels: "Kernels",
  }[tree.basis];
  const { nodes, total } = tree;
  const measured = tree.scope.totals.kernel_count > 0;
  const wholes = nodes.some((node) => wholeOf(node.region));
  // Ranges measured as a whole are part of no sum and no share.
  const sized = total > 0 || !wholes;
  const common: Column[] = [
    {
      key: "inclusive",
      label: ["Share", ""],
      title: "Of the scope's total; dark: its own, light: with inner regions",
      width: 98,
      cell: (node) => bar(node, tree.total, largest),
    },
    {
      key: "inclusive",
      label: [what, "inclusive"],
      title: "With inner regions",
      width: 82,
      cell: (node) => size(node.inclusive, node),
    },
  ];
  if (query.layout === "names") {
    return [
      ...common,
      {
        key: "regions",
        label: ["Regions", ""],
        title: "How many regions have the name",
        width: 62,
        cell: (node) => number(node.members ? format.digits(node.members.length) : ""),
      },
      kernelColumn(false),
      ...metricColumns(state),
    ];
  }
  return [
    ...(sized ? common : []),
    ...(wholes ? [wholeColumn] : []),
    ...(tree.basis === "measured" && tree.scope.traced ? [tracedColumn] : []),
    ...(tree.basis === "traced" && measured ? [measuredColumn] : []),
    ...(sized
      ? [{
          key: "exclusive" as const,
          label: [what, "exclusive"] as [string, string],
          title: "Without inner regions",
          width: 82,
          cell: (node: Node) => size(node.exclusive, node),
        }]
      : []),
    ...(measured ? [kernelColumn(query.layout === "flat")] : []),
    ...(nodes.some((node) => node.region.imbalance) ? [imbalanceColumn] : []),
    ...(nodes.some((node) => node.region.times) ? timeColumns : []),
    ...metricColumns(state),
  ];
}

// The same region in the run that nothing disturbed.
const tracedColumn: Column = {
  key: "traced",
  label: ["Undisturbed", "inclusive"],
  title: "GPU time in the run under the tracer alone, all its launches, with inner regions",
  width: 84,
  cell: (node) => timeText(tracedTime(node.region)),
};

// What is left to say of it where the table goes by the other run.
const measuredColumn: Column = {
  key: "measured",
  label: ["GPU time", "inclusive"],
  title: "Of the kernels that were measured, with inner regions",
  width: 82,
  cell: ({ region: { inclusive } }) =>
    timeText(
      inclusive.kernel_count > 0 ? (inclusive.gpu_time_ns ?? undefined) : undefined,
    ),
};

// A range measured at once, where its kernels were not one by one.
const wholeColumn: Column = {
  key: "whole",
  label: ["As a whole", "not summed"],
  title: "Measured over the whole range at once, and part of no sum; of several executions (×) the first",
  width: 98,
  cell: ({ region }) => {
    const whole = wholeOf(region);
    const count = region.measured?.length ?? 0;
    return number(
      format.time(whole?.gpu_time_ns) + (whole && count > 1 ? ` ×${count}` : ""),
    );
  },
};

function kernelColumn(own: boolean): Column {
  return {
    key: "kernels",
    label: ["Kernels", own ? "exclusive" : "inclusive"],
    title: "How many were measured",
    width: 62,
    cell: ({ region }) =>
      number(format.digits((own ? region.exclusive : region.inclusive).kernel_count)),
  };
}

const imbalanceColumn: Column = {
  key: "imbalance",
  label: ["Max/mean", ""],
  title: "Of who has the most GPU time, over ranks or processes",
  width: 86,
  cell: ({ region }) => imbalanceCell(region.imbalance),
};

function imbalanceCell(imbalance: Imbalance | undefined): HTMLElement {
  return imbalance
    ? number(`${imbalance.ratio.toFixed(2)}×`, format.imbalance(imbalance))
    : number(format.dash);
}

const timeColumns: Column[] = [
  timeColumn("runs", "Runs", "", "How often it ran", 52),
  timeColumn("cpu", "CPU", "", "From open to close, over all its runs", 76),
  timeColumn("busy", "GPU", "busy", "In which something of it ran on the GPU", 76),
  timeColumn("idle", "GPU", "idle", "Between the first start and the last end of each run, with nothing of it running", 76),
];

function timeColumn(
  metric: TimeColumn,
  label: string,
  small: string,
  title: string,
  width: number,
): Column {
  return {
    key: "time",
    metric,
    label: [label, small],
    title,
    width,
    cell: ({ region }) => {
      const value = timeOf(region, metric);
      return metric === "runs" && value !== undefined
        ? number(format.digits(value))
        : timeText(value);
    },
  };
}

function metricColumns({ columns, query }: State): Column[] {
  return columns.map((metric) => ({
    key: "metric",
    metric,
    label: format.metricLabel(metric),
    title: metric,
    width: 106,
    cell: ({ region }) => {
      const cell = cellOf(shownOf(region, query.layout === "flat"), metric);
      return number(
        format.cellSign(cell) + format.cellText(cell),
        format.cellTitle(metric, cell),
        ` how-${cell?.how ?? "absent"}`,
      );
    },
  }));
}

// Own part dark, inner regions' part light; the largest region fills it. The
// number is the share of the total. A name has no part of its own.
function bar(node: Node, total: number, largest: number): HTMLElement {
  const element = h("span", {
    class: "bar-cell",
    role: "gridcell",
    title: node.members
      ? `${format.share(node.inclusive, total)} with inner regions`
      : `${format.share(node.inclusive, total)} with inner regions, ${format.share(node.exclusive, total)} without`,
  });
  const track = h("span", { class: "bar" });
  const own = h("span", { class: "bar-own" });
  const inner = h("span", { class: "bar-inner" });
  const percent = (value: number) =>
    `${largest > 0 ? Math.min(100, (100 * value) / largest) : 0}%`;
  own.style.width = percent(node.exclusive);
  inner.style.width = percent(Math.max(0, node.inclusive - node.exclusive));
  track.append(own, inner);
  element.append(
    track,
    h("span", { class: "bar-text" }, format.share(node.inclusive, total)),
  );
  return element;
}
