// The page of a comparison: reads the document that is in it, and shows both
// sides. Nothing is fetched.

import type { Coloring } from "./colors.ts";
import { changeColoring } from "./diff_colors.ts";
import { changeOf, diffColumns } from "./diff_columns.ts";
import { DiffDetail } from "./diff_detail.ts";
import { diffHeader } from "./diff_header.ts";
import { changed, changeText, DiffTree, placeOf, readDiff, type Diff } from "./diff_model.ts";
import { partsSection } from "./diff_parts.ts";
import { fill, h } from "./dom.ts";
import * as format from "./format.ts";
import { IcicleView } from "./icicle_view.ts";
import type { Node, Sort } from "./model.ts";
import type { Part, State, Store } from "./state.ts";
import { TreeView } from "./tree_view.ts";

const manyRegions = 200; // from here on only regions with a change inside are open at first
const detailWidth = 560; // px, at least

const byLayout = (layout: string): Sort =>
  layout === "flat" ? { key: "value", metric: "size", down: true } : { key: "value", metric: "time", down: true };

// Regions without a change inside are closed.
function firstCollapsed({ tree, diff }: DiffTree): Set<number> {
  if (tree.nodes.length <= manyRegions) return new Set();
  const open = new Set<Node>();
  for (const node of tree.nodes) {
    if (!changed(diff.regions[node.order]!)) continue;
    for (let n = node.parent; n && !open.has(n); n = n.parent) open.add(n);
  }
  return new Set(tree.nodes.filter((n) => n.children.length > 0 && n.parent && !open.has(n)).map((n) => n.region.id));
}

class DiffPage implements Store {
  readonly state: State;
  private readonly main = h("main", {});
  private readonly tree: DiffTree;
  private readonly colors: Coloring;
  private readonly icicle: IcicleView;
  private readonly regions: TreeView;
  private readonly detail: DiffDetail;
  private readonly only: HTMLInputElement;
  private tableWidth = 0;

  constructor(
    diff: Diff,
    private readonly app: HTMLElement,
  ) {
    const address = new URLSearchParams(location.hash.replace(/^#/, ""));
    this.tree = new DiffTree(diff);
    this.colors = changeColoring(this.tree);
    this.state = this.firstState(diff, address);
    const columns = diffColumns(this.tree);
    this.only = h("input", {
      type: "checkbox",
      checked: address.get("only") === "changed",
      onchange: () => this.keepChanged(this.only.checked),
    });
    const coloring = () => this.colors;
    this.icicle = new IcicleView(this, coloring, () => {}, {
      title: "GPU time by region, new side, coloured by change",
      tooltip: (node) => this.tooltip(node),
    });
    this.regions = new TreeView(this, coloring, (width) => this.fit(width), {
      columns: () => columns,
      legend: () => "",
      firstSort: byLayout,
      flatTitle: "One list, by the change of exclusive time",
      tools: [h("label", { class: "only" }, this.only, " only changed")],
    });
    this.detail = new DiffDetail(this, this.tree);
    this.main.append(this.regions.element, this.detail.element);
    const choose = (id: number) => this.show(id);
    fill(app, diffHeader(diff, choose), this.icicle.element, partsSection(diff, choose), this.main);
    new ResizeObserver(() => this.arrange()).observe(app);
    this.open(this.state.selected);
    this.regions.draw();
    if (address.get("region")) this.regions.reveal();
    this.detail.draw();
    this.icicle.draw();
  }

  // Unless the address names a region, the region that changed most is selected.
  private firstState({ contributions }: Diff, address: URLSearchParams): State {
    const { tree } = this.tree;
    const wanted = tree.byId.get(Number(address.get("region") ?? NaN));
    const most = tree.byId.get(contributions[0]?.region ?? 0);
    return {
      tree,
      whole: tree,
      scopeIndex: 0,
      basis: "measured",
      selected: wanted ?? most ?? tree.nodes[0] ?? null,
      query: {
        text: "",
        layout: "tree",
        sort: byLayout("tree"),
        collapsed: firstCollapsed(this.tree),
        only: address.get("only") === "changed" ? this.isChanged : undefined,
      },
      columns: [],
      hidden: [],
      color: "",
      counter: "",
      zoom: null,
      span: null,
      tab: "regions",
      record: null,
    };
  }

  private readonly isChanged = (node: Node) => changed(this.tree.of(node));

  update(change: Partial<State>, part: Part): void {
    Object.assign(this.state, change);
    if (part === "selected") {
      this.open(this.state.selected);
      this.regions.reveal();
      this.detail.draw();
    } else if (part === "rows") {
      this.regions.draw();
    }
    if (part !== "rows") this.icicle.draw();
    this.writeAddress();
  }

  private keepChanged(on: boolean): void {
    const query = { ...this.state.query, only: on ? this.isChanged : undefined };
    this.update({ query }, "rows");
  }

  private show(id: number): void {
    const node = this.state.tree.byId.get(id);
    if (node) this.update({ selected: node }, "selected");
    this.main.scrollIntoView?.({ block: "nearest" });
  }

  // A region that is selected elsewhere must have its row in the tree.
  private open(node: Node | null): void {
    const { state } = this;
    const collapsed = new Set(state.query.collapsed);
    let opened = false;
    for (let n = node?.parent ?? null; n; n = n.parent) {
      opened = collapsed.delete(n.region.id) || opened;
    }
    if (!opened) return;
    state.query = { ...state.query, collapsed };
    this.regions.draw();
  }

  private tooltip(node: Node): string {
    const { path, verdict, why, time } = this.tree.of(node);
    return [
      placeOf(path),
      `${format.time(time.base_median_ns)} → ${format.time(time.new_median_ns)}${time.per_instance ? " per instance" : ""}, ${changeText(time.ratio)}`,
      `${changeOf(time.change_ns)} mean per run`,
      `${verdict}${why ? `: ${format.visible(why)}` : ""}`,
      ...(node.children.length ? ["double-click to zoom"] : []),
    ].join("\n");
  }

  private fit(width: number): void {
    this.tableWidth = width;
    this.arrange();
  }

  // Details move below the table where it needs the room.
  private arrange(): void {
    const beside = this.app.clientWidth - 60 - this.tableWidth >= detailWidth;
    this.main.className = beside ? "beside" : "";
    this.main.style.gridTemplateColumns = beside
      ? `minmax(${this.tableWidth + 2}px, 11fr) minmax(${detailWidth}px, 9fr)`
      : "minmax(0, 1fr)";
  }

  private writeAddress(): void {
    const { selected, query } = this.state;
    const parameters = new URLSearchParams();
    if (selected) parameters.set("region", String(selected.region.id));
    if (query.only) parameters.set("only", "changed");
    try {
      history.replaceState(null, "", `#${parameters.toString()}`);
    } catch {
      // Some browsers refuse this for local files: then it is not kept.
    }
  }
}

export async function startDiff(): Promise<void> {
  const app = document.getElementById("app")!;
  const read = readDiff(document.getElementById("report")?.textContent ?? "");
  if (read instanceof Promise) fill(app, h("p", {}, "Unpacking …"));
  const diff = read instanceof Promise ? await read : read;
  if (typeof diff === "string") {
    fill(app, h("p", { class: "failure" }, diff));
    return;
  }
  document.title = `${changeText(diff.regions[0]!.time.ratio)} – Rangefinder diff`;
  new DiffPage(diff, app);
}
