// The work in a span of the timeline, as the tree of regions that all views
// show.

import { outermost, type Node, type Tree } from "./model.ts";
import type { Inside, InSpan } from "./timeline.ts";

const sum = (a: Inside, b: Inside): Inside => ({
  ...a,
  kernels: a.kernels + b.kernels,
  gpu: a.gpu + b.gpu,
});

// The tree of a span: the same regions without those that did not run.
export function restrict(tree: Tree, inSpan: InSpan): Tree {
  const own = (node: Node): Inside =>
    inSpan.regions.get(node.region.id) ?? { runs: 0, cpu: 0, kernels: 0, gpu: 0 };
  const inside = new Map<Node, Inside>(tree.nodes.map((node) => [node, own(node)]));
  for (let i = tree.nodes.length - 1; i >= 0; --i) {
    const node = tree.nodes[i]!;
    if (node.parent) inside.set(node.parent, sum(inside.get(node.parent)!, inside.get(node)!));
  }
  const seen = (node: Node) => inside.get(node)!.runs > 0 || inside.get(node)!.kernels > 0;
  const kept = new Map<Node, Node>();
  const onGpu = tree.roots.some((node) => inside.get(node)!.gpu > 0);
  for (const node of tree.nodes.filter(seen)) {
    const all = inside.get(node)!;
    const inner = node.children.reduce((cpu, child) => cpu + inside.get(child)!.cpu, 0);
    kept.set(node, {
      ...node,
      children: [],
      parent: null,
      inside: all,
      inclusive: onGpu ? all.gpu : all.cpu,
      exclusive: onGpu ? own(node).gpu : Math.max(0, all.cpu - inner),
    });
  }
  return rejoined(tree, kept, inSpan);
}

// A region stays under the next one around it that is kept.
function rejoined(tree: Tree, kept: Map<Node, Node>, inSpan: InSpan): Tree {
  const roots: Node[] = [];
  for (const [node, copy] of kept) {
    let outer = node.parent;
    while (outer && !kept.has(outer)) outer = outer.parent;
    copy.parent = outer ? kept.get(outer)! : null;
    if (copy.parent) copy.parent.children.push(copy);
    else roots.push(copy);
  }
  const nodes = [...kept.values()];
  return {
    ...tree,
    roots,
    nodes,
    byId: new Map(nodes.map((node) => [node.region.id, node])),
    names: restrictedNames(tree.names, kept),
    total: roots.reduce((total, node) => total + node.inclusive, 0),
    basis: "span",
    timed: true,
    inSpan,
  };
}

function restrictedNames(names: Node[], kept: Map<Node, Node>): Node[] {
  return names.flatMap((name) => {
    if (!name.members) return kept.get(name) ?? [];
    const members = name.members.flatMap((node) => kept.get(node) ?? []);
    if (members.length === 0) return [];
    const outer = outermost(members);
    const inside = outer.map((node) => node.inside!).reduce((a, b) => ({
      ...sum(a, b),
      runs: a.runs + b.runs,
      cpu: a.cpu + b.cpu,
    }));
    const inclusive = outer.reduce((total, node) => total + node.inclusive, 0);
    return { ...name, members, inside, inclusive };
  });
}
