// Tables of the detail panel: sortable, and capped, so that a region with
// thousands of kernels does not stall the page.

import { breakable, fill, h } from "./dom.ts";

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

// Figures side by side: label, value, and what it is a part of.
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
  let order = rows;
  let sorted: { column: TableColumn<T>; down: boolean } | null = null;
  let cap = options.cap ?? 100;
  const opened = new Set<T>();
  const head = h("tr", {});
  const body = h("tbody", {});
  const more = h("button", {
    class: "more",
    onclick: () => {
      cap *= 10;
      draw();
    },
  });

  const sortBy = (column: TableColumn<T>) => {
    const value = column.sort;
    if (!value) return;
    const firstDown = column.number ?? false;
    const down = sorted?.column === column ? !sorted.down : firstDown;
    sorted = { column, down };
    const sign = down ? -1 : 1;
    order = [...rows].sort((a, b) => {
      const x = value(a);
      const y = value(b);
      return x === y ? 0 : sign * (x < y ? -1 : 1);
    });
    draw();
  };

  const rowElements = (row: T): HTMLElement[] => {
    const open = opened.has(row);
    const toggle = () => {
      if (!opened.delete(row)) opened.add(row);
      draw();
    };
    const cells = columns.map((column, i) =>
      h(
        "td",
        {
          class: `${column.number ? "number " : ""}${column.className?.(row) ?? ""}`,
          title: column.tooltip?.(row),
        },
        i === 0 && options.details
          ? h(
              "button",
              {
                class: "twist",
                "aria-expanded": String(open),
                "aria-label": "Details",
                onclick: toggle,
              },
              open ? "▾" : "▸",
            )
          : null,
        column.element?.(row),
        column.onclick
          ? h(
              "button",
              { class: "crumb", onclick: () => column.onclick?.(row) },
              column.text(row),
            )
          : null,
        ...(column.onclick ? [] : column.breaks ? breakable(column.text(row)) : [column.text(row)]),
        column.note?.(row) ? h("small", { class: "error" }, column.note(row)) : null,
      ),
    );
    const elements = [h("tr", {}, ...cells)];
    if (open && options.details) {
      elements.push(
        h(
          "tr",
          { class: "details" },
          h("td", { colspan: columns.length }, options.details(row)),
        ),
      );
    }
    return elements;
  };

  const groupedRows = (): HTMLElement[] => {
    const { group } = options;
    let last: string | null = null;
    return order.slice(0, cap).flatMap((row) => {
      const own = group && !sorted ? group(row) : last;
      if (own === last) return rowElements(row);
      last = own;
      const heading = h("th", { colspan: columns.length, scope: "colgroup" }, own);
      return [h("tr", { class: "group" }, heading), ...rowElements(row)];
    });
  };

  const draw = () => {
    fill(
      head,
      ...columns.map((column) =>
        h(
          "th",
          {
            scope: "col",
            class: column.number ? "number" : "",
            title: column.title,
            "aria-sort":
              sorted?.column === column
                ? sorted.down
                  ? "descending"
                  : "ascending"
                : null,
          },
          h(
            "button",
            { onclick: () => sortBy(column), disabled: !column.sort },
            ...breakable(column.label),
            sorted?.column === column ? (sorted.down ? " ↓" : " ↑") : null,
            column.small ? h("small", {}, column.small) : null,
          ),
        ),
      ),
    );
    fill(body, ...groupedRows());
    more.hidden = order.length <= cap;
    more.textContent = `Show more (${order.length - cap} rows are not shown)`;
  };
  draw();
  return h(
    "div",
    { class: "table-wrap" },
    h("table", { "aria-label": options.caption }, h("thead", {}, head), body),
    more,
  );
}
