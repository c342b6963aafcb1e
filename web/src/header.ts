// The top of the page: the program, how it was measured, and the part that is
// shown; and its end: the notes.

import { fill, h } from "./dom.ts";
import { samplingFacts, samplingWarnings } from "./estimates.ts";
import * as format from "./format.ts";
import { genericTable } from "./metric_tables.ts";
import { byMeaning } from "./meaning.ts";
import { metricNames, wallOf, type Tree } from "./model.ts";
import type { Report, Scope } from "./report.ts";
import type { Store } from "./state.ts";
import { switchTheme } from "./theme.ts";
import { allColumns } from "./tree_columns.ts";
import { runsText } from "./two_runs.ts";
import { wallBar, wallParts } from "./wall_time.ts";

const mostColumns = 40;

const base = (path: string) => path.split("/").pop() || path;
const isPython = (path: string) => /^python[0-9.]*$/.test(base(path));

function commandWords(report: Report): string[] {
  const command = report.capture?.command;
  if (Array.isArray(command)) return command.map(String);
  return typeof command === "string" && command ? command.split(" ") : [];
}

// The profiled programs, in a word or two: those that were measured; of an
// interpreter, its script. The command may be the profiler's own.
export function programName(report: Report): string {
  const words = commandWords(report);
  const processes = (report.capture?.processes ?? [])
    .map((process) => process.name ?? "")
    .filter((name) => name !== "" && !isPython(name))
    .map(base);
  const names = [...new Set(processes)];
  if (names.length === 0) {
    const python = words.findIndex(isPython);
    const rest = words.slice(python + 1);
    const module = rest.indexOf("-m");
    const script = rest.find((word) => !word.startsWith("-"));
    if (python >= 0 && module === 0 && rest[1]) names.push(rest[1]);
    else if (python >= 0 && script) names.push(base(script));
    else if (words[0]) names.push(base(words[0]));
  }
  if (names.length === 0) return "Region report";
  const more = names.length > 3 ? `, ${names.length - 3} more` : "";
  return names.slice(0, 3).map(format.visible).join(", ") + more;
}

export function scopeLabel(scope: Scope): string {
  if (scope.scope === "aggregate") return "All processes and devices";
  const name = scope.scope
    .replace("process:", "process ")
    .replace("/device:", ", device ");
  const owner = typeof scope.rank === "number" ? `rank ${scope.rank}: ` : "";
  const place = scope.host ? ` on ${scope.host}` : "";
  return format.visible(owner + name + place);
}

export class HeaderView {
  readonly element: HTMLElement;
  private readonly totals = h("span", {});
  private readonly everything = h(
    "button",
    {
      title: "Totals of all regions, and the runs of this report",
      onclick: () => this.store.update({ selected: null }, "selected"),
    },
    "All regions",
  );
  private readonly columnsPlace = h("div", { class: "menu" });
  private readonly scopes: HTMLSelectElement;

  constructor(
    private readonly report: Report,
    private readonly store: Store,
    chooseScope: (index: number) => void,
  ) {
    const command = commandWords(report).join(" ");
    this.scopes = h(
      "select",
      {
        onchange: (event: Event) => chooseScope((event.target as HTMLSelectElement).selectedIndex),
      },
      ...report.scopes.map((scope, i) =>
        h("option", { selected: i === store.state.scopeIndex }, scopeLabel(scope)),
      ),
    );
    this.element = h(
      "header",
      {},
      h(
        "div",
        { class: "title" },
        h("h1", {}, programName(report), h("span", {}, "Rangefinder")),
        h("button", { onclick: switchTheme, title: "Light or dark", "aria-label": "Light or dark" }, "◐"),
      ),
      command ? h("p", { class: "command" }, h("code", {}, format.visible(command))) : null,
      ...samplingWarnings(report),
      h("p", { class: "facts" }, ...this.facts()),
      samplingFacts(report),
      h(
        "div",
        { class: "toolbar" },
        h(
          "label",
          {},
          "Scope ",
          this.scopes,
        ),
        h("div", { class: "whole" }, this.everything, this.totals),
        this.columnsPlace,
      ),
    );
  }

  // Of the scope that was chosen elsewhere.
  choose(index: number): void {
    this.scopes.selectedIndex = index;
  }

  draw(): void {
    const { whole } = this.store.state;
    const { totals, traced } = whole.scope;
    fill(
      this.totals,
      // Absent is absent: of ranges measured as a whole no kernel was timed.
      ...(whole.scope.headline
        ? [h("strong", {}, format.visible(whole.scope.headline)), " · "]
        : []),
      ...(!whole.scope.headline && totals.kernel_count > 0
        ? [
            h("strong", {}, format.time(totals.gpu_time_ns)),
            " GPU time · ",
            h("strong", {}, format.digits(totals.kernel_count)),
            " kernels · ",
          ]
        : []),
      ...(!whole.scope.headline && traced
        ? [h("strong", {}, format.time(traced.gpu_time_ns)), " baseline · "]
        : []),
      h("strong", {}, format.digits(whole.nodes.length)),
      " regions",
    );
    this.drawSelected();
    this.drawColumns();
  }

  // Whether everything is selected, and no region.
  drawSelected(): void {
    const everything = this.store.state.selected === null;
    this.everything.setAttribute("aria-pressed", String(everything));
  }

