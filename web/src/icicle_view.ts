// The regions as an icicle: outer above inner, each as wide as its share of the
// GPU time. The table beside it is its equivalent for the keyboard.

import { fill, h } from "./dom.ts";
import * as format from "./format.ts";
import {
  basesOf,
  layoutIcicle,
  type Basis,
  type Node,
} from "./model.ts";
import { coloringsOf, type Coloring } from "./colors.ts";
import type { Store } from "./state.ts";

const rowHeight = 22; // px
const mostBlocks = 4000;

const choicesOf = (bases: Basis[]): [Basis, string, string][] => [
  ["wall", "Wall time", "From opening to closing, on the clock"],
  ["traced", "Baseline", "GPU time of all launches of the baseline run (without replay)"],
  bases.includes("traced")
    ? ["measured", "Measured", "Kernels with counters, timed under replay"]
    : ["measured", "GPU time", "All kernels"],
];

// The parts of the chart that differ between the two pages.
export interface ChartSetup {
  title: string;
  tooltip: (node: Node) => string;
}

export class IcicleView {
  readonly element: HTMLElement;
  private readonly chart = h("div", { class: "icicle" });
  private readonly crumbs = h("span", { class: "crumbs" });
  private readonly title = h("h2", {});
  private readonly legend = h("div", { class: "legend" });

  private readonly bases = h("span", {
    class: "segmented",
    role: "group",
    "aria-label": "Time of",
  });

  constructor(
    private readonly store: Store,
    private readonly coloring: () => Coloring,
    private readonly chooseBasis: (basis: Basis) => void,
    private readonly setup?: ChartSetup,
  ) {
    this.element = h(
      "section",
      { class: "panel icicle-panel", "aria-label": "Chart" },
      h("div", { class: "toolbar" }, this.title, this.bases, this.crumbs),
      h("div", { class: "icicle-scroll" }, this.chart),
      this.legend,
    );
    new ResizeObserver(() => this.draw()).observe(this.chart);
  }

  draw(): void {
    const { tree, zoom, selected } = this.store.state;
    // Ranges measured as a whole add up to nothing that could be drawn.
    this.element.hidden = tree.total === 0;
    this.title.textContent = this.setup?.title ?? {
      wall: "Wall time by region",
      measured: "GPU time by region",
      traced: "GPU time by region, baseline run",
      kernels: "Kernels by region (no GPU times)",
      span: "Time by region, in the span",
    }[tree.basis];
    this.drawLegend();
    this.drawBases();
    this.drawCrumbs();

    // Of a name, all its regions.
    const chosen = new Set<Node | null>(selected?.members ?? [selected]);
    const width = this.chart.clientWidth;
    if (width === 0) return;
    const coloring = this.coloring();
    let blocks = layoutIcicle(tree, zoom, 1.5 / width);
    if (blocks.length > mostBlocks) {
      blocks = blocks
        .sort((a, b) => b.width - a.width)
        .slice(0, mostBlocks);
    }
    // Not by spreading: that has a limit on arguments.
    const depth = blocks.reduce((most, b) => Math.max(most, b.row + 1), 0);
    this.chart.style.height = `${Math.max(1, depth) * rowHeight}px`;
    fill(
      this.chart,
      ...blocks.map(({ node, row, left, width: share }) => {
        const block = h(
          "div",
          {
            class: `block ${coloring.classOf(node)}${chosen.has(node) ? " selected" : ""}`,
            title: (this.setup ?? this).tooltip(node),
            onclick: () => this.store.update({ selected: node }, "selected"),
            ondblclick: () => this.store.update({ zoom: node }, "zoom"),
          },
          share * width > 28 ? node.label : null,
        );
        block.style.left = `${left * 100}%`;
        block.style.width = `${share * 100}%`;
        block.style.top = `${row * rowHeight}px`;
        return block;
      }),
      blocks.length === 0
        ? h("div", { class: "empty" }, "Nothing was measured here.")
        : null,
    );
  }

  // The legend of the colours, here, in the tree and in the timeline.
  private drawLegend(): void {
    const { key, legend } = this.coloring();
    fill(
      this.legend,
      this.setup ? null : this.colorChoice(key),
      ...legend.map(({ label, className }) =>
        h(
          "span",
          { class: "legend-item" },
          className ? h("span", { class: `swatch ${className}` }) : null,
          label,
        ),
      ),
    );
  }

  private colorChoice(key: string): HTMLElement {
    const { whole, columns } = this.store.state;
    return h(
      "label",
      {},
      "Colour: ",
      h(
        "select",
        {
          onchange: (event: Event) =>
            this.store.update({ color: (event.target as HTMLSelectElement).value }, "color"),
        },
        ...coloringsOf(whole, columns).map(([value, label]) =>
          h("option", { value, selected: value === key }, label),
        ),
      ),
    );
  }

  // Which run's time the chart and the shares are of, where there are two.
  private drawBases(): void {
    const { tree } = this.store.state;
    const bases = basesOf(tree.scope);
    const focused = [...this.bases.children].indexOf(
      document.activeElement as Element,
    );
    const button = (basis: Basis, label: string, title: string) =>
      h(
        "button",
        {
          title,
          "aria-pressed": String(tree.basis === basis),
          onclick: () => this.chooseBasis(basis),
        },
        label,
      );
    fill(
      this.bases,
      ...(bases.length > 1 && tree.basis !== "span"
        ? [
            ...choicesOf(bases)
              .filter(([basis]) => bases.includes(basis))
              .map(([basis, label, title]) => button(basis, label, title)),
          ]
        : []),
    );
    (this.bases.children[focused] as HTMLElement | undefined)?.focus();
  }

  tooltip(node: Node): string {
    const { tree } = this.store.state;
    const size = (value: number) =>
      tree.timed ? format.time(value) : `${value} kernels`;
    return [
      node.region.path.map(format.visible).join(" / ") || node.label,
      `${size(node.inclusive)} (${format.share(node.inclusive, tree.total)})`,
      `exclusive: ${size(node.exclusive)}`,
      ...(tree.basis === "span" || node.region.inclusive.kernel_count === 0
        ? []
        : [`${node.region.inclusive.kernel_count} kernels`]),
      ...(node.region.cause ? [node.region.cause.title] : node.region.verdict ? [node.region.verdict] : []),
      ...(node.children.length ? ["double-click to zoom"] : []),
    ].join("\n");
  }

  private drawCrumbs(): void {
    const { zoom, selected } = this.store.state;
    const path: Node[] = [];
    for (let node = zoom; node; node = node.parent) path.unshift(node);
    const crumb = (label: string, node: Node | null) =>
      h(
        "button",
        {
          class: "crumb",
          onclick: () => this.store.update({ zoom: node }, "zoom"),
        },
        label,
      );
    fill(
      this.crumbs,
      zoom ? crumb("all", null) : null,
      ...path.flatMap((node) => [" › ", crumb(node.label, node)]),
      selected && selected !== zoom && selected.children.length
        ? h(
            "button",
            {
              class: "crumb",
              onclick: () => this.store.update({ zoom: selected }, "zoom"),
            },
            `zoom to ${selected.label}`,
          )
        : null,
    );
  }
}
