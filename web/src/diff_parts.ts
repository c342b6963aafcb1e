// Contributions to the change: its parts in a row, each beginning where the one
// before ends, so that the last ends at the whole change.

import { changeOf } from "./diff_columns.ts";
import { placeOf, type Contribution, type Diff } from "./diff_model.ts";
import { fill, h } from "./dom.ts";
import * as format from "./format.ts";

const firstParts = 10;
const mostParts = 200;

export interface Step {
  label: string;
  region: number | null; // null: of many
  from: number; // ns
  to: number;
  with: string[];
}

const labelOf = ({ path, kernel }: Contribution) =>
  `${placeOf(path)}: ${kernel === null ? "measured as a whole" : format.short(kernel)}`;

// The first `count` parts, and all others as one part.
export function stepsOf({ contributions }: Diff, count: number): Step[] {
  let at = 0;
  const steps = contributions.slice(0, count).map((part): Step => {
    const from = at;
    at += part.change_ns;
    return { label: labelOf(part), region: part.region, from, to: at, with: part.with };
  });
  const others = contributions.slice(count);
  if (others.length > 0) {
    const rest = others.reduce((sum, part) => sum + part.change_ns, 0);
    const label = others.length === 1 ? "one other part" : `${format.digits(others.length)} other parts together`;
    steps.push({ label, region: null, from: at, to: at + rest, with: [] });
  }
  return steps;
}

export function partsSection(diff: Diff, choose: (region: number) => void): HTMLElement {
  const { contributions } = diff;
  const list = h("ol", { class: "parts" });
  const more = h("button", { class: "more", onclick: () => draw(mostParts) }, `Show up to ${mostParts} parts`);
  const draw = (count: number) => {
    const steps = stepsOf(diff, count);
    const last = steps[steps.length - 1]?.to ?? 0;
    const low = steps.reduce((least, { to }) => Math.min(least, to), 0);
    const high = steps.reduce((most, { to }) => Math.max(most, to), 0);
    const whole: Step = { label: "The whole run", region: 0, from: 0, to: last, with: [] };
    fill(list, ...[...steps, whole].map((step) => stepRow(step, low, high, choose, step === whole)));
    more.hidden = contributions.length <= count || count === mostParts;
  };
  draw(firstParts);
  return h(
    "section",
    { class: "panel parts-panel", "aria-label": "Where the change comes from", hidden: contributions.length === 0 },
    h("h2", {}, "Where the change comes from"),
    h("p", { class: "muted" }, "Change of the mean time per run, by kernels launched directly in a region. The parts add up to the change of the whole run."),
    list,
    more,
  );
}

function stepRow(
  { label, region, from, to, with: moved }: Step,
  low: number,
  high: number,
  choose: (region: number) => void,
  whole: boolean,
): HTMLElement {
  const place = (ns: number) => (high > low ? (100 * (ns - low)) / (high - low) : 0);
  const bar = h("span", { class: `part ${to < from ? "less3" : "more3"}` });
  bar.style.left = `${place(Math.min(from, to))}%`;
  bar.style.width = `${Math.abs(place(to) - place(from))}%`;
  const zero = h("span", { class: "zero" });
  zero.style.left = `${place(0)}%`;
  return h(
    "li",
    { class: whole ? "whole-change" : "" },
    region === null
      ? h("span", { class: "part-label muted" }, label)
      : h("button", { class: "crumb part-label", title: label, onclick: () => choose(region) }, label),
    h("span", { class: "number" }, changeOf(to - from)),
    h("span", { class: "track", "aria-hidden": "true" }, zero, bar),
    h("span", { class: "muted part-with" }, moved.map(format.visible).join("; ")),
  );
}
