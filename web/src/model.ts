// The region tree of one scope, as the views want it: nodes with children,
// sizes, colours, and the rows that are visible under a filter and an order.
//
// Sizes are wall times, or GPU times; where nothing was timed, kernel counts
// stand in, so that bars and the chart still say something.

import { visible } from "./format.ts";
import { cellOf, namesOf } from "./columns.ts";
import type {
  Amounts,
  Cell,
  Held,
  Measured,
  NameRow,
  Region,
  Scope,
  Times,
} from "./report.ts";
import type { Inside, InSpan } from "./timeline.ts";

export interface Node {
  region: Region;
  parent: Node | null;
  children: Node[];
  label: string; // domain@name made visible, or (unattributed)
  depth: number;
  color: number; // of the root region it is in: 0.., -1 for (unattributed)
  inclusive: number; // size
  exclusive: number; // size
  order: number; // in the report; of wall times by size
  members?: Node[]; // of a name: its regions; it is in `names` alone
  inside?: Inside; // of a tree of a span: the work in it, inner regions included
}

// The meaning of sizes: wall time, GPU time of the measured or the baseline run, or
// kernels; in a span of the timeline GPU time, else wall time.
export type Basis = "wall" | "measured" | "traced" | "kernels" | "span";

export interface Tree {
  scope: Scope;
  roots: Node[];
  nodes: Node[];
  byId: Map<number, Node>;
  // Every name once, if some name is of several regions: a node of that name's,
  // or the only region's own. A kernel counts once in each.
  names: Node[];
  total: number; // size of everything
  basis: Basis;
  timed: boolean; // sizes are ns, not kernels
  // Of a tree with columns of its own: the values that sort them.
  sortValue?: (node: Node, column: string) => number;
  inSpan?: InSpan; // set: only the work in a span
}

export const isUnattributed = (region: Region) => region.path.length === 0;

export function regionLabel(region: Region): string {
  if (isUnattributed(region)) return "(unattributed)";
  return visible(region.path[region.path.length - 1] ?? region.name);
}

// Possible meanings of sizes, best first.
export function basesOf(scope: Scope): Basis[] {
  const timed: Basis[] = [];
  if (scope.regions.some((region) => (wallOf(region) ?? 0) > 0)) timed.push("wall");
  if ((scope.traced?.gpu_time_ns ?? 0) > 0) timed.push("traced");
  if ((scope.totals.gpu_time_ns ?? 0) > 0) timed.push("measured");
  return timed.length > 0 ? timed : ["kernels"];
}

// Wall time of all instances; undefined where none was closed.
export function wallOf({ times }: Region): number | undefined {
  return times?.cpu_ns.instances ? times.cpu_ns.total : undefined;
}

// Parents and children; a region whose parent was left out of the report stands
// at the top.
function joined(nodes: Node[], byId: Map<number, Node>): Node[] {
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
  return roots;
}

// By `wanted`, where the scope has it.
export function buildTree(scope: Scope, wanted?: Basis): Tree {
  const bases = basesOf(scope);
  const basis = wanted && bases.includes(wanted) ? wanted : bases[0]!;
  const size = (amounts: Amounts, traced: number | undefined) => {
    if (basis === "kernels") return amounts.kernel_count;
    return (basis === "measured" ? amounts.gpu_time_ns : traced) ?? 0;
  };

  const byId = new Map<number, Node>();
  const nodes = scope.regions.map((region, order): Node => {
    const { inclusive, exclusive, traced } = region;
    const wall = basis === "wall" ? (wallOf(region) ?? 0) : undefined;
    const node = {
      region,
      parent: null,
      children: [],
      label: regionLabel(region),
      depth: 0,
      color: -1,
      inclusive: wall ?? size(inclusive, traced?.gpu_time_ns),
      exclusive: wall ?? size(exclusive, traced?.own_gpu_time_ns),
      order,
    };
    byId.set(region.id, node);
    return node;
  });

  const roots = joined(nodes, byId);
  if (basis === "wall") {
    for (const node of nodes) {
      const inner = node.children.reduce((sum, child) => sum + child.inclusive, 0);
      node.exclusive = Math.max(0, node.inclusive - inner);
    }
    orderBySize(nodes, roots);
  }
  const total =
    basis === "wall"
      ? roots.reduce((sum, node) => sum + node.inclusive, 0)
      : size(scope.totals, scope.traced?.gpu_time_ns);
  const names = buildNames(scope.by_name ?? [], nodes, byId, (row, members) =>
    basis === "traced" || basis === "wall"
      ? outermost(members).reduce((sum, node) => sum + node.inclusive, 0)
      : size(row.inclusive, undefined),
  );
  return {
    scope,
    roots,
    nodes,
    byId,
    names,
    total,
    basis,
    timed: basis !== "kernels",
  };
}

// The report has regions by their GPU time.
function orderBySize(nodes: Node[], roots: Node[]): void {
  const sorted = [...nodes].sort((a, b) => b.inclusive - a.inclusive || a.order - b.order);
  sorted.forEach((node, order) => {
    node.order = order;
  });
  for (const siblings of [roots, ...nodes.map(({ children }) => children)]) {
    siblings.sort((a, b) => a.order - b.order);
  }
}

