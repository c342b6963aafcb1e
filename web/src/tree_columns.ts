// The columns of the table of regions: the value of each for a row, its
// label and its sort key. The names' column is the table's own.

import { h } from "./dom.ts";
import * as format from "./format.ts";
import { cellOf } from "./columns.ts";
import {
  shownOf,
  timeOf,
  tracedTime,
  wallOf,
  wholeOf,
  type Node,
  type Sort,
  type TimeColumn,
  type Tree,
} from "./model.ts";
import { legendText, signsText } from "./estimates.ts";
import { metricTitle } from "./meaning.ts";
import type { Imbalance, Region } from "./report.ts";
import type { State } from "./state.ts";

export interface Column {
  key: Sort["key"];
  metric?: string;
  id: string; // by which it is hidden
  label: [string, string];
  title: string;
  width: number; // px
  cell: (node: Node) => HTMLElement;
}

const perCharacter = 7.4; // px, of digits and of a head's bold letters
const padding = 12;
const sampled = 400; // rows that a column's width is made for

const widthOf = (texts: string[], least: number) =>
  Math.ceil(texts.reduce((most, text) => Math.max(most, text.length * perCharacter + padding), least));

// A head breaks after underscores and at blanks.
const wordsOf = ([label, small]: [string, string]) => [...label.split(/(?<=_)| /), ...small.split(" ")];

function number(text: string, title = "", how = ""): HTMLElement {
  return h("span", { class: `number${how}`, role: "gridcell", title: title || null }, text);
}

const timeText = (ns: number | undefined) => number(format.time(ns));
const countText = (count: number | undefined) =>
  number(count === undefined ? format.dash : format.digits(count));

function plainColumn(
  key: Sort["key"],
  label: [string, string],
  title: string,
  cell: (node: Node) => HTMLElement,
  { metric, least = 60 }: { metric?: string; least?: number } = {},
): Column {
  const id = metric ? `${key}:${metric}` : key;
  return { key, metric, id, label, title, width: widthOf(wordsOf(label), least), cell };
}

// All columns except the names and the hidden ones.
export function columnsOf(state: State): Column[] {
  return allColumns(state).filter((column) => !state.hidden.includes(column.id));
}

export function allColumns(state: State): Column[] {
  const { tree, query } = state;
  if (tree.basis === "span") return spanColumns(tree, query.layout === "names");
  const common = sizeColumns(tree, query.layout === "names" ? tree.names : tree.nodes);
  if (query.layout === "names") {
    const regions = plainColumn(
      "regions",
      ["Regions", ""],
      "Regions with this name",
      (node) => number(node.members ? format.digits(node.members.length) : ""),
    );
    return [...common, regions, kernelColumn(false), ...metricColumns(state)];
  }
  return regionColumns(state, common);
}

function regionColumns(state: State, common: Column[]): Column[] {
  const { tree, query } = state;
  const { nodes, total, scope } = tree;
  const measured = scope.totals.kernel_count > 0;
  const wholes = nodes.some((node) => wholeOf(node.region));
  // Ranges measured as a whole are part of no sum and no share.
  const sized = total > 0 || !wholes;
  if (tree.basis === "wall") return [...common, ...wallColumns(tree), ...metricColumns(state)];
  const own = query.layout === "flat";
  return [
    ...(sized ? common : []),
    ...(wholes ? [wholeColumn] : []),
    ...(tree.basis === "measured" && scope.traced ? [tracedColumn] : []),
    ...(tree.basis === "traced" && measured ? [measuredColumn] : []),
    ...(sized ? [ownColumn(tree)] : []),
    ...(scope.traced ? [launchColumn(own)] : []),
    ...(measured ? [kernelColumn(own)] : []),
    ...(nodes.some((node) => node.region.imbalance) ? [imbalanceColumn] : []),
    ...(nodes.some((node) => node.region.times) ? timeColumns : []),
    ...metricColumns(state),
  ];
}

