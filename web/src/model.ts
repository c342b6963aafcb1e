// The region tree of one scope, as the views want it: nodes with children,
// sizes, colours, and the rows that are visible under a filter and an order.
//
// Sizes are GPU times; where nothing was timed, kernel counts stand in, so that
// bars and the chart still say something.

import { visible } from "./format.ts";
import type { Cell, Region, Scope } from "./report.ts";

export interface Node {
  region: Region;
  parent: Node | null;
  children: Node[];
  label: string; // domain@name made visible, or (unattributed)
  depth: number;
  color: number; // of the root region it is in: 0.., -1 for (unattributed)
  inclusive: number; // size
  exclusive: number; // size
  order: number; // in the report
}

export interface Tree {
  scope: Scope;
  roots: Node[];
  nodes: Node[];
  byId: Map<number, Node>;
  total: number; // size of everything
  largest: number; // of the nodes' inclusive sizes
  timed: boolean; // sizes are ns, not kernels
}

export const isUnattributed = (region: Region) => region.path.length === 0;

export function regionLabel(region: Region): string {
  if (isUnattributed(region)) return "(unattributed)";
  return visible(region.path[region.path.length - 1] ?? region.name);
}

export function buildTree(scope: Scope): Tree {
  const timed = (scope.totals.gpu_time_ns ?? 0) > 0;
  const size = (amounts: Region["inclusive"]) =>
    timed ? (amounts.gpu_time_ns ?? 0) : amounts.kernel_count;

  const byId = new Map<number, Node>();
  const nodes = scope.regions.map((region, order): Node => {
    const node = {
      region,
      parent: null,
      children: [],
      label: regionLabel(region),
      depth: 0,
      color: -1,
      inclusive: size(region.inclusive),
      exclusive: size(region.exclusive),
      order,
    };
    byId.set(region.id, node);
    return node;
  });

  // A region whose parent was left out of the report stands at the top.
  const roots: Node[] = [];
  for (const node of nodes) {
    const id = node.region.parent_id;
    const parent = id === null || id === undefined ? undefined : byId.get(id);
    if (parent && parent !== node) {
      node.parent = parent;
      parent.children.push(node);
    } else {
      roots.push(node);
    }
  }
  let color = 0;
  for (const root of roots) {
    const own = isUnattributed(root.region) ? -1 : color++;
    walk([root], (node) => {
      node.color = own;
      node.depth = node.parent ? node.parent.depth + 1 : 0;
    });
  }
  const total = timed
    ? (scope.totals.gpu_time_ns ?? 0)
    : scope.totals.kernel_count;
  const largest = nodes.reduce((most, n) => Math.max(most, n.inclusive), 0);
  return { scope, roots, nodes, byId, total, largest, timed };
}

// Every node of `from` and below, parents first. Not recursive: the program's
// ranges may be nested as deep as they like.
export function walk(from: Node[], visit: (node: Node) => void): void {
  const stack = [...from].reverse();
  for (let node = stack.pop(); node; node = stack.pop()) {
    visit(node);
    for (let i = node.children.length - 1; i >= 0; --i) {
      stack.push(node.children[i]!);
    }
  }
}

// The class of a node's colour in style.css; 8 is that of what has no region.
export const colorClass = (node: Node) =>
  node.color < 0 ? "color-none" : `color${node.color % 7}`;

// ---- Rows -------------------------------------------------------------------

export type Layout = "tree" | "flat";

// What rows are ordered by: as reported, by a column, or by a metric.
export interface Sort {
  key:
    | "order"
    | "name"
    | "inclusive"
    | "exclusive"
    | "kernels"
    | "imbalance"
    | "time"
    | "metric";
  metric?: string; // of `time`: a TimeColumn
  down: boolean;
}

export interface Query {
  text: string; // lower case; matches region names, paths and kernel names
  layout: Layout;
  sort: Sort;
  collapsed: ReadonlySet<number>; // region ids
}

function numberOf(cell: Cell | undefined): number {
  return typeof cell?.value === "number" ? cell.value : -Infinity;
}

// Columns that only a trace can fill.
export type TimeColumn = "runs" | "cpu" | "busy" | "idle";