export function outermost(members: Node[]): Node[] {
  const among = new Set(members);
  return members.filter((node) => {
    for (let n = node.parent; n; n = n.parent) if (among.has(n)) return false;
    return true;
  });
}

function buildNames(
  rows: NameRow[],
  nodes: Node[],
  byId: Map<number, Node>,
  size: (row: NameRow, members: Node[]) => number,
): Node[] {
  if (rows.length === 0) return [];
  const together = rows.map((row, order): Node => {
    const members = row.regions
      .map((id) => byId.get(id))
      .filter((node) => node !== undefined);
    const label = members[0]?.label ?? visible(row.name);
    return {
      region: {
        id: -1 - order,
        name: row.name,
        domain: row.domain,
        path: [label],
        depth: 0,
        inclusive: row.inclusive,
        exclusive: { kernel_count: 0, gpu_time_ns: null },
      },
      parent: null,
      children: [],
      label,
      depth: 0,
      color: members[0]?.color ?? -1,
      inclusive: size(row, members),
      exclusive: 0,
      order: members[0]?.order ?? nodes.length,
      members,
    };
  });
  const grouped = new Set(rows.flatMap((row) => row.regions));
  const alone = nodes.filter(
    ({ region }) =>
      !grouped.has(region.id) &&
      !isUnattributed(region) &&
      (region.inclusive.kernel_count > 0 || tracedTime(region) !== undefined),
  );
  return [...together, ...alone];
}

// Every node of `from` and below, parents first. Not recursive, since a
// program's ranges may be nested without limit.
export function walk(from: Node[], visit: (node: Node) => void): void {
  const stack = [...from].reverse();
  for (let node = stack.pop(); node; node = stack.pop()) {
    visit(node);
    for (let i = node.children.length - 1; i >= 0; --i) {
      stack.push(node.children[i]!);
    }
  }
}

// ---- Rows -------------------------------------------------------------------

export type Layout = "tree" | "flat" | "names";

// The order of rows: as reported, by a column, or by a metric.
export interface Sort {
  key:
    | "order"
    | "name"
    | "inclusive"
    | "exclusive"
    | "kernels"
    | "regions"
    | "measured"
    | "traced"
    | "whole"
    | "imbalance"
    | "time"
    | "inside"
    | "launches"
    | "cause"
    | "metric"
    | "value";
  metric?: string; // of `time`: a TimeColumn; of `inside`: its member; of `value`: a column
  down: boolean;
}

export interface Query {
  text: string; // lower case; matches region names, paths and kernel names
  layout: Layout;
  sort: Sort;
  collapsed: ReadonlySet<number>; // region ids
  only?: (node: Node) => boolean; // and the regions around them
}

function numberOf(cell: Cell | undefined): number {
  return typeof cell?.value === "number" ? cell.value : -Infinity;
}

// Stands for a region without kernels: the first range measured over it.
// Counts of some instances do not, where there are estimates of all.
export function wholeOf({ inclusive, measured }: Region): Measured | undefined {
  const first = inclusive.kernel_count === 0 ? measured?.[0] : undefined;
  const estimated = (name: string) => cellOf(inclusive, name)?.how === "estimated";
  return first?.mode === "counters" && namesOf(inclusive).some(estimated) ? undefined : first;
}

// The holder of the metrics that a region's row shows.
export function shownOf(region: Region, own: boolean): Held {
  return wholeOf(region) ?? (own ? region.exclusive : region.inclusive);
}

// GPU time in the baseline run, undefined where that run launched nothing.
export function tracedTime({ traced }: Region): number | undefined {
  return traced && traced.kernel_count > 0 ? traced.gpu_time_ns : undefined;
}

// Columns that only a trace can fill.
export type TimeColumn = "runs" | "cpu" | "busy" | "idle" | "each" | "gpu" | "gpu_each" | "idle_share";

// Parts of the wall time in which the GPU works for the program.
const gpuParts = ["kernels", "rank_wait", "copies", "other_gpu_work"];

// Of the wall time of the steady state, 0 to 1.
function idleShare({ steady_wall_ns, wall_ns, gpu, warmup }: Times): number | undefined {
  if (!gpu || warmup === null) return undefined;
  const { profiler: _, ...parts } = steady_wall_ns ?? wall_ns ?? {};
  const total = Object.values(parts).reduce((sum, ns) => sum + ns, 0);
  const busy = gpuParts.reduce((sum, part) => sum + (parts[part] ?? 0), 0);
  if (total === 0) return undefined;
  return 1 - busy / total;
}