const whatOf = (tree: Tree) =>
  ({
    wall: "Wall time",
    measured: "GPU time",
    traced: "Baseline run",
    kernels: "Kernels",
    span: tree.roots.some((node) => (node.inside?.gpu ?? 0) > 0) ? "GPU time" : "CPU time",
  })[tree.basis];

// Where no kernel was seen no time is known: that is not 0.
function unseen(tree: Tree, { region, members, inside }: Node): boolean {
  if (tree.basis === "wall") return !members && wallOf(region) === undefined;
  if (tree.basis === "span") return whatOf(tree) === "GPU time" && inside?.kernels === 0;
  return tree.basis === "traced"
    ? !members && tracedTime(region) === undefined
    : region.inclusive.kernel_count === 0;
}

function sizeCell(tree: Tree, value: number, node: Node): HTMLElement {
  if (unseen(tree, node)) return number(format.dash);
  return number(tree.timed ? format.time(value) : format.digits(value));
}

// Share, and its whole.
function sizeColumns(tree: Tree, rows: Node[]): Column[] {
  const largest = rows.reduce((most, node) => Math.max(most, node.inclusive), 0);
  return [
    {
      ...plainColumn(
        "inclusive",
        ["Share", ""],
        "Share of the scope's total; dark: exclusive, light: inclusive",
        (node) => (unseen(tree, node) ? number(format.dash) : bar(node, tree.total, largest)),
        { least: 118 },
      ),
      id: "share",
    },
    plainColumn(
      "inclusive",
      [whatOf(tree), tree.basis === "span" ? "in the span" : "inclusive"],
      "Inner regions included",
      (node) => sizeCell(tree, node.inclusive, node),
      { least: 82 },
    ),
  ];
}

const ownColumn = (tree: Tree) =>
  plainColumn(
    "exclusive",
    [whatOf(tree), "exclusive"],
    "Without inner regions",
    (node) => sizeCell(tree, node.exclusive, node),
    { least: 82 },
  );

// The work in a span of the timeline; counters are of the whole run.
function spanColumns(tree: Tree, names: boolean): Column[] {
  const of = (key: "runs" | "cpu" | "kernels", label: string, title: string) =>
    plainColumn("inside", [label, "in the span"], title, ({ inside }) => {
      const value = inside?.[key];
      if (!value) return number(format.dash);
      return key === "cpu" ? timeText(value) : countText(value);
    }, { metric: key, least: 76 });
  return [
    ...sizeColumns(tree, names ? tree.names : tree.nodes),
    ...(names ? [] : [ownColumn(tree)]),
    of("kernels", "Launches", "Kernels in the span, inner regions included"),
    of("runs", "Instances", "Instances open in the span"),
    of("cpu", "CPU", "Wall time in the span"),
  ];
}

// The region in the baseline run.
const tracedColumn = plainColumn(
  "traced",
  ["Baseline run", "inclusive"],
  "GPU time of all launches in the baseline run, inner regions included",
  (node) => timeText(tracedTime(node.region)),
  { least: 84 },
);

// The other run, where the table is ordered by the baseline run.
const measuredColumn = plainColumn(
  "measured",
  ["GPU time", "measured"],
  "GPU time of the measured kernels under replay, inner regions included",
  ({ region: { inclusive } }) =>
    timeText(inclusive.kernel_count > 0 ? (inclusive.gpu_time_ns ?? undefined) : undefined),
  { least: 82 },
);

// A range measured as a whole, where its kernels were not measured one by one.
const wholeColumn = plainColumn(
  "whole",
  ["As a whole", "not summed"],
  "Measured over the whole range, not added to any sum; of several executions (×) the first",
  ({ region }) => {
    const whole = wholeOf(region);
    const count = region.measured?.length ?? 0;
    return number(format.time(whole?.gpu_time_ns) + (whole && count > 1 ? ` ×${count}` : ""));
  },
  { least: 110 },
);

