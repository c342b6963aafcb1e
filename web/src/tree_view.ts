// The table of regions: a tree, or a flat list. Only the rows in view exist as
// elements, so ten thousand regions scroll as ten do.

import { breakable, fill, h, marked } from "./dom.ts";
import * as format from "./format.ts";
import {
  colorClass,
  timeOf,
  visibleRows,
  type Node,
  type Rows,
  type Sort,
  type TimeColumn,
  type Tree,
} from "./model.ts";
import type { Imbalance } from "./report.ts";
import type { Store } from "./state.ts";

const rowHeight = 26; // px, as in style.css
const overscan = 12; // rows beyond the edges

interface Column {
  key: Sort["key"];
  metric?: string;
  label: [string, string];
  title: string;
  width: number; // px, at least
}

const timeColumns: Column[] = [
  timeColumn("runs", ["Runs", ""], "How often it ran", 52),
  timeColumn("cpu", ["CPU", ""], "From open to close, over all its runs", 76),
  timeColumn("busy", ["GPU", "busy"], "In which something of it ran on the GPU", 76),
  timeColumn("idle", ["GPU", "idle"], "Between the first start and the last end of each run, with nothing of it running", 76),
];

function timeColumn(
  metric: TimeColumn,
  label: [string, string],
  title: string,
  width: number,
): Column {
  return { key: "time", metric, label, title, width };
}

export class TreeView {
  readonly element: HTMLElement;
  private readonly header = h("div", { class: "tree-header", role: "row" });
  private readonly spacer = h("div", { class: "tree-spacer" });
  private readonly window = h("div", { class: "tree-window" });
  private readonly count = h("span", { class: "muted", role: "status" });
  private readonly search: HTMLInputElement;
  private readonly body: HTMLElement;
  private rows: Rows = { nodes: [], matching: null };
  private columns: Column[] = [];

