// Tables of metrics, sections and other cells.

import { h } from "./dom.ts";
import * as format from "./format.ts";
import { byMeaning, docOf, groupOf } from "./meaning.ts";
import type { Cell, Metrics, Row } from "./report.ts";
import { metricNames, table, type TableColumn } from "./tables.ts";

const groupedFrom = 12; // metrics, that need headings among them

export const valueText = (cell: Cell | undefined) =>
  format.cellSign(cell) + format.cellText(cell);

export function sortValue(cell: Cell | undefined): number | string {
  return typeof cell?.value === "number" ? cell.value : -Infinity;
}

// The reason of an absent value.
function ruleText(cell: Cell | undefined): string {
  const [first, second] = cell?.how === "absent" ? [cell.reason, cell.rule] : [cell?.rule, cell?.reason];
  return first || second || "";
}

export function metricTable(
  inclusive: Metrics,
  exclusive: Metrics | null,
  caption: string,
): HTMLElement {
  const names = byMeaning(Object.keys(inclusive));
  const value = (label: string, of: Metrics, title: string): TableColumn<string> => ({
    label,
    title,
    number: true,
    text: (name) => valueText(of[name]),
    tooltip: (name) => format.cellTitle(name, of[name]),
    className: (name) => `how-${of[name]?.how ?? "absent"}`,
    sort: (name) => sortValue(of[name]),
  });
  return table(
    names,
    [
      metricNames((name) => name),
      value(exclusive ? "Inclusive" : "Value", inclusive, "Inner regions included"),
      ...(exclusive ? [value("Exclusive", exclusive, "Without inner regions")] : []),
      {
        label: "How",
        title: "How the value was obtained",
        text: (name) => inclusive[name]?.how ?? "",
        className: (name) => `badge-${inclusive[name]?.how ?? "absent"}`,
        sort: (name) => inclusive[name]?.how ?? "",
      },
      {
        label: "Rule",
        title: "How measurements were combined; open the row for details",
        text: (name) => ruleText(inclusive[name]),
        tooltip: (name) => format.cellOrigin(inclusive[name]),
        className: () => "rule",
        sort: (name) => format.cellOrigin(inclusive[name]),
      },
    ],
    {
      caption,
      cap: 200,
      group: names.length > groupedFrom ? (name) => groupOf(name)[1] : undefined,
      details: (name) =>
        h(
          "div",
          { class: "cells" },
          docOf(name) ? h("p", { class: "muted" }, `${docOf(name)}.`) : null,
          cellFacts(exclusive ? "Inclusive" : "", inclusive[name]),
          exclusive ? cellFacts("Exclusive", exclusive[name]) : null,
        ),
    },
  );
}

// All facts of a cell.
function cellFacts(label: string, cell: Cell | undefined): HTMLElement {
  return h(
    "dl",
    {},
    label ? h("strong", {}, label) : null,
    ...Object.entries(cell ?? { reason: "not measured here" }).map(
      ([key, value]) =>
        h(
          "div",
          {},
          h("dt", {}, key.replace(/_/g, " ")),
          h("dd", {}, typeof value === "number" ? String(value) : format.plain(value)),
        ),
    ),
  );
}

// A section's rows are cells with NVIDIA's label.
export function sectionTable(rows: Row[], caption: string): HTMLElement {
  const cell = (row: Row) => row as Cell;
  const label = (row: Row) =>
    format.visible(String(row.label ?? row.metric ?? ""));
  return table(
    rows,
    [
      {
        label: "Label",
        text: label,
        tooltip: (row) => String(row.metric ?? ""),
        sort: label,
      },
      {
        label: "Value",
        number: true,
        text: (row) => valueText(cell(row)),
        tooltip: (row) => format.cellTitle(String(row.metric ?? ""), cell(row)),
        className: (row) => `how-${cell(row).how ?? "absent"}`,
        sort: (row) => sortValue(cell(row)),
      },
      {
        label: "How",
        text: (row) => cell(row).how ?? "",
        className: (row) => `badge-${cell(row).how ?? "absent"}`,
      },
      {
        label: "Rule",
        text: (row) => ruleText(cell(row)),
        tooltip: (row) => format.cellOrigin(cell(row)),
        className: () => "rule",
      },
    ],
    {
      caption,
      cap: 200,
      details: (row) => h("div", { class: "cells" }, cellFacts("", cell(row))),
    },
  );
}

// A value, or a cell with a value, of any shape.
function anyText(value: unknown): string {
  if (value !== null && typeof value === "object" && "how" in value) {
    return valueText(value as Cell);
  }
  return format.plain(value);
}

// Rows whose members name their columns.
export function genericTable(rows: Row[], caption: string): HTMLElement {
  const keys: string[] = [];
  for (const row of rows) {
    for (const key of Object.keys(row)) {
      if (!keys.includes(key)) keys.push(key);
    }
  }
  return table(
    rows,
    keys.map((key): TableColumn<Row> => {
      const number = rows.some((row) => typeof row[key] === "number");
      return {
        label: key.replace(/_/g, " "),
        number,
        text: (row) => (key in row ? anyText(row[key]) : ""),
        tooltip: (row) => format.plain(row[key]),
        sort: (row) =>
          typeof row[key] === "number" ? row[key] : anyText(row[key]),
      };
    }),
    { caption, cap: 200 },
  );
}