// All launches, of the run that nothing disturbed.
const launchColumn = (own: boolean) =>
  plainColumn(
    "launches",
    ["Launches", own ? "exclusive" : "inclusive"],
    "Kernels launched in the baseline run",
    ({ region: { traced } }) => countText(traced && (own ? traced.own_kernel_count : traced.kernel_count)),
  );

// A region whose kernels were not measured has no number of kernels.
const kernelColumn = (own: boolean) =>
  plainColumn(
    "kernels",
    ["Kernels", own ? "exclusive" : "inclusive"],
    "Launches that were measured",
    ({ region: { inclusive, exclusive } }) =>
      countText(
        inclusive.kernel_count === 0
          ? undefined
          : (own ? exclusive : inclusive).kernel_count,
      ),
  );

const imbalanceColumn = plainColumn(
  "imbalance",
  ["Max/mean", ""],
  "Largest GPU time over ranks or processes, relative to the mean",
  ({ region }) => imbalanceCell(region.imbalance),
);

function imbalanceCell(imbalance: Imbalance | undefined): HTMLElement {
  return imbalance
    ? number(`${imbalance.ratio.toFixed(2)}×`, format.imbalance(imbalance))
    : number(format.dash);
}

const timeColumns: Column[] = [
  timeColumn("runs", "Instances", "", "Executions of the region", 74),
  timeColumn("cpu", "CPU", "", "Wall time from opening to closing, all instances", 78),
  timeColumn("busy", "GPU", "busy", "Time with its work on the GPU", 78),
  timeColumn("idle", "GPU", "idle", "Time without its work on the GPU, between first start and last end, summed over instances", 78),
];

const launchesOf = ({ traced, inclusive }: Region) => traced?.kernel_count ?? inclusive.kernel_count;

// In the order of a reader's questions: total time, time of an instance, the
// GPU's work, the cause.
function wallColumns({ nodes }: Tree): Column[] {
  const share = timeColumn("idle_share", "Idle", "", "Share of the steady state's wall time without GPU work of the process", 62);
  return [
    timeColumn("each", "Each", "steady", "Wall time of an instance, without warm-up", 78),
    {
      ...share,
      cell: ({ region }) => {
        const idle = timeOf(region, "idle_share");
        return number(idle === undefined ? format.dash : format.share(idle, 1));
      },
    },
    ...(nodes.some(({ region }) => region.cause) ? [causeColumn] : []),
    timeColumn("gpu", "GPU time", "inclusive", "All kernels, inner regions included", 78),
    timeColumn("gpu_each", "GPU", "each", "Kernels of an instance, without warm-up", 78),
    plainColumn("launches", ["Launches", ""], "Kernels launched, inner regions included", ({ region }) =>
      countText(launchesOf(region)),
    ),
    timeColumn("runs", "Instances", "", "Instances", 72),
    ...(nodes.some(({ region }) => region.imbalance) ? [imbalanceColumn] : []),
  ];
}

const causeColumn = plainColumn(
  "cause",
  ["Cause", ""],
  "The cause that costs most wall time; with a question mark where the data do not prove it",
  ({ region: { cause } }) => {
    const text = cause ? `${cause.title}${cause.certain ? "" : "?"}` : format.dash;
    return h("span", { class: "cause", role: "gridcell", title: cause ? `${cause.text}: ${cause.next}` : null }, format.visible(text));
  },
  { least: 132 },
);

function timeColumn(metric: TimeColumn, label: string, small: string, title: string, least: number): Column {
  return plainColumn(
    "time",
    [label, small],
    title,
    ({ region }) => {
      const value = timeOf(region, metric);
      return metric === "runs" ? countText(value) : timeText(value);
    },
    { metric, least },
  );
}

// ---- Metrics ----------------------------------------------------------------

interface Fit {
  scale: format.Scale;
  width: number;
  errors: boolean; // some are estimates
}
const fits = new WeakMap<Tree, Map<string, Fit>>();

