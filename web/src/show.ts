// The page: reads the report that is in it, and shows it. Nothing is fetched.

import { unpack } from "./columns.ts";
import { coloringOf, type Coloring } from "./colors.ts";
import { DetailView } from "./detail.ts";
import { fill, h } from "./dom.ts";
import * as format from "./format.ts";
import { sampledMetrics } from "./estimates.ts";
import { HeaderView, headline, notes, programName, wallPanel } from "./header.ts";
import { IcicleView } from "./icicle_view.ts";
import {
  buildTree,
  isUnattributed,
  metricNames,
  type Basis,
  type Node,
  type Tree,
} from "./model.ts";
import { setDocs } from "./meaning.ts";
import { canUnpack, unzip, type Packed } from "./packing.ts";
import { isOfRank, rankMetrics } from "./rank_metrics.ts";
import { readJob } from "./rank_model.ts";
import { lateSentences, RanksView } from "./ranks_view.ts";
import { parseReport, type Report } from "./report.ts";
import { restrict } from "./span_tree.ts";
import {
  everything,
  firstSort,
  readAddress,
  writeAddress,
  type Part,
  type State,
  type Store,
  type Tab,
} from "./state.ts";
import type { Span } from "./sample_tracks.ts";
import { inSpan, lanesOf, readTimeline, type Timeline } from "./timeline.ts";
import { TimelineView } from "./timeline_view.ts";
import { columnsOf, legendOf } from "./tree_columns.ts";
import { TreeView } from "./tree_view.ts";
import { unitsPanel } from "./units.ts";

// Shown as columns at first, as far as the report has them.
const firstColumns = [
  "sm__throughput.avg.pct_of_peak_sustained_elapsed",
  "dram__throughput.avg.pct_of_peak_sustained_elapsed",
  "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
  "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
  "dram__bytes.sum",
  "dram_peak_share",
  "compute_peak_share",
  "dram_bandwidth",
];

// The rows that are open at first: all, unless that is more than a page or two; of
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

// The largest region; (unattributed) only where there is no other.
function largest(tree: Tree): Node | null {
  const named = tree.roots.filter(({ region }) => !isUnattributed(region));
  return (named.length > 0 ? named : tree.roots).reduce<Node | null>(
    (most, node) => (!most || node.inclusive > most.inclusive ? node : most),
    null,
  );
}

// The columns at first: metrics asked for by name, then the usual ones; of
// sampled counters, which need no asking, the usual ones before.
function chooseColumns(report: Report, tree: Tree): string[] {
  const available = new Set(metricNames(tree));
  const sampled = sampledMetrics(report).length > 0;
  const asked = Object.entries(report.metrics ?? {})
    .filter(([name, metric]) => report.columns && metric.cells === "in_place" && name !== "gpu__time_duration.sum")
    .map(([name]) => name);
  const names = [...new Set(sampled ? [...firstColumns, ...asked] : [...asked, ...firstColumns])];
  return names.filter((name) => available.has(name)).slice(0, 2);
}

// Views stand side by side while there is room for details beside the table.
const detailWidth = 430; // px, at least
const leastTable = 420; // px

class PageView implements Store {
  readonly state: State;
  private readonly address = readAddress();
  private readonly trees = new Map<string, Tree>();
  private readonly main = h("main", {});
  private readonly bar = h("p", { class: "span-bar", role: "status", hidden: true });
  private readonly timelinePlace = h("div", {});
  private readonly header: HeaderView;
  private readonly wall: ReturnType<typeof wallPanel>;
  private readonly units = unitsPanel(this);
  private readonly icicle: IcicleView;
  private readonly regions: TreeView;
  private readonly detail: DetailView;
  private readonly byRegion: HTMLElement;
  private readonly byRank = h("div", { hidden: true }, h("p", { class: "muted" }, "Unpacking the numbers of the ranks …"));
  private readonly tabs = h("div", { class: "segmented tabs", role: "group", "aria-label": "By region or by rank" });
  private ranks: RanksView | null = null;
  private ranksRead: Promise<void> | null = null;
  private unpacked = false;
  private timeline: Timeline | null = null;
  private timelineView: TimelineView | null = null;
  private colored: { key: string; tree: Tree; coloring: Coloring } | null = null;
  private usual: string[]; // columns, unless the user chose others
  private tableWidth = 0;

