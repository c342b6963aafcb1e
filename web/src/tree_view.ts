// The table of regions: a tree, or a flat list. Only the rows in view exist as
// elements, so ten thousand regions scroll as ten do.

import { breakable, fill, h, marked } from "./dom.ts";
import { legend } from "./estimates.ts";
import * as format from "./format.ts";
import type { Coloring } from "./colors.ts";
import {
  inner,
  visibleRows,
  type Layout,
  type Node,
  type Rows,
  type Sort,
} from "./model.ts";
import type { Store } from "./state.ts";
import type { Column } from "./tree_columns.ts";

const rowHeight = 26; // px, as in style.css
const overscan = 8; // rows beyond the edges
const widestName = 440; // px
const mostPrinted = 2000; // rows

const indentOf = (level: number) => Math.min(level, 24) * 16;

// The parts of the table that differ between the two pages.
export interface TableSetup {
  columns: () => Column[]; // but the names'
  legend: () => string; // of signs in the columns; may be empty
  firstSort: (layout: Layout) => Sort;
  flatTitle: string;
  tools?: HTMLElement[];
}

export class TreeView {
  readonly element: HTMLElement;
  private readonly header = h("div", { class: "tree-header", role: "row" });
  private readonly spacer = h("div", { class: "tree-spacer" });
  private readonly window = h("div", { class: "tree-window" });
  private readonly count = h("span", { class: "muted", role: "status" });
  private readonly legend = legend();
  private readonly search: HTMLInputElement;
  private readonly body: HTMLElement;
  private readonly layouts = h("span", {
    class: "segmented",
    role: "group",
    "aria-label": "Layout",
  });
  private rows: Rows = { nodes: [], levels: [], matching: null };
  private columns: Column[] = [];
  // The rows that exist as elements, and the place of the first.
  private drawn: HTMLElement[] = [];
  private from = 0;
  private printing = false;