// The unit and the width that suit a metric's values; kept until these change.
function fitOf(tree: Tree, metric: string, own: boolean): Fit {
  const key = `${metric} ${own}`;
  const known = fits.get(tree) ?? new Map<string, Fit>();
  fits.set(tree, known);
  const there = known.get(key);
  if (there) return there;
  let most = 0;
  let unit = "";
  let errors = false;
  for (const { region } of tree.nodes) {
    const cell = cellOf(shownOf(region, own), metric);
    unit ||= cell?.unit ?? "";
    errors ||= (format.errorOf(cell) ?? 0) > 0;
    if (typeof cell?.value === "number") most = Math.max(most, Math.abs(cell.value));
  }
  const scale = format.scaleOf(most, unit);
  const texts = tree.nodes.slice(0, sampled).map(({ region }) => {
    const cell = cellOf(shownOf(region, own), metric);
    return format.cellSign(cell) + format.scaledText(cell, scale);
  });
  const fit = { scale, width: widthOf(texts, 60), errors };
  // Metrics that are still packed have no unit yet.
  if (unit !== "") known.set(key, fit);
  return fit;
}

// The meaning of the signs in the table's columns of metrics.
export function legendOf(state: State): string {
  const { tree, columns, query } = state;
  const hows = new Set<string | undefined>();
  if (tree.basis !== "span") {
    for (const { region } of tree.nodes) {
      const held = shownOf(region, query.layout === "flat");
      for (const metric of columns) hows.add(cellOf(held, metric)?.how);
    }
  }
  return [
    ...(showsEstimates(state) ? [legendText] : []),
    ...(hows.has("bound") ? [signsText.bound] : []),
    ...(hows.has("approx") ? [signsText.approx] : []),
  ].join(" ");
}

// Whether a column shows estimates.
export function showsEstimates({ tree, columns, query }: State): boolean {
  if (tree.basis === "span") return false;
  return columns.some((metric) => fitOf(tree, metric, query.layout === "flat").errors);
}

function metricColumns({ tree, columns, query }: State): Column[] {
  const own = query.layout === "flat";
  return columns.map((metric) => {
    const { scale, width } = fitOf(tree, metric, own);
    const [name, suffix] = format.metricLabel(metric);
    const unit = suffix.includes("%") && scale.unit === "%" ? "" : scale.unit;
    const label: [string, string] = [name, [suffix, unit && `[${unit}]`].filter(Boolean).join(" ")];
    return {
      key: "metric",
      metric,
      id: `metric:${metric}`,
      label,
      title: metricTitle(metric),
      width: Math.max(width, widthOf(wordsOf(label), 60)),
      cell: ({ region }) => {
        const cell = cellOf(shownOf(region, own), metric);
        return number(
          format.cellSign(cell) + format.scaledText(cell, scale),
          format.cellTitle(metric, cell),
          ` how-${cell?.how ?? "absent"}`,
        );
      },
    };
  });
}

// Own part dark, inner regions' part light; the largest region fills it. The
// number is the share of the total. A name has no part of its own.
function bar(node: Node, total: number, largest: number): HTMLElement {
  const element = h("span", {
    class: "bar-cell",
    role: "gridcell",
    title: node.members
      ? `${format.share(node.inclusive, total)} inclusive`
      : `${format.share(node.inclusive, total)} inclusive, ${format.share(node.exclusive, total)} exclusive`,
  });
  const track = h("span", { class: "bar" });
  const own = h("span", { class: "bar-own" });
  const inner = h("span", { class: "bar-inner" });
  const percent = (value: number) =>
    `${largest > 0 ? Math.min(100, (100 * value) / largest) : 0}%`;
  own.style.width = percent(node.exclusive);
  inner.style.width = percent(Math.max(0, node.inclusive - node.exclusive));
  track.append(own, inner);
  element.append(track, h("span", { class: "bar-text" }, format.share(node.inclusive, total)));
  return element;
}
