// The colours of regions: the cause, the limiting resource, a share or a metric in steps,
// or which outermost region they are in; and the legend that says so. Colours
// are classes of style.css, so that they follow the theme.

import { cellOf } from "./columns.ts";
import * as format from "./format.ts";
import { shownOf, type Node, type Tree } from "./model.ts";
import type { Region } from "./report.ts";

export interface Coloring {
  key: string; // "cause", "limit", "share", "region", or a metric
  classOf: (node: Node) => string;
  legend: { label: string; className: string }[];
}

const steps = 6; // of style.css: heat0 …

const limits: [RegExp, string, string][] = [
  [/^memory/, "limit-memory", "memory bound"],
  [/^compute/, "limit-compute", "compute bound"],
  [/^latency/, "limit-latency", "latency bound"],
  [/^launch/, "limit-launch", "launch bound"],
];
const unknown = { label: "unknown", className: "color-none" };

// The class of the limiting resource, as the verdict begins.
export function limitClass({ verdict }: Region): string {
  const known = limits.find(([pattern]) => pattern.test(verdict ?? ""));
  return known?.[1] ?? unknown.className;
}

function byLimit(tree: Tree): Coloring {
  const used = new Set(tree.nodes.map(({ region }) => limitClass(region)));
  return {
    key: "limit",
    classOf: ({ region }) => limitClass(region),
    legend: [
      ...limits
        .filter(([, className]) => used.has(className))
        .map(([, className, label]) => ({ label, className })),
      ...(used.has(unknown.className) ? [unknown] : []),
    ],
  };
}

// The causes with the most wall time have colours of their own.
function byCause(tree: Tree): Coloring {
  const weights = new Map<string, number>();
  for (const { region, exclusive } of tree.nodes) {
    if (region.cause) weights.set(region.cause.title, (weights.get(region.cause.title) ?? 0) + exclusive);
  }
  const titles = [...weights].sort((a, b) => b[1] - a[1]).map(([title]) => title);
  const classOf = (title: string | undefined) => {
    const place = title === undefined ? -1 : titles.indexOf(title);
    return place < 0 || place >= 7 ? unknown.className : `color${place}`;
  };
  return {
    key: "cause",
    classOf: ({ region }) => classOf(region.cause?.title),
    legend: [
      ...titles.slice(0, 7).map((title) => ({ label: format.visible(title), className: classOf(title) })),
      { label: titles.length > 7 ? "another cause, or none known" : "no cause known", className: unknown.className },
    ],
  };
}

// The step of a share of 0 to 1.
function step(share: number): string {
  return `heat${Math.max(0, Math.min(steps - 1, Math.floor(share * steps)))}`;
}

// Each region's exclusive share of the whole time.
const shares = [0.005, 0.02, 0.05, 0.15, 0.4];

function byShare(tree: Tree): Coloring {
  return {
    key: "share",
    classOf: ({ exclusive }) => {
      const share = tree.total > 0 ? exclusive / tree.total : 0;
      return `heat${shares.filter((least) => share >= least).length}`;
    },
    legend: ["below 0.5 %", "from 0.5 %", "2 %", "5 %", "15 %", "40 %"].map((label, i) => ({
      label,
      className: `heat${i}`,
    })),
  };
}

const isPercent = (name: string) => /pct_of_peak|\.pct$|_pct\b|_share$/.test(name);

function byMetric(tree: Tree, name: string): Coloring {
  const value = (node: Node) => {
    const cell = cellOf(shownOf(node.region, false), name);
    return typeof cell?.value === "number" ? cell.value : undefined;
  };
  let most = isPercent(name) ? 100 : 0;
  let unit = "";
  for (const node of tree.nodes) {
    const cell = cellOf(shownOf(node.region, false), name);
    unit ||= cell?.unit ?? "";
    if (!isPercent(name)) most = Math.max(most, value(node) ?? 0);
  }
  return {
    key: name,
    classOf: (node) => {
      const own = value(node);
      return own === undefined ? unknown.className : step(most > 0 ? own / most : 0);
    },
    legend: [
      ...Array.from({ length: steps }, (_, i) => ({
        label: i === 0 ? "0" : i === steps - 1 ? format.quantity(most, unit) : "",
        className: `heat${i}`,
      })),
      { label: "not measured", className: unknown.className },
    ],
  };
}

function byRegion(tree: Tree): Coloring {
  const roots = tree.roots.filter((node) => node.color >= 0);
  const legend = roots.slice(0, 7).map((node) => ({
    label: format.short(node.label),
    className: `color${node.color % 7}`,
  }));
  if (roots.length > 7) legend.push({ label: "… then from the first colour again", className: "" });
  return {
    key: "region",
    classOf: (node) => (node.color < 0 ? unknown.className : `color${node.color % 7}`),
    legend,
  };
}

// The choices, the best first.
export function coloringsOf(tree: Tree, columns: string[]): [string, string][] {
  const choices: [string, string][] = [];
  if (tree.nodes.some(({ region }) => region.cause)) choices.push(["cause", "Cause"]);
  if (tree.nodes.some(({ region }) => region.verdict)) choices.push(["limit", "Limiting resource"]);
  if (tree.total > 0) choices.push(["share", "Exclusive share of the time"]);
  for (const name of columns) choices.push([name, name]);
  choices.push(["region", "Outermost region"]);
  return choices;
}

// As wanted, or the best there is.
export function coloringOf(tree: Tree, columns: string[], wanted: string): Coloring {
  const choices = coloringsOf(tree, columns);
  const key = choices.find(([name]) => name === wanted)?.[0] ?? choices[0]![0];
  if (key === "cause") return byCause(tree);
  if (key === "limit") return byLimit(tree);
  if (key === "share") return byShare(tree);
  return key === "region" ? byRegion(tree) : byMetric(tree, key);
}
