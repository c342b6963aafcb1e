// The colours of a comparison: blue is less time, orange more, as people
// with every kind of colour vision tell apart; hatched is AMBIGUOUS.

import type { Coloring } from "./colors.ts";
import { verdictSigns, type DiffRegion, type DiffTree, type Verdict } from "./diff_model.ts";

const steps = [0.01, 0.05, 0.2]; // relative change

export function changeClass({ time, verdict }: DiffRegion): string {
  const hatch = verdict === "AMBIGUOUS" ? " ambiguous" : "";
  if (verdict === "NEW") return "change-new";
  if (verdict === "GONE" || time.ratio === null) return "color-none";
  const size = Math.abs(time.ratio - 1);
  const step = steps.filter((least) => size >= least).length;
  if (step === 0) return `change-none${hatch}`;
  return `${time.ratio > 1 ? "more" : "less"}${step}${hatch}`;
}

export function changeColoring(tree: DiffTree): Coloring {
  const verdicts = new Set(tree.diff.regions.map(({ verdict }) => verdict));
  const only = (verdict: Verdict, label: string, className: string) =>
    verdicts.has(verdict) ? [{ label, className }] : [];
  return {
    key: "change",
    classOf: (node) => changeClass(tree.of(node)),
    legend: [
      { label: "20 % less or below", className: "less3" },
      { label: "5 %", className: "less2" },
      { label: "1 % less", className: "less1" },
      { label: "within 1 %", className: "change-none" },
      { label: "1 % more", className: "more1" },
      { label: "5 %", className: "more2" },
      { label: "20 % more or above", className: "more3" },
      ...only("NEW", "new", "change-new"),
      ...only("AMBIGUOUS", "ambiguous", "change-none ambiguous"),
      ...only("INCOMPARABLE", "unknown", "color-none"),
    ],
  };
}

export const verdictText = (verdict: Verdict) => `${verdictSigns[verdict] ?? ""} ${verdict}`;
export const verdictClass = (verdict: Verdict) => `tag tag-${verdict.toLowerCase()}`;
