// Tables of the detail panel: sortable, and capped, so that a region with
// thousands of kernels does not stall the page.

import { breakable, fill, h } from "./dom.ts";
import { metricTitle } from "./meaning.ts";

export interface TableColumn<T> {
  label: string;
  small?: string;
  title?: string;
  number?: boolean;
  text: (row: T) => string;
  note?: (row: T) => string; // after the text, small
  element?: (row: T) => Element | null; // stands in the cell, before the text
  onclick?: (row: T) => void; // makes the text a button
  tooltip?: (row: T) => string;
  className?: (row: T) => string;
  breaks?: boolean; // the text may break after underscores
  sort?: (row: T) => number | string;
}

export interface TableOptions<T> {
  caption: string;
  cap?: number; // rows before "show all"
  details?: (row: T) => HTMLElement | null; // opened by a click on the row
  group?: (row: T) => string; // a heading before the first of each, unsorted
}

export function metricNames<T>(name: (row: T) => string): TableColumn<T> {
  const tooltip = (row: T) => metricTitle(name(row));
  return { label: "Metric", text: name, tooltip, className: () => "metric", breaks: true, sort: name };
}

// A column of numbers as `shown` writes them; absent ones are sorted as the least.
export function numbers<T, V extends number | null | undefined>(
  label: string,
  value: (row: T) => V,
  shown: (value: V) => string,
  more: Partial<TableColumn<T>> = {},
): TableColumn<T> {
  return { label, number: true, text: (row) => shown(value(row)), sort: (row) => value(row) ?? -1, ...more };
}

// Figures side by side: label, value, and its share.
export function tiles(values: [string, string, string?][]): HTMLElement {
  return h(
    "dl",
    { class: "tiles" },
    ...values.map(([label, value, small]) =>
      h(
        "div",
        {},
        h("dt", {}, label),
        h("dd", {}, value, small ? h("small", {}, small) : null),
      ),
    ),
  );
}

export function table<T>(
  rows: readonly T[],
  columns: TableColumn<T>[],
  options: TableOptions<T>,
): HTMLElement {
  return new Table(rows, columns, options).element;
}

class Table<T> {
  readonly element: HTMLElement;
  private order: readonly T[];
  private sorted: { column: TableColumn<T>; down: boolean } | null = null;
  private cap: number;
  private readonly opened = new Set<T>();
  private readonly head = h("tr", {});
  private readonly body = h("tbody", {});
  private readonly more = h("button", { class: "more", onclick: () => this.showMore() });

  constructor(
    private readonly rows: readonly T[],
    private readonly columns: TableColumn<T>[],
    private readonly options: TableOptions<T>,
  ) {
    this.order = rows;
    this.cap = options.cap ?? 100;
    this.element = h(
      "div",
      { class: "table-wrap" },
      h("table", { "aria-label": options.caption }, h("thead", {}, this.head), this.body),
      this.more,
    );
    this.draw();
  }

  private draw(): void {
    fill(this.head, ...this.columns.map((column) => this.heading(column)));
    fill(this.body, ...this.groupedRows());
    this.more.hidden = this.order.length <= this.cap;
    this.more.textContent = `Show more (${this.order.length - this.cap} hidden rows)`;
  }

  private showMore(): void {
    this.cap *= 10;
    this.draw();
  }

  private sortBy(column: TableColumn<T>): void {
    const value = column.sort;
    if (!value) return;
    const firstDown = column.number ?? false;
    const down = this.sorted?.column === column ? !this.sorted.down : firstDown;
    this.sorted = { column, down };
    const sign = down ? -1 : 1;
    this.order = [...this.rows].sort((a, b) => {
      const x = value(a);
      const y = value(b);
      return x === y ? 0 : sign * (x < y ? -1 : 1);
    });
    this.draw();
  }

  private heading(column: TableColumn<T>): HTMLElement {
    const down = this.sorted?.column === column ? this.sorted.down : null;
    return h(
      "th",
      {
        scope: "col",
        class: column.number ? "number" : "",
        title: column.title,
        "aria-sort": down === null ? null : down ? "descending" : "ascending",
      },
      h(
        "button",
        { onclick: () => this.sortBy(column), disabled: !column.sort },
        ...breakable(column.label),
        down === null ? null : down ? " ↓" : " ↑",
        column.small ? h("small", {}, column.small) : null,
      ),
    );
  }

  private groupedRows(): HTMLElement[] {
    const { group } = this.options;
    let last: string | null = null;
    return this.order.slice(0, this.cap).flatMap((row) => {
      const own = group && !this.sorted ? group(row) : last;
      if (own === last) return this.rowElements(row);
      last = own;
      const heading = h("th", { colspan: this.columns.length, scope: "colgroup" }, own);
      return [h("tr", { class: "group" }, heading), ...this.rowElements(row)];
    });
  }

  // The row, and below it the details of an opened row.
  private rowElements(row: T): HTMLElement[] {
    const { details } = this.options;
    const cells = this.columns.map((column, i) => this.cell(row, column, i === 0 && details !== undefined));
    const elements = [h("tr", {}, ...cells)];
    if (details && this.opened.has(row)) {
      elements.push(
        h("tr", { class: "details" }, h("td", { colspan: this.columns.length }, details(row))),
      );
    }
    return elements;
  }

  private cell(row: T, column: TableColumn<T>, opens: boolean): HTMLElement {
    const text = column.text(row);
    const note = column.note?.(row);
    return h(
      "td",
      {
        class: `${column.number ? "number " : ""}${column.className?.(row) ?? ""}`,
        title: column.tooltip?.(row),
      },
      opens ? this.twist(row) : null,
      column.element?.(row),
      ...(column.onclick
        ? [h("button", { class: "crumb", onclick: () => column.onclick?.(row) }, text)]
        : column.breaks
          ? breakable(text)
          : [text]),
      note ? h("small", { class: "error" }, note) : null,
    );
  }

  private twist(row: T): HTMLElement {
    const open = this.opened.has(row);
    const onclick = () => {
      if (!this.opened.delete(row)) this.opened.add(row);
      this.draw();
    };
    return h(
      "button",
      { class: "twist", "aria-expanded": String(open), "aria-label": "Details", onclick },
      open ? "▾" : "▸",
    );
  }
}
