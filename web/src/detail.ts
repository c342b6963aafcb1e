// The panel of the selected region, of the regions of one name, or of the whole
// scope: times, kernels, metrics, sections and findings.

import { allChecks, checksOfRegion } from "./checks.ts";
import { metricsOf, sectionsOf } from "./columns.ts";
import { fill, h } from "./dom.ts";
import { anyEstimates, besideSection, legend } from "./estimates.ts";
import * as format from "./format.ts";
import { kernelSection, spanKernelSection } from "./kernels_table.ts";
import { membersSection } from "./members.ts";
import { metricTable, sectionTable } from "./metric_tables.ts";
import { shownOf, tracedTime, wholeOf, type Node, type Tree } from "./model.ts";
import { overTimeSection } from "./over_time.ts";
import { imbalanceSection } from "./ranks.ts";
import type { Held, Metrics, Region, Report, Row } from "./report.ts";
import { rooflineSection } from "./roofline.ts";
import type { Store } from "./state.ts";
import { numbers, table, tiles } from "./tables.ts";
import type { Inside, InSpan } from "./timeline.ts";
import { timesSection, timesTiles } from "./times.ts";
import { showsEstimates } from "./tree_columns.ts";
import { runsSection, tracedSection, tracedTiles } from "./two_runs.ts";
import { wallBar, wallParts } from "./wall_time.ts";

// The cause of a region's wall time or, if none is known, the limit of its kernels.
function causeOf({ cause, verdict }: Region): HTMLElement[] {
  if (!cause) return verdict ? [h("p", { class: "verdict" }, format.visible(verdict))] : [];
  const saves = cause.saves_ns > 0 ? `; at stake ${format.time(Math.round(cause.saves_ns))}` : "";
  return [
    h("p", { class: "verdict" }, format.visible(`${cause.certain ? "" : "perhaps "}${cause.title}, ${cause.text}${saves}`)),
    h("p", { class: "muted" }, format.visible(`${cause.certain ? "to do" : "next"}: ${cause.next}`)),
  ];
}

export class DetailView {
  readonly element: HTMLElement;
  private readonly content = h("div", {});
  private metricFilter = "";

  constructor(
    private readonly report: Report,
    private readonly store: Store,
  ) {
    this.element = h(
      "section",
      { class: "panel detail", "aria-label": "Details", tabindex: -1 },
      this.content,
    );
  }

  draw(): void {
    const { tree, selected } = this.store.state;
    fill(this.content, ...this.parts(selected, tree));
    this.element.scrollTop = 0;
  }

  private parts(selected: Node | null, tree: Tree): HTMLElement[] {
    if (tree.inSpan) return this.span(selected, tree, tree.inSpan);
    if (selected?.members) return this.name(selected, selected.members);
    return selected ? this.region(selected) : this.whole(tree);
  }

  private whole(tree: Tree): HTMLElement[] {
    const { totals } = tree.scope;
    return [
      h("h2", {}, "All regions"),
      tiles([
        ...(totals.kernel_count > 0
          ? ([
              ["GPU time", format.time(totals.gpu_time_ns)],
              ["Kernels", format.digits(totals.kernel_count)],
            ] as [string, string][])
          : []),
        ["Regions", format.digits(tree.nodes.length)],
        ...tracedTiles(tree.scope),
        ...(tree.scope.times ? timesTiles(tree.scope.times) : []),
      ]),
      ...runsSection(
        tree.scope,
        this.report.capture?.runs ?? [],
        this.report.capture?.replay_ratio,
      ),
      h("p", { class: "muted" }, "Choose a region to see its kernels, metrics, sections and findings."),
      ...this.roofline(null),
      ...this.legend(totals),
      ...this.metrics(totals, null),
      ...allChecks(this.report),
    ];
  }

  private name(node: Node, members: Node[]): HTMLElement[] {
    const { tree } = this.store.state;
    const { inclusive } = node.region;
    const traced = members.some(({ region }) => tracedTime(region) !== undefined);
    return [
      h("p", { class: "path" }, "by name"),
      h("h2", {}, node.label),
      h("p", { class: "muted" }, "All regions of one name, inner regions included. A kernel counts once, even where the name is nested in itself."),
      tiles([
        ["GPU time", format.time(inclusive.gpu_time_ns), format.share(inclusive.gpu_time_ns ?? 0, tree.scope.totals.gpu_time_ns ?? 0)],
        ["Kernels", format.digits(inclusive.kernel_count)],
        ["Regions", format.digits(members.length)],
      ]),
      h("h3", {}, `Regions (${members.length})`),
      table(
        members,
        [
          {
            label: "Region",
            text: ({ region }) => region.path.map(format.visible).join(" / "),
            tooltip: ({ region }) => region.path.map(format.visible).join(" / "),
            className: () => "clip wide",
            onclick: (member) => this.store.update({ selected: member }, "selected"),
            sort: ({ region }) => region.path.join(" / "),
          },
          {
            label: "GPU time",
            number: true,
            text: ({ region: { inclusive } }) =>
              inclusive.kernel_count > 0 ? format.time(inclusive.gpu_time_ns) : format.dash,
            sort: ({ region }) => region.inclusive.gpu_time_ns ?? -1,
          },
          ...(traced
            ? [numbers("Baseline run", ({ region }: Node) => tracedTime(region), format.time)]
            : []),
          numbers("Kernels", ({ region }) => region.inclusive.kernel_count, format.digits),
        ],
        { caption: "Regions of the name", cap: 50 },
      ),
      ...this.legend(inclusive),
      ...this.metrics(inclusive, null),
    ];
  }

