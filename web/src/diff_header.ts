// The head of the page: whether the runs are comparable, the result, the caveats
// and the gate.

import { changeOf } from "./diff_columns.ts";
import { changeText, guessed, intervalText, placeOf, wallChange, type Crossing, type Diff, type Verdict } from "./diff_model.ts";
import { verdictClass, verdictText } from "./diff_colors.ts";
import { h } from "./dom.ts";
import * as format from "./format.ts";
import { ownOf } from "./own.ts";
import { table } from "./tables.ts";
import { switchTheme } from "./theme.ts";

export function diffHeader(diff: Diff, choose: (region: number) => void): HTMLElement {
  return h(
    "header",
    {},
    h(
      "div",
      { class: "title" },
      h("h1", {}, headline(diff)),
      h("button", { onclick: switchTheme, title: "Light or dark", "aria-label": "Light or dark" }, "◐"),
    ),
    verdicts(diff),
    wallTime(diff),
    sides(diff),
    ...caveats(diff),
    ...gate(diff, choose),
    settings(diff),
  );
}

function headline({ regions }: Diff): string {
  const { time } = regions[0]!;
  if (time.ratio === null) return "One side has no GPU times";
  const interval = time.interval ? ` (95 %: ${intervalText(time.interval)})` : "";
  return `GPU time per run ${format.time(time.base_median_ns)} → ${format.time(time.new_median_ns)}, ${changeText(time.ratio)}${interval}`;
}

// The whole run is counted in none of them.
function verdicts({ regions, summary }: Diff): HTMLElement {
  const counts = new Map<Verdict, number>();
  for (const { verdict } of regions) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const whole = regions[0]!.verdict;
  return h(
    "p",
    { class: "verdicts" },
    "The whole run: ",
    h("span", { class: verdictClass(whole) }, verdictText(whole)),
    ` ${format.visible(summary)}`,
  );
}

// Of the outermost regions.
function wallTime({ regions }: Diff): HTMLElement | null {
  const changes = regions
    .filter(({ depth }) => depth === 1)
    .map(({ time }) => wallChange(time))
    .filter((change) => change !== null);
  if (changes.length === 0) return null;
  const change = changes.reduce((sum, ns) => sum + ns, 0);
  return h("p", {}, `Wall time in regions: ${changeOf(change)}. Verdicts are on GPU time alone.`);
}

const runsText = (runs: string[]) =>
  runs.length === 1 ? format.visible(runs[0]!) : `${runs.length} runs (${format.visible(runs[0] ?? "")}, …)`;

function sides(diff: Diff): HTMLElement {
  const { rules } = diff;
  const least = Math.min(diff.base.runs.length, diff.new.runs.length);
  const fact = (label: string, text: string, title: string) =>
    h("span", { class: "fact", title }, h("b", {}, `${label} `), text);
  return h(
    "p",
    { class: "facts" },
    fact("base", runsText(diff.base.runs), diff.base.runs.map(format.visible).join("\n")),
    fact("new", runsText(diff.new.runs), diff.new.runs.map(format.visible).join("\n")),
    fact(
      "Changed =",
      `more than ${format.digits(100 * rules.time)} % and ${format.time(rules.absolute_ns)} per run, p ≤ ${format.digits(rules.alpha)}`,
      `${rules.tested} regions were tested; single regions and calibrations may have other thresholds`,
    ),
    least < rules.least_runs
      ? h("span", { class: "differs" }, `Timing gates need at least ${rules.least_runs} runs per side.`)
      : null,
    guesses(diff),
  );
}

function guesses({ regions }: Diff): HTMLElement | null {
  const count = regions.reduce(
    (sum, region) =>
      sum + Number(guessed(region)) + region.kernels.filter((pair) => pair.paired_by === "guess").length,
    0,
  );
  if (count === 0) return null;
  return h(
    "span",
    { title: "Correct with --match FILE, or forbid guesses with --strict" },
    `${count === 1 ? "1 pair was" : `${format.digits(count)} pairs were`} guessed from similarity, not matched by name (≈)`,
  );
}

function caveats(diff: Diff): HTMLElement[] {
  const fatal = diff.caveats.filter((caveat) => caveat.fatal);
  const others = diff.caveats.filter((caveat) => !caveat.fatal);
  const banner = (title: string, list: { text: string }[], bad: boolean) =>
    h(
      "div",
      { class: `banner${bad ? " bad" : ""}`, role: bad ? "alert" : "note" },
      h("strong", {}, title),
      h("ul", {}, ...list.map(({ text }) => h("li", {}, format.visible(text)))),
    );
  return [
    ...(diff.comparable ? [] : [banner("The runs are not comparable", fatal, true)]),
    ...(others.length > 0 ? [banner("Caveats", others, false)] : []),
  ];
}

function gate({ gate: { asked, passed, crossings }, comparable }: Diff, choose: (region: number) => void): HTMLElement[] {
  if (!comparable) return [];
  if (crossings.length === 0) {
    return asked ? [h("p", { class: "gate" }, "The gate passed: nothing got worse.")] : [];
  }
  const failed = asked ? "The gate failed" : "A gate would fail";
  const line = ({ region, path, text, accepted }: Crossing) =>
    h(
      "li",
      {},
      h("button", { class: "crumb", onclick: () => choose(region) }, placeOf(path)),
      ` ${format.visible(text)}`,
      accepted === null ? null : h("span", { class: "muted" }, ` (accepted: ${format.visible(accepted)})`),
    );
  return [
    h(
      "div",
      { class: `banner${passed ? "" : " bad"}` },
      h("strong", {}, passed ? "The gate passed: every regression is accepted" : failed),
      h("ul", {}, ...crossings.map(line)),
    ),
  ];
}

// How the runs were made, side by side.
function settings(diff: Diff): HTMLElement {
  const names = [...new Set([...Object.keys(diff.base.settings), ...Object.keys(diff.new.settings)])];
  const own = (of: Record<string, string>, name: string) => {
    const value = ownOf(of, name);
    return value === undefined ? format.dash : format.visible(value);
  };
  const differs = (name: string) => own(diff.base.settings, name) !== own(diff.new.settings, name);
  const runs = (list: string[]) => list.map(format.visible).join(", ");
  return h(
    "details",
    {},
    h("summary", {}, "How the runs were made"),
    table(
      [
        ["runs", runs(diff.base.runs), runs(diff.new.runs), ""],
        ...names.map((name) => [
          format.visible(name),
          own(diff.base.settings, name),
          own(diff.new.settings, name),
          differs(name) ? "differs" : "",
        ]),
      ],
      [
        { label: "", text: (row) => row[0]! },
        { label: "Base", text: (row) => row[1]!, className: () => "long" },
        { label: "New", text: (row) => row[2]!, className: () => "long" },
        { label: "", text: (row) => row[3]!, className: () => "differs" },
      ],
      { caption: "How the runs were made" },
    ),
  );
}