  constructor(private readonly store: Store) {
    this.search = h("input", {
      type: "search",
      placeholder: "Search regions and kernels  ( / )",
      "aria-label": "Search regions and kernels",
      oninput: () => this.setText(this.search.value),
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === "Escape") this.setText((this.search.value = ""));
        if (event.key === "ArrowDown" || event.key === "Enter") {
          event.preventDefault();
          this.body.focus();
          if (this.selectedRow() < 0) this.selectRow(0);
        }
      },
    });
    this.spacer.append(this.window);
    this.body = h(
      "div",
      {
        class: "tree-body",
        role: "treegrid",
        tabindex: 0,
        "aria-label": "Regions",
        onscroll: () => this.drawWindow(),
        onkeydown: (event: KeyboardEvent) => this.onKey(event),
      },
      this.header,
      this.spacer,
    );
    this.element = h(
      "section",
      { class: "panel tree", "aria-label": "Regions" },
      h(
        "div",
        { class: "toolbar" },
        this.search,
        this.layoutButtons(),
        h("button", { onclick: () => this.collapseAll() }, "Collapse"),
        h("button", { onclick: () => this.expandAll() }, "Expand"),
        this.count,
      ),
      this.body,
    );
    new ResizeObserver(() => this.drawWindow()).observe(this.body);
  }

  focusSearch(): void {
    this.search.focus();
    this.search.select();
  }

  // Everything: after a change of scope, columns, order or filter.
  draw(): void {
    const { tree, query, columns } = this.store.state;
    this.columns = [
      column("name", "Region", "", "", 170),
      column("inclusive", "Share", "", "Of the scope's total; dark: its own, light: with inner regions", 98),
      column("inclusive", tree.timed ? "GPU time" : "Kernels", "inclusive", "With inner regions", 76),
      column("exclusive", tree.timed ? "GPU time" : "Kernels", "exclusive", "Without inner regions", 76),
      column("kernels", "Kernels", query.layout === "flat" ? "exclusive" : "inclusive", "How many were measured", 62),
      ...(tree.nodes.some((node) => node.region.imbalance)
        ? [column("imbalance", "Max/mean", "", "Of who has the most GPU time, over ranks or processes", 86)]
        : []),
      ...(tree.nodes.some((node) => node.region.times) ? timeColumns : []),
      ...columns.map((metric) => ({
        key: "metric" as const,
        metric,
        label: format.metricLabel(metric),
        title: metric,
        width: 106,
      })),
    ];
    // Only the names take more room than they need.
    const widths = this.columns.map((c) => c.width);
    const [name, ...others] = widths.map((width) => `${width}px`);
    this.body.style.setProperty(
      "--columns",
      `minmax(${name}, 1fr) ${others.join(" ")}`,
    );
    const least = widths.reduce((sum, width) => sum + width + 8, 28);
    this.body.style.setProperty("--least", `${least}px`);
    fill(this.header, ...this.columns.map((c) => this.headerCell(c)));

    this.rows = visibleRows(tree, query);
    const { nodes, matching } = this.rows;
    this.spacer.style.height = `${nodes.length * rowHeight}px`;
    this.body.setAttribute("aria-rowcount", String(nodes.length));
    this.count.textContent = matching
      ? `${format.digits(matching.size)} of ${format.digits(tree.nodes.length)} regions`
      : `${format.digits(tree.nodes.length)} regions`;
    this.drawWindow();
  }

  // Shows the selected row, scrolled to if it is out of sight.
  reveal(): void {
    const row = this.selectedRow();
    if (row >= 0) {
      const top = row * rowHeight;
      const headerHeight = this.header.offsetHeight;
      const inView = this.body.clientHeight - headerHeight - rowHeight;
      if (top < this.body.scrollTop) this.body.scrollTop = top;
      else if (top > this.body.scrollTop + inView) {
        this.body.scrollTop = top - inView;
      }
    }
    this.drawWindow();
  }

  // ---- Drawing ----

  private headerCell(c: Column): HTMLElement {
    const { sort } = this.store.state.query;
    const active =
      sort.key === c.key && sort.metric === c.metric && c.label[0] !== "Share";
    return h(
      "button",
      {
        role: "columnheader",
        tabindex: -1,
        title: c.title,
        class: c.key === "name" ? "" : "number",
        "aria-sort": active ? (sort.down ? "descending" : "ascending") : "none",
        onclick: () => this.sortBy(c),
      },
      h(
        "span",
        {},
        ...breakable(c.label[0]),
        active ? (sort.down ? " ↓" : " ↑") : null,
      ),
      c.label[1] ? h("small", {}, c.label[1]) : null,
    );
  }

  private drawWindow(): void {
    const { nodes } = this.rows;
    const first = Math.max(
      0,
      Math.floor(this.body.scrollTop / rowHeight) - overscan,
    );
    const last = Math.min(
      nodes.length,
      Math.ceil((this.body.scrollTop + this.body.clientHeight) / rowHeight) +
        overscan,
    );
    this.window.style.transform = `translateY(${first * rowHeight}px)`;
    const rows: HTMLElement[] = [];
    for (let i = first; i < last; ++i) rows.push(this.row(nodes[i]!, i));
    if (nodes.length === 0) {
      rows.push(h("div", { class: "empty" }, "No region matches."));
    }
    fill(this.window, ...rows);
    const selected = this.selectedRow();
    if (selected >= 0) {
      this.body.setAttribute("aria-activedescendant", `row-${selected}`);
    } else {
      this.body.removeAttribute("aria-activedescendant");
    }
  }

  private row(node: Node, index: number): HTMLElement {
    const { tree, query, selected } = this.store.state;
    const { region } = node;
    const flat = query.layout === "flat";
    const open = !query.collapsed.has(region.id) || query.text !== "";
    const amounts = flat ? region.exclusive : region.inclusive;
    const faded = this.rows.matching && !this.rows.matching.has(node);
    const size = (value: number) =>
      tree.timed ? format.time(value) : format.digits(value);
    return h(
      "div",
      {
        class: `tree-row${node === selected ? " selected" : ""}${faded ? " faded" : ""}`,
        role: "row",
        id: `row-${index}`,
        "aria-level": flat ? 1 : node.depth + 1,
        "aria-rowindex": index + 1,
        "aria-selected": node === selected ? "true" : "false",
        "aria-expanded":
          flat || node.children.length === 0 ? null : String(open),
        onclick: () => this.store.update({ selected: node }, "selected"),
      },
      this.nameCell(node, flat, open),
      bar(node, tree),
      h("span", { class: "number", role: "gridcell" }, size(node.inclusive)),
      h("span", { class: "number", role: "gridcell" }, size(node.exclusive)),
      h(
        "span",
        { class: "number", role: "gridcell" },
        format.digits(amounts.kernel_count),
      ),
      ...this.columns
        .filter((c) => c.key === "imbalance")
        .map(() => imbalanceCell(region.imbalance)),
      ...this.columns
        .filter((c) => c.key === "time")
        .map((c) => {
          const value = timeOf(region, c.metric ?? "");
          return h(
            "span",
            { class: "number", role: "gridcell" },
            value === undefined
              ? format.dash
              : c.metric === "runs"
                ? format.digits(value)
                : format.time(value),
          );
        }),
      ...this.columns
        .filter((c) => c.key === "metric")
        .map((c) => {
          const cell = amounts.metrics?.[c.metric ?? ""];
          return h(
            "span",
            {
              class: `number how-${cell?.how ?? "absent"}`,
              role: "gridcell",
              title: format.cellTitle(c.metric ?? "", cell),
            },
            format.cellSign(cell) + format.cellText(cell),
          );
        }),
    );
  }

  private nameCell(node: Node, flat: boolean, open: boolean): HTMLElement {
    const { text } = this.store.state.query;
    const path = node.region.path.map(format.visible);
    const cell = h("span", {
      class: "name",
      role: "gridcell",
      title: path.join("  /  ") || node.label,
    });
    if (flat) {
      fill(
        cell,
        path.length > 1
          ? h("span", { class: "muted" }, `${path.slice(0, -1).join(" / ")} / `)
          : null,
        ...marked(node.label, text),
      );
      return cell;
    }
    cell.style.paddingLeft = `${Math.min(node.depth, 24) * 16}px`;
    const inner = node.children.length > 0;
    fill(
      cell,
      h(
        "span",
        {
          class: inner ? "twist" : "twist none",
          "aria-hidden": "true",
          onclick: (event: Event) => {
            event.stopPropagation();
            if (inner) this.toggle(node);
          },
        },
        inner ? (open ? "▾" : "▸") : "",
      ),
      h("span", { class: `swatch ${colorClass(node)}` }),
      h("span", { class: "label" }, ...marked(node.label, text)),
    );
    return cell;
  }

  private layoutButtons(): HTMLElement {
    const button = (layout: "tree" | "flat", label: string, title: string) =>
      h(
        "button",
        {
          title,
          "aria-pressed": String(this.store.state.query.layout === layout),
          onclick: (event: Event) => {
            for (const other of group.children) {
              other.setAttribute("aria-pressed", "false");
            }
            (event.currentTarget as Element).setAttribute("aria-pressed", "true");
            const sort: Sort =
              layout === "flat"
                ? { key: "exclusive", down: true }
                : { key: "order", down: false };
            this.setQuery({ layout, sort });
          },
        },
        label,
      );
    const group = h(
      "span",
      { class: "segmented", role: "group", "aria-label": "Layout" },
      button("tree", "Tree", "Inner regions under outer ones"),
      button("flat", "Flat", "One list, by the regions' own time"),
    );
    return group;
  }

  // ---- Changing what is shown ----

  private setQuery(change: Partial<Store["state"]["query"]>): void {
    const query = { ...this.store.state.query, ...change };
    this.store.update({ query }, "rows");
  }

  private setText(text: string): void {
    this.body.scrollTop = 0;
    this.setQuery({ text: text.trim().toLowerCase() });
  }

  // First by falling (names: rising), then the other way, then as reported.
  private sortBy(c: Column): void {
    const { sort, layout } = this.store.state.query;
    const firstDown = c.key !== "name";
    const same = sort.key === c.key && sort.metric === c.metric;
    let next: Sort = { key: c.key, metric: c.metric, down: firstDown };
    if (same && sort.down === firstDown) next.down = !firstDown;
    else if (same && layout === "tree") next = { key: "order", down: false };
    this.setQuery({ sort: next });
  }

  private toggle(node: Node): void {
    const collapsed = new Set(this.store.state.query.collapsed);
    if (!collapsed.delete(node.region.id)) collapsed.add(node.region.id);
    this.setQuery({ collapsed });
  }

  private collapseAll(): void {
    const inner = this.store.state.tree.nodes.filter((n) => n.children.length);
    this.setQuery({ collapsed: new Set(inner.map((n) => n.region.id)) });
  }

  private expandAll(): void {
    this.setQuery({ collapsed: new Set() });
  }

  // ---- Keyboard ----

  private selectedRow(): number {
    const { selected } = this.store.state;
    return selected ? this.rows.nodes.indexOf(selected) : -1;
  }

  private selectRow(index: number): void {
    const last = this.rows.nodes.length - 1;
    const node = this.rows.nodes[Math.max(0, Math.min(last, index))];
    if (node) this.store.update({ selected: node }, "selected");
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { query } = this.store.state;
    const at = this.selectedRow();
    const node = this.rows.nodes[at];
    const page = Math.max(1, Math.floor(this.body.clientHeight / rowHeight) - 2);
    const inTree = query.layout === "tree" && query.text === "";
    switch (event.key) {
      case "ArrowDown":
        this.selectRow(at + 1);
        break;
      case "ArrowUp":
        this.selectRow(at - 1);
        break;
      case "PageDown":
        this.selectRow(at + page);
        break;
      case "PageUp":
        this.selectRow(at - page);
        break;
      case "Home":
        this.selectRow(0);
        break;
      case "End":
        this.selectRow(this.rows.nodes.length - 1);
        break;
      case "ArrowRight":
        if (!node || !inTree) return;
        if (query.collapsed.has(node.region.id)) this.toggle(node);
        else if (node.children.length) this.selectRow(at + 1);
        break;
      case "ArrowLeft":
        if (!node || !inTree) return;
        if (node.children.length && !query.collapsed.has(node.region.id)) {
          this.toggle(node);
        } else if (node.parent) {
          this.store.update({ selected: node.parent }, "selected");
        }
        break;
      default:
        return;
    }
    event.preventDefault();
  }
}

function column(
  key: Sort["key"],
  label: string,
  small: string,
  title: string,
  width: number,
): Column {
  return { key, label: [label, small], title, width };
}

// Own part dark, inner regions' part light; the largest region fills it. The
// number is the share of the total.
function bar(node: Node, tree: Tree): HTMLElement {
  const { total, largest } = tree;
  const element = h("span", {
    class: "bar-cell",
    role: "gridcell",
    title: `${format.share(node.inclusive, total)} with inner regions, ${format.share(node.exclusive, total)} without`,
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

function imbalanceCell(imbalance: Imbalance | undefined): HTMLElement {
  return h(
    "span",
    {
      class: "number",
      role: "gridcell",
      title: imbalance ? format.imbalance(imbalance) : "",
    },
    imbalance ? `${imbalance.ratio.toFixed(2)}×` : format.dash,
  );
}