  // The selected span of the timeline: of a region, a name, or all regions.
  private span(node: Node | null, tree: Tree, inSpan: InSpan): HTMLElement[] {
    const { nodes, roots, total } = tree;
    const path = node?.region.path.map(format.visible) ?? [];
    const sums = node?.inside ?? allOf(roots);
    const own = node && !node.members ? inSpan.regions.get(node.region.id) : undefined;
    const launched = (of: Inside) => (of.kernels > 0 ? `${format.digits(of.kernels)} launches` : "");
    return [
      h("p", { class: "path" }, path.slice(0, -1).map((p) => `${p} / `).join("")),
      h("h2", {}, node ? node.label : "All regions"),
      h("p", { class: "muted" }, "The selected span. Counters are of the whole run."),
      tiles([
        ...(sums.kernels > 0
          ? ([["GPU time", format.time(Math.round(sums.gpu)), launched(sums)]] as [string, string, string][])
          : []),
        ...(own && own.kernels > 0 && own.kernels !== sums.kernels
          ? ([["exclusive GPU time", format.time(Math.round(own.gpu)), launched(own)]] as [string, string, string][])
          : []),
        ...(node
          ? ([["Share", format.share(node.inclusive, total)]] as [string, string][])
          : ([["Regions", format.digits(nodes.length)]] as [string, string][])),
        ...(node && sums.runs > 0
          ? ([["Instances", format.digits(sums.runs), `${format.time(Math.round(sums.cpu))} on the CPU`]] as [string, string, string][])
          : []),
      ]),
      ...spanKernelSection(node?.members ?? (node ? [node] : roots), inSpan),
    ];
  }

  private roofline(node: Node | null): HTMLElement[] {
    const { tree } = this.store.state;
    return rooflineSection(tree, node, (chosen) =>
      this.store.update({ selected: chosen }, "selected"),
    );
  }

  private region(node: Node): HTMLElement[] {
    const { region } = node;
    const { tree } = this.store.state;
    const path = region.path.map(format.visible);
    const { inclusive, exclusive } = region;
    return [
      h("p", { class: "path" }, path.slice(0, -1).map((p) => `${p} / `).join("")),
      h("h2", {}, path[path.length - 1] ?? "(unattributed)"),
      this.facts(region),
      ...(region.summary?.reason
        ? [h("p", { class: "muted" }, format.visible(region.summary.reason))]
        : []),
      ...causeOf(region),
      ...(region.times ? wallBar(wallParts([region.times], true)) : []),
      tiles([
        ...measuredTiles(region, tree.scope.totals.gpu_time_ns ?? 0),
        ...tracedTiles(region),
        ...(region.times ? timesTiles(region.times) : []),
      ]),
      ...membersSection(region),
      ...tracedSection(region, tree.scope),
      ...imbalanceSection(this.report, region),
      ...(region.times
        ? [h("h3", {}, "Time"), ...timesSection(region.times)]
        : []),
      ...this.findings(region.findings ?? []),
      ...this.legend(inclusive),
      ...kernelSection(node, this.store.state.columns),
      ...besideSection(region),
      ...overTimeSection(region),
      ...checksOfRegion(this.report, region),
      ...this.measured(region),
      ...this.sections(sectionsOf(this.report, region, shownOf(region, false))),
      ...this.roofline(node),
      ...this.metrics(inclusive, exclusive),
    ];
  }

  private facts(region: Region): HTMLElement {
    const words = [
      region.path.length === 0
        ? "launched outside all ranges"
        : (region.kind ?? "").replace("_", "/").replace("push/pop", "push/pop range"),
      region.domain ? `domain ${format.visible(region.domain)}` : "",
      typeof region.instances === "number" && region.path.length > 0
        ? `${region.instances} instance${region.instances === 1 ? "" : "s"}`
        : "",
      region.times?.unclosed
        ? `${format.digits(region.times.unclosed)} never closed: their wall time is unknown`
        : "",
    ];
    return h("p", { class: "muted" }, words.filter(Boolean).join(" · "));
  }

  private findings(findings: Row[]): HTMLElement[] {
    if (findings.length === 0) return [];
    return [
      h("h3", {}, `Findings (${findings.length})`),
      h("ul", { class: "findings" }, ...findings.slice(0, 50).map(finding)),
      ...(findings.length > 50
        ? [h("p", { class: "muted" }, `${findings.length - 50} more are in report.json.`)]
        : []),
    ];
  }