  constructor(
    private readonly report: Report,
    private readonly app: HTMLElement,
  ) {
    setDocs(report.metrics);
    this.state = this.firstState();
    this.usual = chooseColumns(report, this.state.tree);
    this.wall = wallPanel(report);
    this.header = new HeaderView(report, this, (index) => this.choose(index, this.state.basis));
    this.icicle = new IcicleView(this, this.coloring, (basis) =>
      this.choose(this.state.scopeIndex, basis),
    );
    this.regions = new TreeView(this, this.coloring, (width) => this.fit(width), {
      columns: () => columnsOf(this.state),
      legend: () => legendOf(this.state),
      firstSort,
      flatTitle: "One list, by exclusive time",
    });
    this.detail = new DetailView(report, this);
    this.main.append(this.regions.element, this.detail.element);
    this.byRegion = h("div", {}, this.wall.element, this.units.element, this.icicle.element, this.timelinePlace, this.bar, this.main);
    fill(
      app,
      this.header.element,
      headline(report, (id) => this.showRegion(id)),
      ...(report.ranks ? [lateSentences(report.ranks, (record, region) => void this.showRank(record, region)), this.tabs] : []),
      this.byRegion,
      this.byRank,
      notes(report),
    );
    new ResizeObserver(() => this.arrange()).observe(app);
    this.header.draw();
    this.wall.draw(this.state.whole);
    this.units.draw(this.state.whole);
    this.open(this.state.selected);
    this.regions.draw();
    if (this.address.region || this.address.name) this.regions.reveal();
    this.detail.draw();
    this.icicle.draw();
    this.drawTab();
  }

  private firstState(): State {
    const { report, address } = this;
    const found = report.scopes.findIndex((s) => s.scope === address.scope);
    const scopeIndex = Math.max(0, found);
    const basis = address.basis ?? "wall";
    const tree = this.treeOf(scopeIndex, basis);
    const name = tree.names.find((n) => n.members && n.label === address.name);
    const wanted = name ? "names" : (address.layout ?? "tree");
    const layout = wanted === "names" && tree.names.length === 0 ? "tree" : wanted;
    return {
      tree,
      whole: tree,
      scopeIndex,
      basis,
      selected:
        address.region === everything
          ? null
          : (name ?? tree.byId.get(Number(address.region ?? NaN)) ?? largest(tree)),
      query: {
        text: "",
        layout,
        sort: address.sort ?? firstSort(layout),
        collapsed: firstCollapsed(tree),
      },
      columns: address.columns ?? chooseColumns(report, tree),
      hidden: address.hidden ?? [],
      color: address.color ?? "",
      counter: address.counter ?? "",
      zoom: null,
      span: null,
      tab: report.ranks && address.tab === "ranks" ? "ranks" : "regions",
      record: address.record ?? null,
    };
  }

  private treeOf(index: number, basis: Basis): Tree {
    const key = `${index} ${basis}`;
    const tree = this.trees.get(key) ?? buildTree(this.report.scopes[index]!, basis);
    this.trees.set(key, tree);
    return tree;
  }

  // The colouring; the same until the tree, the columns or the choice change.
  private readonly coloring = (): Coloring => {
    const { whole, columns, color } = this.state;
    const key = `${color} ${columns.join()}`;
    if (this.colored?.key !== key || this.colored.tree !== whole) {
      this.colored = { key, tree: whole, coloring: coloringOf(whole, columns, color) };
    }
    return this.colored.coloring;
  };

  update(change: Partial<State>, part: Part): void {
    const { state } = this;
    Object.assign(state, change);
    if (part === "counter" || part === "tab") {
      if (part === "counter") this.timelineView?.draw();
      else this.drawTab();
      writeAddress(state, { columns: this.usual });
      return;
    }
    if (part === "scope" || part === "columns") this.header.draw();
    if (part === "scope") {
      this.wall.draw(state.whole);
      this.units.draw(state.whole);
    }
    if (part === "selected") {
      this.header.drawSelected();
      this.open(state.selected);
      this.regions.reveal();
    } else if (part !== "zoom") {
      this.regions.draw();
    }
    if (part === "scope") this.regions.reveal();
    if (part !== "rows" && part !== "zoom" && part !== "color") this.detail.draw();
    if (part !== "rows") this.icicle.draw();
    if (part !== "rows" && part !== "zoom") this.timelineView?.draw();
    writeAddress(state, { columns: this.usual });
  }

