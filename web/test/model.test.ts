import assert from "node:assert/strict";
import { test } from "node:test";

import {
  buildTree,
  layoutIcicle,
  visibleRows,
  walk,
  type Query,
  type Tree,
} from "../src/model.ts";
import { scopeOf } from "./sample.ts";

const nested = scopeOf(`
(unattributed) 40
A 30
  A::A1 60
  A2 10
B 100
  inner 0
    deep 20
`);

const query = (change: Partial<Query> = {}): Query => ({
  text: "",
  layout: "tree",
  sort: { key: "order", down: false },
  collapsed: new Set(),
  ...change,
});

// One line a row: indented label, inclusive and own size.
const draw = (tree: Tree, q: Query) =>
  visibleRows(tree, q)
    .nodes.map(
      (n) =>
        `${"  ".repeat(q.layout === "flat" ? 0 : n.depth)}${n.label} ${n.inclusive} ${n.exclusive}`,
    )
    .join("\n");

test("The tree has every region under its parent, in the report's order", () => {
  assert.equal(
    draw(buildTree(nested), query()),
    `(unattributed) 40 40
A 100 30
  A::A1 60 60
  A2 10 10
B 120 100
  inner 20 0
    deep 20 20`,
  );
});

test("Sorting orders siblings and keeps the tree", () => {
  assert.equal(
    draw(buildTree(nested), query({ sort: { key: "inclusive", down: true } })),
    `B 120 100
  inner 20 0
    deep 20 20
A 100 30
  A::A1 60 60
  A2 10 10
(unattributed) 40 40`,
  );
});

test("The flat list is by own size", () => {
  const q = query({ layout: "flat", sort: { key: "exclusive", down: true } });
  assert.equal(
    draw(buildTree(nested), q),
    `B 120 100
A::A1 60 60
(unattributed) 40 40
A 100 30
deep 20 20
A2 10 10
inner 20 0`,
  );
});

test("What is collapsed hides its inner regions", () => {
  const q = query({ collapsed: new Set([2, 6]) });
  assert.equal(
    draw(buildTree(nested), q),
    `(unattributed) 40 40
A 100 30
B 120 100
  inner 20 0`,
  );
});

test("A match brings its ancestors, also out of collapsed ones", () => {
  const tree = buildTree(nested);
  const q = query({ text: "deep", collapsed: new Set([5, 6]) });
  assert.equal(
    draw(tree, q),
    `B 120 100
  inner 20 0
    deep 20 20`,
  );
  assert.equal(visibleRows(tree, q).matching?.size, 1);
});

test("A kernel's name finds its region", () => {
  assert.equal(
    draw(buildTree(nested), query({ text: "kernel_of_a2" })),
    `A 100 30
  A2 10 10`,
  );
});

test("A region whose parent is not in the report stands at the top", () => {
  const scope = scopeOf("A 10\n  B 20");
  scope.regions.shift();
  assert.equal(draw(buildTree(scope), query()), "B 20 20");
});

test("Where nothing was timed, kernels are the size", () => {
  const scope = scopeOf("A 10\n  B 20");
  scope.totals.gpu_time_ns = 0;
  for (const region of scope.regions) {
    region.inclusive.gpu_time_ns = 0;
    region.exclusive.gpu_time_ns = 0;
  }
  assert.equal(draw(buildTree(scope), query()), "A 3 1\n  B 2 2");
});

test("The chart's blocks tile their parents by inclusive size", () => {
  const tree = buildTree(nested);
  const text = (focus: string | null) =>
    layoutIcicle(tree, tree.nodes.find((n) => n.label === focus) ?? null, 0)
      .sort((a, b) => a.row - b.row || a.left - b.left)
      .map((b) => `${b.row} ${b.node.label} ${b.left.toFixed(3)}+${b.width.toFixed(3)}`)
      .join("\n");
  assert.equal(
    text(null),
    `0 (unattributed) 0.000+0.154
0 A 0.154+0.385
0 B 0.538+0.462
1 A::A1 0.154+0.231
1 A2 0.385+0.038
1 inner 0.538+0.077
2 deep 0.538+0.077`,
  );
  assert.equal(
    text("A"),
    `0 A 0.000+1.000
1 A::A1 0.000+0.600
1 A2 0.600+0.100`,
  );
});

test("Blocks too thin to see are left out with all they hold", () => {
  const tree = buildTree(nested);
  const labels = layoutIcicle(tree, null, 0.1).map((b) => b.node.label);
  assert.deepEqual(labels.sort(), ["(unattributed)", "A", "A::A1", "B"]);
});

test("Ranges nested fifty thousand deep do not overflow the stack", () => {
  const scope = scopeOf("A 10");
  const first = scope.regions[0]!;
  for (let id = 2; id <= 50_000; ++id) {
    scope.regions.push({ ...first, id, parent_id: id - 1 });
  }
  const tree = buildTree(scope);
  let count = 0;
  walk(tree.roots, () => ++count);
  assert.equal(count, 50_000);
  assert.equal(visibleRows(tree, query()).nodes.length, 50_000);
  assert.equal(layoutIcicle(tree, null, 0).length, 50_000);
});