// Undefined where it is not known.
export function timeOf(region: Region, column: string): number | undefined {
  const { times } = region;
  if (!times) return undefined;
  const busy = times.gpu?.span_ns ? times.gpu.busy_ns : undefined;
  switch (column) {
    case "runs":
      return times.instances;
    case "cpu":
      return wallOf(region);
    case "each":
      if (times.warmup === null) return undefined;
      return times.warmup?.steady_cpu_ns ?? (times.cpu_ns.instances ? times.cpu_ns.mean : undefined);
    case "gpu":
      return tracedTime(region) ?? (region.inclusive.kernel_count > 0 ? (region.inclusive.gpu_time_ns ?? undefined) : undefined);
    case "gpu_each":
      if (times.warmup === null) return undefined;
      return times.warmup?.steady_gpu_ns ?? (times.gpu_ns.instances ? times.gpu_ns.mean : undefined);
    case "idle_share":
      return idleShare(times);
    case "busy":
      return busy;
    case "idle":
      // Inside the instances: between them other regions may have run.
      return busy === undefined ? undefined : times.gpu_idle_ns.total;
    default:
      return undefined;
  }
}

function comparator({ sortValue }: Tree, { sort, layout }: Query): (a: Node, b: Node) => number {
  const value = (node: Node): number => {
    const own = layout === "flat";
    const amounts = own ? node.region.exclusive : node.region.inclusive;
    switch (sort.key) {
      case "inclusive":
        return node.inclusive;
      case "exclusive":
        return node.exclusive;
      case "kernels":
        return amounts.kernel_count;
      case "regions":
        return node.members?.length ?? 1;
      case "whole":
        return wholeOf(node.region)?.gpu_time_ns ?? -Infinity;
      case "measured":
        return node.region.inclusive.gpu_time_ns ?? -Infinity;
      case "traced":
        return tracedTime(node.region) ?? -Infinity;
      case "imbalance":
        return node.region.imbalance?.ratio ?? -Infinity;
      case "launches":
        return (own ? node.region.traced?.own_kernel_count : node.region.traced?.kernel_count) ?? -Infinity;
      case "cause":
        return node.region.cause?.saves_ns ?? -Infinity;
      case "inside":
        return node.inside?.[(sort.metric ?? "gpu") as keyof Inside] ?? -Infinity;
      case "time":
        return timeOf(node.region, sort.metric ?? "") ?? -Infinity;
      case "value":
        return sortValue?.(node, sort.metric ?? "") ?? -Infinity;
      case "metric":
        return numberOf(cellOf(shownOf(node.region, own), sort.metric ?? ""));
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
  const named = (name: string) => name.toLowerCase().includes(text);
  return (
    (node.region.kernels ?? []).some(({ own_calls, kernel_name }) => own_calls !== 0 && named(kernel_name)) ||
    (node.region.merged?.members ?? []).some(({ name }) => named(name))
  );
}

// The rows below a row.
export function inner(node: Node, layout: Layout): Node[] {
  if (layout === "names") return node.members ?? [];
  return layout === "tree" ? node.children : [];
}

export interface Rows {
  nodes: Node[]; // in order of display
  levels: number[]; // 0: outermost, of each
  matching: Set<Node> | null; // null: there is no filter
}

// The rows to show. In the tree, a match is shown with its ancestors, and
// collapsed rows are opened where they hide a match.
export function visibleRows(tree: Tree, query: Query): Rows {
  const compare = comparator(tree, query);
  const { text, only } = query;
  const matching =
    text === "" && !only
      ? null
      : new Set(tree.nodes.filter((node) => matches(node, text) && (only?.(node) ?? true)));
  if (query.layout === "flat") {
    const nodes = tree.nodes.filter((node) => !matching || matching.has(node));
    return { nodes: nodes.sort(compare), levels: nodes.map(() => 0), matching };
  }
  if (query.layout === "names") return nameRows(tree, query, compare);

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
    if (text === "" && query.collapsed.has(node.region.id)) continue;
    const children = [...node.children].sort(compare);
    for (let i = children.length - 1; i >= 0; --i) stack.push(children[i]!);
  }
  return { nodes: rows, levels: rows.map((node) => node.depth), matching };
}

// A name matches by itself or by one of its regions.
function nameRows(
  tree: Tree,
  { text, collapsed }: Query,
  compare: (a: Node, b: Node) => number,
): Rows {
  const kept = tree.names.filter(
    (name) =>
      matches(name, text) ||
      (name.members ?? []).some((node) => matches(node, text)),
  );
  const nodes: Node[] = [];
  const levels: number[] = [];
  for (const name of [...kept].sort(compare)) {
    nodes.push(name);
    levels.push(0);
    if (!name.members || collapsed.has(name.region.id)) continue;
    for (const node of [...name.members].sort(compare)) {
      nodes.push(node);
      levels.push(1);
    }
  }
  return { nodes, levels, matching: text === "" ? null : new Set(kept) };
}

// The names of all metrics that any region has, those of the whole first.
export function metricNames(tree: Tree): string[] {
  const names = new Set(namesOf(tree.scope.totals));
  for (const node of tree.nodes) {
    const held = shownOf(node.region, false);
    for (const name of namesOf(held)) names.add(name);
    if (held.packed) break;  // where metrics are packed, all have the same
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