  private facts(): HTMLElement[] {
    const { capture } = this.report;
    const facts: [string, unknown][] = [
      ["measured by", capture?.mode],
      ...Object.entries(capture?.tools ?? {}),
      ["clocks", capture?.clock_control],
      ["cache control", capture?.cache_control],
      ["devices", capture?.devices],
      ["runs", runsText(capture?.runs ?? [])],
      ["made", this.report.generated_at],
      ["configuration", this.report.config_fingerprint],
    ];
    return facts
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) =>
        h("span", { class: "fact" }, h("b", {}, format.visible(name)), ` ${format.visible(format.plain(value))}`),
      );
  }

  // Which columns the table of regions has, and which metrics are among them.
  private drawColumns(): void {
    const wasOpen = this.columnsPlace.querySelector("details")?.open ?? false;
    const names = byMeaning(metricNames(this.store.state.whole));
    const list = h("div", { class: "menu-list" });
    const drawList = (text: string) =>
      fill(
        list,
        ...names
          .filter((name) => name.toLowerCase().includes(text))
          .slice(0, 300)
          .map((name) => this.metricChoice(name)),
      );
    drawList("");
    const search = h("input", {
      type: "search",
      placeholder: "Find a metric",
      "aria-label": "Find a metric",
      oninput: (event: Event) =>
        drawList((event.target as HTMLInputElement).value.trim().toLowerCase()),
    });
    fill(
      this.columnsPlace,
      h(
        "details",
        { open: wasOpen },
        h("summary", {}, "Columns"),
        h(
          "div",
          { class: "menu-body" },
          ...this.plainChoices(),
          ...(names.length > 0 ? [h("h4", {}, "Metrics"), search, list] : []),
        ),
      ),
    );
  }

  private plainChoices(): HTMLElement[] {
    const { state } = this.store;
    return allColumns(state)
      .filter((column) => column.key !== "metric")
      .map(({ id, label }) => {
        const on = !state.hidden.includes(id);
        return choice(label.join(" "), on, false, () => {
          const { hidden } = state;
          const next = on ? [...hidden, id] : hidden.filter((other) => other !== id);
          this.store.update({ hidden: next }, "columns");
        });
      });
  }

  private metricChoice(name: string): HTMLElement {
    const { columns } = this.store.state;
    const on = columns.includes(name);
    return choice(name, on, !on && columns.length >= mostColumns, () => {
      const next = on ? columns.filter((c) => c !== name) : [...columns, name];
      this.store.update({ columns: next }, "columns");
    });
  }
}

function choice(label: string, checked: boolean, disabled: boolean, onchange: () => void): HTMLElement {
  return h(
    "label",
    {},
    h("input", { type: "checkbox", checked, disabled, onchange }),
    ` ${label}`,
  );
}

// The headlines, a card each, with a way to the region; the run has none.
export function headline(report: Report, choose: (region: number) => void): HTMLElement {
  const lines = (report.headlines ?? []).slice(0, 3);
  return h(
    "ul",
    { class: "headline", "aria-label": "Headlines", hidden: lines.length === 0 },
    ...lines.map(({ text, next, region_id, certain }) =>
      h(
        "li",
        { class: certain === false ? "question" : "" },
        h("strong", {}, format.visible(text)),
        next
          ? h("p", { class: "muted" }, `${certain === false ? "next" : "to do"}: ${format.visible(next)}`)
          : null,
        typeof region_id === "number" && region_id > 0
          ? h("button", { class: "crumb", onclick: () => choose(region_id) }, "show")
          : null,
      ),
    ),
  );
}

// "NVIDIA H200 · 2.98 s in regions · GPU busy 145 ms (4.9 %) · warm-up 1.88 s (63 %)"
function runText({ capture }: Report, tree: Tree): string {
  const wall = tree.roots.reduce((sum, { region }) => sum + (wallOf(region) ?? 0), 0);
  const warmup = tree.roots.reduce((sum, { region }) => sum + (region.times?.warmup?.cpu_ns ?? 0), 0);
  const share = (ns: number) => (ns <= wall ? ` (${format.share(ns, wall)})` : "");
  const busy = tree.scope.times?.gpu?.busy_ns ?? 0;
  return [
    // "0: NVIDIA H200"
    ...(capture?.devices ? [format.visible(format.plain(capture.devices).replace(/\b\d+: /g, ""))] : []),
    `${format.time(wall)} in regions`,
    ...(busy > 0 ? [`GPU busy ${format.time(busy)}${share(busy)}`] : []),
    ...(warmup > 0 ? [`warm-up ${format.time(warmup)}${share(warmup)}`] : []),
  ].join(" · ");
}

// Where the wall time of the outermost regions goes.
export function wallPanel(report: Report): { element: HTMLElement; draw: (tree: Tree) => void } {
  const element = h("section", { class: "panel wall", "aria-label": "Wall time by parts" });
  return {
    element,
    draw: (tree) => {
      const bar = wallBar(wallParts(tree.roots.map(({ region }) => region.times), false));
      element.hidden = bar.length === 0;
      fill(
        element,
        h("h2", {}, "Wall time", h("small", {}, runText(report, tree))),
        ...bar,
      );
    },
  };
}

export function notes(report: Report): HTMLElement {
  const rows = (report.notes ?? []).map((note) =>
    typeof note === "string" ? { note } : note,
  );
  return h(
    "section",
    { class: "panel notes", "aria-label": "Notes" },
    h("h2", {}, `Notes (${rows.length})`),
    rows.length
      ? genericTable(rows, "Notes")
      : h("p", { class: "muted" }, "No notes."),
  );
}