// Undefined where it is not known.
export function timeOf(region: Region, column: string): number | undefined {
  const { times } = region;
  if (!times) return undefined;
  const on_gpu = times.gpu.span_ns > 0;
  switch (column) {
    case "runs":
      return times.instances;
    case "cpu":
      return times.cpu_ns.instances ? times.cpu_ns.total : undefined;
    case "busy":
      return on_gpu ? times.gpu.busy_ns : undefined;
    case "idle":
      // Inside the instances: between them other regions may have run.
      return on_gpu ? times.gpu_idle_ns.total : undefined;
    default:
      return undefined;
  }
}

function comparator(sort: Sort, layout: Layout): (a: Node, b: Node) => number {
  const value = (node: Node): number => {
    const amounts =
      layout === "flat" ? node.region.exclusive : node.region.inclusive;
    switch (sort.key) {
      case "inclusive":
        return node.inclusive;
      case "exclusive":
        return node.exclusive;
      case "kernels":
        return amounts.kernel_count;
      case "imbalance":
        return node.region.imbalance?.ratio ?? -Infinity;
      case "time":
        return timeOf(node.region, sort.metric ?? "") ?? -Infinity;
      case "metric":
        return numberOf(amounts.metrics?.[sort.metric ?? ""]);
      default:
        return -node.order;
    }
  };
  const sign = sort.down ? -1 : 1;
  return (a, b) => {
    if (sort.key === "name") {
      return -sign * b.label.localeCompare(a.label) || a.order - b.order;
    }
    if (sort.key === "order") return a.order - b.order;
    const x = value(a);
    const y = value(b);
    return x === y ? a.order - b.order : sign * (x < y ? -1 : 1);
  };
}

export function matches(node: Node, text: string): boolean {
  if (text === "") return true;
  if (node.label.toLowerCase().includes(text)) return true;
  if (node.region.path.join(" / ").toLowerCase().includes(text)) return true;
  return (node.region.kernels ?? []).some((kernel) =>
    kernel.kernel_name.toLowerCase().includes(text),
  );
}

export interface Rows {
  nodes: Node[]; // in order of display
  matching: Set<Node> | null; // null: there is no filter
}

// The rows to show. In the tree, a match brings its ancestors along, and what
// is collapsed is opened as far as a match needs it.
export function visibleRows(tree: Tree, query: Query): Rows {
  const compare = comparator(query.sort, query.layout);
  const matching =
    query.text === ""
      ? null
      : new Set(tree.nodes.filter((node) => matches(node, query.text)));
  if (query.layout === "flat") {
    const nodes = tree.nodes.filter((node) => !matching || matching.has(node));
    return { nodes: nodes.sort(compare), matching };
  }

  const kept = new Set<Node>();
  for (const match of matching ?? []) {
    for (let n: Node | null = match; n && !kept.has(n); n = n.parent) {
      kept.add(n);
    }
  }
  const rows: Node[] = [];
  const stack = [...tree.roots].sort(compare).reverse();
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (matching && !kept.has(node)) continue;
    rows.push(node);
    if (!matching && query.collapsed.has(node.region.id)) continue;
    const children = [...node.children].sort(compare);
    for (let i = children.length - 1; i >= 0; --i) stack.push(children[i]!);
  }
  return { nodes: rows, matching };
}

// The names of all metrics that any region has, those of the whole first.
export function metricNames(tree: Tree): string[] {
  const names = new Set(Object.keys(tree.scope.totals.metrics ?? {}));
  for (const node of tree.nodes) {
    for (const name of Object.keys(node.region.inclusive.metrics ?? {})) {
      names.add(name);
    }
  }
  return [...names];
}

// ---- Icicle -----------------------------------------------------------------

export interface Block {
  node: Node;
  row: number;
  left: number; // 0..1 of the width
  width: number;
}

// The regions below `focus` (or all) as blocks, inner under outer, each as wide
// as its size; blocks thinner than `thinnest` are left out, and so is all that
// they hold.
export function layoutIcicle(
  tree: Tree,
  focus: Node | null,
  thinnest: number,
): Block[] {
  const whole = focus ? focus.inclusive : tree.total;
  const blocks: Block[] = [];
  if (!(whole > 0)) return blocks;
  const stack: Block[] = [];
  const place = (nodes: Node[], row: number, from: number) => {
    let left = from;
    for (const node of nodes) {
      const width = node.inclusive / whole;
      if (width >= thinnest) stack.push({ node, row, left, width });
      left += width;
    }
  };
  place(focus ? [focus] : tree.roots, 0, 0);
  for (let block = stack.pop(); block; block = stack.pop()) {
    blocks.push(block);
    place(block.node.children, block.row + 1, block.left);
  }
  return blocks;
}
