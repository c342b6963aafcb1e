// The columns of the table of both sides.

import { changeText, guessed, intervalText, wallChange, type DiffRegion, type DiffTree } from "./diff_model.ts";
import { verdictClass, verdictText } from "./diff_colors.ts";
import { h } from "./dom.ts";
import * as format from "./format.ts";
import type { Node } from "./model.ts";
import type { Column } from "./tree_columns.ts";

const cell = (text: string, title = "") =>
  h("span", { class: "number", role: "gridcell", title: title || null }, text);

// A bar from the middle: to the left for less time, to the right for more.
export function zeroBar(share: number, title: string): HTMLElement {
  const size = Math.min(1, Math.abs(share)) * 50;
  const bar = h("span", { class: share < 0 ? "part less3" : "part more3" });
  bar.style.left = `${share < 0 ? 50 - size : 50}%`;
  bar.style.width = `${size}%`;
  return h("span", { class: "zero-cell", role: "gridcell", title }, h("span", { class: "zero-bar" }, bar));
}

const runsTitle = (runs: number[], region: DiffRegion) =>
  `${region.time.per_instance ? "Per instance, " : ""}${runs.length === 1 ? "of one run" : `median of ${runs.length} runs: ${runs.map(format.time).join(", ")}`}`;

export function diffColumns(tree: DiffTree): Column[] {
  const column = (
    metric: string,
    label: [string, string],
    title: string,
    width: number,
    of: (region: DiffRegion, node: Node) => HTMLElement,
  ): Column => ({
    key: "value",
    metric,
    id: metric,
    label,
    title,
    width,
    cell: (node) => of(tree.of(node), node),
  });
  const wall = tree.diff.regions.some(({ time }) => wallChange(time) !== null)
    ? [
        column("wall", ["Change", "of wall time"], "Change of the wall time of all instances", 98, ({ time }) => {
          const change = wallChange(time);
          return cell(change === null ? format.dash : changeOf(change));
        }),
      ]
    : [];
  return [
    column("base", ["Base", ""], "GPU time, median of the base runs", 78, (region) =>
      cell(format.time(region.time.base_median_ns), runsTitle(region.time.base_ns, region)),
    ),
    column("new", ["New", ""], "GPU time, median of the new runs", 78, (region) =>
      cell(format.time(region.time.new_median_ns), runsTitle(region.time.new_ns, region)),
    ),
    column("ratio", ["Change", ""], "Ratio of the medians: new / base", 98, ({ time }) =>
      cell(
        `${changeText(time.ratio)}${time.per_instance ? " each" : ""}`,
        time.per_instance ? "Per instance: the sides ran it a different number of times" : "",
      ),
    ),
    column("change", ["Change", "mean per run"], "Change of the mean time per run, inner regions included", 110, ({ time }) =>
      zeroBar(tree.greatest > 0 ? (time.change_ns ?? 0) / tree.greatest : 0, changeOf(time.change_ns)),
    ),
    column("interval", ["95 %", "of the change"], "Bootstrap interval of the ratio of medians", 128, ({ time }) =>
      cell(intervalText(time.interval)),
    ),
    ...wall,
    column("verdict", ["Verdict", ""], "", 138, (region) =>
      h(
        "span",
        { class: "number", role: "gridcell", title: region.why },
        h("span", { class: verdictClass(region.verdict) }, verdictText(region.verdict)),
        guessed(region) ? h("small", { title: "Paired by guess" }, " ≈") : null,
      ),
    ),
  ];
}

export const changeOf = (ns: number | null) =>
  ns === null ? format.dash : `${ns < 0 ? "−" : "+"}${format.time(Math.abs(ns))}`;