  private measured(region: Region): HTMLElement[] {
    const measured = region.measured ?? [];
    if (measured.length === 0) return [];
    return [
      h("h3", {}, "Measured as a whole"),
      h("p", { class: "muted" }, "Measured over the whole range, gaps and concurrency included. Never added to the sum of the kernels."),
      ...measured.map((whole, i) => {
        const ns = whole.gpu_time_ns;
        return h(
          "details",
          { open: i === 0 && whole === wholeOf(region) },
          h(
            "summary",
            {},
            format.visible(whole.mode),
            ns ? `: ${format.time(ns)}` : null,
          ),
          metricTable(metricsOf(whole), null, `Metrics, ${whole.mode}`),
        );
      }),
    ];
  }

  private metrics(of: Held, own: Held | null): HTMLElement[] {
    const inclusive = metricsOf(of);
    const exclusive = own && metricsOf(own);
    const count = Object.keys(inclusive).length;
    if (count === 0) return [];
    const place = h("div", {});
    const draw = () => {
      const keep = (metrics: Metrics) =>
        Object.fromEntries(
          Object.entries(metrics).filter(([name]) =>
            name.toLowerCase().includes(this.metricFilter),
          ),
        );
      fill(place, metricTable(keep(inclusive), exclusive, "Metrics"));
    };
    draw();
    return [
      h(
        "h3",
        {},
        `Metrics (${count})`,
        count > 12
          ? h("input", {
              type: "search",
              placeholder: "Filter metrics",
              "aria-label": "Filter metrics",
              value: this.metricFilter,
              oninput: (event: Event) => {
                const input = event.target as HTMLInputElement;
                this.metricFilter = input.value.trim().toLowerCase();
                draw();
              },
            })
          : null,
      ),
      place,
    ];
  }

  // The meaning of ±, unless the table of regions has estimates and explains it.
  private legend(of: Held): HTMLElement[] {
    return showsEstimates(this.store.state) || !anyEstimates(of) ? [] : [legend()];
  }

  private sections(sections: Record<string, Row[]>): HTMLElement[] {
    const names = Object.keys(sections).filter((n) => sections[n]?.length);
    if (names.length === 0) return [];
    return [
      h("h3", {}, `Sections (${names.length})`),
      ...names.map((name, i) =>
        h(
          "details",
          { open: i === 0 },
          h("summary", {}, name),
          sectionTable(sections[name] ?? [], name),
        ),
      ),
    ];
  }
}

// The outermost regions together.
function allOf(roots: Node[]): Inside {
  const all: Inside = { runs: 0, cpu: 0, kernels: 0, gpu: 0 };
  for (const { inside } of roots) {
    all.kernels += inside?.kernels ?? 0;
    all.gpu += inside?.gpu ?? 0;
  }
  return all;
}

function measuredTiles(
  region: Region,
  total: number,
): [string, string, string?][] {
  const whole = wholeOf(region);
  if (whole) {
    const count = region.measured?.length ?? 0;
    return [[
      "As a whole",
      format.time(whole.gpu_time_ns),
      [format.visible(whole.mode), count > 1 ? `first of ${count}` : ""].filter(Boolean).join(", "),
    ]];
  }
  if (region.inclusive.kernel_count === 0) return [];
  const tile = (label: string, ns: number | null): [string, string, string] => [
    label,
    format.time(ns),
    format.share(ns ?? 0, total),
  ];
  return [
    tile("GPU time", region.inclusive.gpu_time_ns),
    tile("exclusive GPU time", region.exclusive.gpu_time_ns),
    [
      "Kernels",
      format.digits(region.inclusive.kernel_count),
      `${format.digits(region.exclusive.kernel_count)} exclusive`,
    ],
  ];
}

function finding(row: Row): HTMLElement {
  const text = (key: string) => format.visible(String(row[key] || " ")).trim();
  const number = (key: string) =>
    typeof row[key] === "number" ? row[key] : undefined;
  const share = number("time_share");
  const speedup = number("speedup_percent");
  const worth = [
    share === undefined ? "" : `${(100 * share).toFixed(0)} % of the region's time`,
    number("kernels") === undefined ? "" : `${number("kernels")} kernel${number("kernels") === 1 ? "" : "s"}`,
    speedup === undefined
      ? ""
      : `estimated speedup ${format.quantity(speedup, "%")} (${text("speedup_type") || "local"})`,
    text("section"),
    text("rule"),
  ];
  return h(
    "li",
    {},
    text("kind") ? h("span", { class: "kind" }, text("kind")) : null,
    h("strong", {}, text("title") || text("name") || "finding"),
    text("text") ? h("p", {}, markup(text("text"))) : null,
    h("p", { class: "muted" }, worth.filter(Boolean).join(" · ")),
  );
}

// Replaces the links in NVIDIA's texts by their labels: @section:ID:Label@,
// @url:Label:address@, and the same with `source` and `metric`.
export function markup(text: string): string {
  return text
    .replace(/@section:[^:@]*:([^@]*)@/g, "$1")
    .replace(/@url:([^@]*?):\s*https?:[^@]*@/g, "$1")
    .replace(/@(source|metric):[^:@]*:([^@]*)@/g, "$2");
}