  // A region that is selected elsewhere must have its row in the tree.
  private open(node: Node | null): void {
    const { state } = this;
    const collapsed = new Set(state.query.collapsed);
    let changed = false;
    for (let n = node?.parent ?? null; n; n = n.parent) {
      changed = collapsed.delete(n.region.id) || changed;
    }
    if (!changed) return;
    state.query = { ...state.query, collapsed };
    this.regions.draw();
  }

  private choose(index: number, basis: Basis, span = this.state.span): void {
    const whole = this.treeOf(index, basis);
    const next = span ? this.within(whole, span) : whole;
    const { selected, query } = this.state;
    const sameScope = index === this.state.scopeIndex;
    const path = JSON.stringify(selected?.region.path);
    const same = (selected?.members ? next.names : next.nodes).find(
      (n) => JSON.stringify(n.region.path) === path,
    );
    const layout = query.layout === "names" && next.names.length === 0 ? "tree" : query.layout;
    this.drawBar(span);
    this.update(
      {
        tree: next,
        whole,
        scopeIndex: index,
        basis,
        span,
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
  }

  // Of the first scope.
  private showRegion(id: number): void {
    if (this.state.scopeIndex !== 0) this.choose(0, this.state.basis);
    const node = this.state.tree.byId.get(id);
    if (node) this.update({ selected: node }, "selected");
    this.main.scrollIntoView?.({ block: "nearest" });
  }

  // ---- Ranks ----

  private drawTab(): void {
    const { report, state } = this;
    if (!report.ranks) return;
    const tab = (label: string, value: Tab) =>
      h("button", { "aria-pressed": String(state.tab === value), onclick: () => this.update({ tab: value }, "tab") }, label);
    fill(this.tabs, tab("Regions", "regions"), tab(`Ranks (${format.digits(report.ranks.count)})`, "ranks"));
    this.byRegion.hidden = state.tab !== "regions";
    this.byRank.hidden = state.tab !== "ranks";
    if (state.tab === "ranks" && this.unpacked) this.ranksRead ??= this.readRanks();
  }

  // From here on metrics are there; done when the ranks are shown, if they are.
  async showUnpacked(): Promise<void> {
    this.unpacked = true;
    this.drawTab();
    await this.ranksRead;
  }

  // Unpacking takes a moment.
  private async readRanks(): Promise<void> {
    try {
      const job = await readJob(this.report.ranks!, rankMetrics(this.report, this.state.whole));
      this.ranks = new RanksView(
        job,
        {
          treeOf: (record) => this.treeOfRank(record),
          selected: (record) => this.update({ record }, "tab"),
        },
        this.state.record,
      );
      fill(this.byRank, this.ranks.element);
    } catch (error) {
      fill(this.byRank, h("p", { class: "failure" }, `The numbers of the ranks could not be read (${String(error)}).`));
    }
  }

  private async showRank(record: number | null, region: number): Promise<void> {
    this.update({ tab: "ranks", record }, "tab");
    await this.ranksRead;
    this.ranks?.show(record, region);
  }

  private treeOfRank(record: number): (() => void) | null {
    const row = this.report.ranks!.records[record]!;
    const index = this.report.scopes.findIndex((scope) => isOfRank(scope, row));
    if (index < 0) return null;
    return () => {
      this.update({ tab: "regions" }, "tab");
      this.choose(index, this.state.basis);
      this.header.choose(index);
    };
  }

  // ---- A span of the timeline ----

  private within(whole: Tree, span: Span): Tree {
    const { timeline } = this;
    if (!timeline) return whole;
    return restrict(whole, inSpan(timeline, lanesOf(timeline, whole.scope), span));
  }

  private drawBar(span: Span | null): void {
    this.bar.hidden = span === null;
    if (!span) return;
    const { from, to } = span;
    fill(
      this.bar,
      `Chart and tables show ${format.time(Math.round(to - from))} from ${format.time(Math.round(from))} to ${format.time(Math.round(to))} of ${format.time(this.timeline?.end)}. Work that overlaps the span counts with its share inside. Counters are of the whole run. `,
      h("button", { onclick: () => this.setSpan(null) }, "Show the whole run"),
    );
  }

  private setSpan(span: Span | null): void {
    if (span || this.state.span) this.choose(this.state.scopeIndex, this.state.basis, span);
  }

  setTimeline(timeline: Timeline): void {
    this.timeline = timeline;
    this.timelineView = new TimelineView(timeline, this, this.coloring, (span) => this.setSpan(span));
    fill(this.timelinePlace, this.timelineView.element);
    this.timelineView.draw();
    const { span } = this.address;
    if (span) this.setSpan({ from: span.from, to: Math.min(span.to, timeline.end) });
  }

  // ---- The window ----

  private fit(width: number): void {
    this.tableWidth = width;
    this.arrange();
  }

  // Details stand beside the table, which scrolls where it needs more room. On a
  // narrow screen they stand below a table that is lower.
  private arrange(): void {
    const width = this.app.clientWidth;
    const beside = width >= leastTable + detailWidth;
    const room = width - 60 - detailWidth;
    this.main.className = beside ? "beside" : "stacked";
    this.main.style.gridTemplateColumns = beside
      ? `minmax(0, ${Math.max(leastTable, Math.min(room, this.tableWidth + 2))}px) minmax(${detailWidth}px, 1fr)`
      : "minmax(0, 1fr)";
  }

  // All that has metrics, now that they are unpacked.
  drawMetrics(): void {
    const { state } = this;
    // Unless the user has chosen others by now.
    const untouched = state.columns.join() === this.usual.join() && !this.address.columns;
    this.usual = chooseColumns(this.report, state.whole);
    if (untouched) state.columns = this.usual;
    this.colored = null;
    this.header.draw();
    this.regions.draw();
    this.detail.draw();
    this.icicle.draw();
  }
}

// Shows the packed parts, which take a moment.
async function complete(report: Report, app: HTMLElement, page: PageView): Promise<void> {
  if (report.columns) {
    const missing = await unpack(report);
    if (missing !== null) app.prepend(h("p", { class: "failure" }, missing));
    page.drawMetrics();
  }
  await page.showUnpacked();
  const text = document.getElementById("timeline")?.textContent ?? "";
  try {
    const timeline = await readTimeline(text);
    if (timeline) page.setTimeline(timeline);
  } catch (error) {
    app.append(h("p", { class: "muted" }, `The timeline of the page could not be read (${String(error)}).`));
  }
}

// The packed form of a large document; null where the page has it as it is.
function packedIn(text: string): Packed | null {
  if (!text.startsWith('{"packed":')) return null;
  try {
    return (JSON.parse(text) as { packed: Packed }).packed;
  } catch {
    return null; // cut off: parseReport() reports it
  }
}

async function unpacked(packed: Packed, app: HTMLElement): Promise<string | null> {
  fill(app, h("p", { class: "muted" }, "Unpacking the report …"));
  try {
    return await unzip(packed);
  } catch (error) {
    const why = canUnpack()
      ? `The report in this page cannot be unpacked (${String(error)}): was the file cut off?`
      : "The report in this page is packed, and this browser is too old to unpack it.";
    fill(app, h("p", { class: "failure" }, `${why} report.md and report.json have the same numbers.`));
    return null;
  }
}

// Done when the packed metrics are shown, too.
export async function start(): Promise<void> {
  const app = document.getElementById("app")!;
  let text = document.getElementById("report")?.textContent ?? "";
  const packed = packedIn(text);
  if (packed) {
    const all = await unpacked(packed, app);
    if (all === null) return;
    text = all;
    fill(app);
  }
  await startWith(text, app);
}

// The packed metrics, which the page has beside the report.
const columnsIn = (): Packed | undefined =>
  (JSON.parse(document.getElementById("columns")?.textContent ?? "null") as Packed | null) ?? undefined;

async function startWith(text: string, app: HTMLElement): Promise<void> {
  const report = parseReport(text);
  if (typeof report === "string") {
    fill(app, h("p", { class: "failure" }, report));
  } else if (report.scopes.length === 0) {
    fill(
      app,
      h("p", { class: "failure" }, "Nothing was measured."),
      notes(report),
    );
  } else {
    report.columns = columnsIn();
    document.title = `${programName(report)} – Rangefinder`;
    const page = new PageView(report, app);
    performance.mark("shown");
    await complete(report, app, page);
  }
}