  constructor(
    private readonly store: Store,
    private readonly coloring: () => Coloring,
    private readonly fit: (width: number) => void, // the width that the table needs
    private readonly setup: TableSetup,
  ) {
    this.search = h("input", {
      type: "search",
      placeholder: "Search regions and kernels  ( / )",
      "aria-label": "Search regions and kernels",
      oninput: () => this.setText(this.search.value),
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === "Escape") {
          this.search.value = "";
          this.setText("");
        }
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
        this.layouts,
        ...(setup.tools ?? []),
        h("button", { onclick: () => this.collapseAll() }, "Collapse"),
        h("button", { onclick: () => this.expandAll() }, "Expand"),
        this.count,
      ),
      this.legend,
      this.body,
    );
    new ResizeObserver(() => this.drawWindow()).observe(this.body);
    addEventListener("keydown", (event) => this.onPageKey(event));
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
  }

  private onPageKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    event.preventDefault();
    this.search.focus();
    this.search.select();
  }

  // Everything: after a change of scope, columns, order or filter.
  draw(): void {
    const { tree, query } = this.store.state;
    const names = query.layout === "names";
    this.rows = visibleRows(tree, query);
    this.columns = [
      {
        key: "name",
        id: "name",
        label: [names ? "Name" : "Region", ""],
        title: names ? "All regions of one name; a kernel counts once" : "",
        width: this.nameWidth(),
        cell: () => h("span", {}),
      },
      ...this.setup.columns(),
    ];
    this.drawLayouts();
    const legend = this.setup.legend();
    this.legend.hidden = legend === "";
    this.legend.textContent = legend;
    // Each column has its own width; names take the rest.
    const widths = this.columns.map((c) => c.width);
    const [name, ...others] = widths.map((width) => `${width}px`);
    this.body.style.setProperty(
      "--columns",
      `minmax(${name}, 1fr) ${others.join(" ")}`,
    );
    const least = widths.reduce((sum, width) => sum + width + 8, 28);
    this.body.style.setProperty("--least", `${least}px`);
    this.fit(least);
    fill(this.header, ...this.columns.map((c) => this.headerCell(c)));

    const { nodes, matching } = this.rows;
    this.spacer.style.height = `${nodes.length * rowHeight}px`;
    this.body.setAttribute("aria-rowcount", String(nodes.length));
    const all = format.digits((names ? tree.names : tree.nodes).length);
    const found = matching ? `${format.digits(matching.size)} of ` : "";
    this.count.textContent = `${found}${all} ${names ? "names" : "regions"}`;
    this.redraw();
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
    this.redraw();
  }

  // ---- Drawing ----

  // For the longest name of all rows, within reason.
  private nameWidth(): number {
    const { nodes, levels } = this.rows;
    const { layout } = this.store.state.query;
    const longest = nodes.reduce((most, node, i) => {
      const whole = layout === "flat" || (layout === "names" && levels[i]! > 0);
      const text = whole ? node.region.path.join(" / ") : node.label;
      return Math.max(most, indentOf(levels[i] ?? 0) + text.length * 7.2);
    }, 0);
    return Math.min(widestName, Math.max(170, Math.ceil(longest) + 60));
  }

  private headerCell(c: Column): HTMLElement {
    const { sort } = this.store.state.query;
    const active =
      sort.key === c.key && sort.metric === c.metric && c.id !== "share";
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

  // All rows in view anew.
  private redraw(): void {
    this.from = 0;
    this.drawn = [];
    this.window.replaceChildren();
    this.drawWindow();
    if (this.rows.nodes.length === 0) {
      fill(this.window, h("div", { class: "empty" }, this.emptyText()));
    }
    const selected = this.selectedRow();
    if (selected >= 0) {
      this.body.setAttribute("aria-activedescendant", `row-${selected}`);
    } else {
      this.body.removeAttribute("aria-activedescendant");
    }
  }

  private emptyText(): string {
    const { text, only } = this.store.state.query;
    return text === "" && !only ? "No work in this scope." : "No region matches.";
  }

  // The rows that are to be there, from and until.
  private inView(): [number, number] {
    const { scrollTop, clientHeight } = this.body;
    const count = this.rows.nodes.length;
    if (this.printing) return [0, Math.min(count, mostPrinted)];
    return [
      Math.max(0, Math.floor(scrollTop / rowHeight) - overscan),
      Math.min(count, Math.ceil((scrollTop + clientHeight) / rowHeight) + overscan),
    ];
  }

  // Paper does not scroll: it has all rows, as far as that is reasonable.
  private print(begins: boolean): void {
    this.printing = begins;
    this.redraw();
  }

  // Scrolling makes the rows that come into view, and no others.
  private drawWindow(): void {
    const [first, last] = this.inView();
    const until = this.from + this.drawn.length;
    if (first >= until || last <= this.from) {
      for (const row of this.drawn) row.remove();
      this.drawn = [];
      this.from = first;
    }
    while (this.from < first) {
      this.drawn.shift()!.remove();
      ++this.from;
    }
    while (this.from + this.drawn.length > last) this.drawn.pop()!.remove();
    while (this.from > first) {
      const row = this.row(this.rows.nodes[--this.from]!, this.from);
      this.drawn.unshift(row);
      this.window.prepend(row);
    }
    for (let i = this.from + this.drawn.length; i < last; ++i) {
      const row = this.row(this.rows.nodes[i]!, i);
      this.drawn.push(row);
      this.window.append(row);
    }
  }

  private row(node: Node, index: number): HTMLElement {
    const { query, selected } = this.store.state;
    const level = this.rows.levels[index] ?? 0;
    const within = inner(node, query.layout).length > 0;
    const open = this.isOpen(node);
    // Shown because of its inner regions; all regions of a name are its own.
    const faded =
      query.layout === "tree" &&
      this.rows.matching !== null &&
      !this.rows.matching.has(node);
    const row = h(
      "div",
      {
        class: `tree-row${node === selected ? " selected" : ""}${faded ? " faded" : ""}`,
        role: "row",
        id: `row-${index}`,
        "aria-level": level + 1,
        "aria-rowindex": index + 1,
        "aria-selected": node === selected ? "true" : "false",
        "aria-expanded": within ? String(open) : null,
        onclick: () => this.store.update({ selected: node }, "selected"),
      },
      this.nameCell(node, level, open),
      ...this.columns.slice(1).map((column) => column.cell(node)),
    );
    row.style.top = `${index * rowHeight}px`;
    return row;
  }

  // A search opens regions with a match inside, but not names.
  private isOpen(node: Node): boolean {
    const { query } = this.store.state;
    return (
      !query.collapsed.has(node.region.id) ||
      (query.layout === "tree" && query.text !== "")
    );
  }

  private nameCell(node: Node, level: number, open: boolean): HTMLElement {
    const { text, layout } = this.store.state.query;
    const path = node.region.path.map(format.visible);
    const cell = h("span", {
      class: "name",
      role: "gridcell",
      title: path.join("  /  ") || node.label,
    });
    cell.style.paddingLeft = `${14 + indentOf(level)}px`;
    const within = inner(node, layout).length > 0;
    const whole = layout === "flat" || (layout === "names" && level > 0);
    fill(
      cell,
      layout === "flat"
        ? null
        : h(
            "span",
            {
              class: within ? "twist" : "twist none",
              "aria-hidden": "true",
              onclick: (event: Event) => {
                event.stopPropagation();
                if (within) this.toggle(node);
              },
            },
            within ? (open ? "▾" : "▸") : "",
          ),
      layout !== "names"
        ? h("span", { class: `swatch ${this.coloring().classOf(node)}` })
        : null,
      whole && path.length > 1
        ? h("span", { class: "muted" }, `${path.slice(0, -1).join(" / ")} / `)
        : null,
      h("span", { class: "label" }, ...marked(node.label, text)),
    );
    return cell;
  }

  private drawLayouts(): void {
    const { tree, query } = this.store.state;
    const button = (layout: Layout, label: string, title: string) =>
      h(
        "button",
        {
          title,
          "aria-pressed": String(query.layout === layout),
          onclick: () => {
            this.body.scrollTop = 0;
            this.setQuery({ layout, sort: this.setup.firstSort(layout) });
            this.reveal();
          },
        },
        label,
      );
    const focused = [...this.layouts.children].indexOf(
      document.activeElement as Element,
    );
    fill(
      this.layouts,
      button("tree", "Tree", "Inner regions below outer regions"),
      button("flat", "Flat", this.setup.flatTitle),
      tree.names.length > 0
        ? button("names", "By name", "All regions of one name; a kernel counts once")
        : null,
    );
    (this.layouts.children[focused] as HTMLElement | undefined)?.focus();
  }

  // ---- Changes ----

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
    const { tree } = this.store.state;
    const closed = [
      ...tree.nodes.filter((node) => node.children.length),
      ...tree.names.filter((node) => node.members),
    ];
    this.setQuery({ collapsed: new Set(closed.map((node) => node.region.id)) });
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

  // Selects the outer row of the row at `index`.
  private selectOuter(index: number): void {
    const { levels } = this.rows;
    for (let i = index - 1; i >= 0; --i) {
      if ((levels[i] ?? 0) >= (levels[index] ?? 0)) continue;
      this.selectRow(i);
      return;
    }
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { query } = this.store.state;
    const at = this.selectedRow();
    const node = this.rows.nodes[at];
    const page = Math.max(1, Math.floor(this.body.clientHeight / rowHeight) - 2);
    const foldable =
      query.layout === "names" || (query.layout === "tree" && query.text === "");
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
        if (!node || !foldable) return;
        if (inner(node, query.layout).length === 0) break;
        if (this.isOpen(node)) this.selectRow(at + 1);
        else this.toggle(node);
        break;
      case "ArrowLeft":
        if (!node || !foldable) return;
        if (inner(node, query.layout).length > 0 && this.isOpen(node)) {
          this.toggle(node);
        } else {
          this.selectOuter(at);
        }
        break;
      case "Enter":
      case " ":
        if (!node || !foldable) return;
        if (inner(node, query.layout).length > 0) this.toggle(node);
        break;
      default:
        return;
    }
    event.preventDefault();
  }
}
