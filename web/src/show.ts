// The page: reads the report that is in it, and shows it. Nothing is fetched.

import { unpack } from "./columns.ts";
import { DetailView } from "./detail.ts";
import { fill, h } from "./dom.ts";
import { HeaderView, notes, programName } from "./header.ts";
import { IcicleView } from "./icicle_view.ts";
import {
  buildTree,
  metricNames,
  type Basis,
  type Node,
  type Tree,
} from "./model.ts";
import { parseReport, type Report } from "./report.ts";
import {
  everything,
  readAddress,
  writeAddress,
  type State,
  type Store,
} from "./state.ts";
import { TreeView } from "./tree_view.ts";

// Shown as columns at first, as far as the report has them.
const firstColumns = [
  "sm__throughput.avg.pct_of_peak_sustained_elapsed",
  "dram__throughput.avg.pct_of_peak_sustained_elapsed",
  "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
  "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
  "dram__bytes.sum",
];

// What is open at first: everything, unless that is more than a page or two; of
// names nothing.
function firstCollapsed(tree: Tree): Set<number> {
  const closed = tree.names.filter((node) => node.members);
  if (tree.nodes.length > 200) {
    closed.push(
      ...tree.nodes.filter((node) => node.depth >= 1 && node.children.length),
    );
  }
  return new Set(closed.map((node) => node.region.id));
}

function largest(tree: Tree): Node | null {
  return tree.roots.reduce<Node | null>(
    (most, node) => (!most || node.inclusive > most.inclusive ? node : most),
    null,
  );
}

// The columns at first: what was asked for by name, then the usual ones.
function chooseColumns(report: Report, tree: Tree): string[] {
  const available = new Set(metricNames(tree));
  const asked = Object.entries(report.metrics ?? {})
    .filter(([name, metric]) => report.columns && metric.cells === "in_place" && name !== "gpu__time_duration.sum")
    .map(([name]) => name);
  const names = [...new Set([...asked, ...firstColumns])];
  return names.filter((name) => available.has(name)).slice(0, 2);
}

// Shows the report; what is returned draws again all that has metrics.
function show(report: Report, app: HTMLElement): () => void {
  const address = readAddress();
  const trees = new Map<string, Tree>();
  const treeOf = (index: number, basis: Basis): Tree => {
    const key = `${index} ${basis}`;
    const tree = trees.get(key) ?? buildTree(report.scopes[index]!, basis);
    trees.set(key, tree);
    return tree;
  };

  let scopeIndex = report.scopes.findIndex((s) => s.scope === address.scope);
  if (scopeIndex < 0) scopeIndex = 0;
  const basis = address.basis ?? "measured";
  const tree = treeOf(scopeIndex, basis);
  const name = tree.names.find((n) => n.members && n.label === address.name);
  const state: State = {
    tree,
    scopeIndex,
    basis,
    selected:
      address.region === everything
        ? null
        : (name ?? tree.byId.get(Number(address.region ?? NaN)) ?? largest(tree)),
    query: {
      text: "",
      layout: name ? "names" : "tree",
      sort: name
        ? { key: "inclusive", down: true }
        : { key: "order", down: false },
      collapsed: firstCollapsed(tree),
    },
    columns: chooseColumns(report, tree),
    zoom: null,
  };
  const store: Store = {
    state,
    update(change, part) {
      Object.assign(state, change);
      if (part === "scope" || part === "columns") header.draw();
      if (part === "selected") {
        header.drawSelected();
        open(state.selected);
        regions.reveal();
      } else if (part !== "zoom") {
        regions.draw();
      }
      if (part === "scope") regions.reveal();
      if (part !== "rows" && part !== "zoom") detail.draw();
      if (part !== "rows" && part !== "columns") icicle.draw();
      writeAddress(state);
    },
  };
  // What is selected elsewhere must have its row in the tree.
  const open = (node: Node | null) => {
    const collapsed = new Set(state.query.collapsed);
    let changed = false;
    for (let n = node?.parent ?? null; n; n = n.parent) {
      changed = collapsed.delete(n.region.id) || changed;
    }
    if (!changed) return;
    state.query = { ...state.query, collapsed };
    regions.draw();
  };
  const choose = (index: number, basis: Basis) => {
    const next = treeOf(index, basis);
    const { selected, query } = state;
    const sameScope = index === state.scopeIndex;
    const path = JSON.stringify(selected?.region.path);
    const same = (selected?.members ? next.names : next.nodes).find(
      (n) => JSON.stringify(n.region.path) === path,
    );
    const layout =
      query.layout === "names" && next.names.length === 0
        ? "tree"
        : query.layout;
    store.update(
      {
        tree: next,
        scopeIndex: index,
        basis,
        selected: selected === null ? null : (same ?? largest(next)),
        zoom: null,
        query: {
          ...query,
          layout,
          collapsed: sameScope ? query.collapsed : firstCollapsed(next),
        },
      },
      "scope",
    );
  };

  const header = new HeaderView(report, store, (index) =>
    choose(index, state.basis),
  );
  const icicle = new IcicleView(store, (basis) =>
    choose(state.scopeIndex, basis),
  );
  const regions = new TreeView(store);
  const detail = new DetailView(report, store);
  fill(
    app,
    header.element,
    icicle.element,
    h("main", {}, regions.element, detail.element),
    notes(report),
  );
  header.draw();
  open(state.selected);
  regions.draw();
  if (address.region || address.name) regions.reveal();
  detail.draw();
  icicle.draw();

  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) {
      return;
    }
    event.preventDefault();
    regions.focusSearch();
  });

  let chosen = state.columns;
  return () => {
    // Unless somebody has chosen others by now.
    if (state.columns === chosen) state.columns = chosen = chooseColumns(report, tree);
    header.draw();
    regions.draw();
    detail.draw();
  };
}

// What comes of the metrics that are packed, which takes a moment.
async function complete(report: Report, app: HTMLElement, draw: () => void) {
  if (!report.columns) return;
  const missing = await unpack(report);
  if (missing !== null) app.prepend(h("p", { class: "failure" }, missing));
  draw();
}

// Done when the packed metrics are shown, too.
export async function start(): Promise<void> {
  const app = document.getElementById("app")!;
  const report = parseReport(
    document.getElementById("report")?.textContent ?? "",
  );
  if (typeof report === "string") {
    fill(app, h("p", { class: "failure" }, report));
  } else if (report.scopes.length === 0) {
    fill(
      app,
      h("p", { class: "failure" }, "The report has no scope: nothing was measured."),
      notes(report),
    );
  } else {
    document.title = `${programName(report)} – Rangefinder`;
    await complete(report, app, show(report, app));
  }
}
