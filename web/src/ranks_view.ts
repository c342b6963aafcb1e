// The tab of a job's ranks: who is late, a heat map of ranks × regions, a table
// of ranks, and the regions of the one that is selected.

import { fill, h } from "./dom.ts";
import * as format from "./format.ts";
import { HeatMap, type HeatCell, type Meaning } from "./rank_heat.ts";
import { isPartOfTime, quantities, type Item, type Job, type Quantity } from "./rank_model.ts";
import type { RanksBlock } from "./report.ts";
import { differenceText, ranksTable, regionName, regionsOfRank, regionTitle, valueText } from "./rank_tables.ts";

const joinedFrom = 32; // ranks that are not shown one by one at first
const mostSentences = 5;

// Who is late, a sentence each; a click leads to the tab.
export function lateSentences(block: RanksBlock, show: (record: number | null, region: number) => void): HTMLElement {
  const sentences = [
    ...block.late.filter(({ said_by }) => said_by === undefined).map(({ text, record, region }) => ({ text, record, region })),
    ...block.slow_network.map(({ text, records, region }) => ({ text, record: records?.[0] ?? null, region })),
  ];
  const more = sentences.length - mostSentences;
  return h(
    "ul",
    { class: "headline late", "aria-label": "Late ranks", hidden: sentences.length === 0 },
    ...sentences
      .slice(0, mostSentences)
      .map(({ text, record, region }) =>
        h("li", {}, h("strong", {}, format.visible(text)), h("button", { class: "crumb", onclick: () => show(record, region) }, "show")),
      ),
    more > 0 ? h("li", { class: "muted" }, `${format.digits(more)} more in report.json`) : null,
  );
}

// The part of the time in which the worst late rank is most unlike the others;
// of nobody late, compute: who waits has the GPU as long as whom it waits for.
export function firstQuantity(job: Job): Quantity {
  const known = job.known();
  const late = job.block.late.find(({ said_by }) => said_by === undefined);
  const place = late ? job.regions.findIndex(({ id }) => id === late.region) : -1;
  const parts = known.filter((quantity) => isPartOfTime(quantity) && !together.includes(quantity.key));
  const more = (quantity: Quantity) => (late && place >= 0 ? (job.difference(quantity, late.record, place) ?? 0) : 0);
  const worst = parts.reduce<Quantity | null>((most, one) => (more(one) > (most ? more(most) : 0) ? one : most), null);
  return worst ?? known.find(({ key }) => key === "compute_ns") ?? known[0] ?? quantities[0]!;
}
// Sums of other parts, and time that the other ranks spend because of a late
// one.
const together = ["gpu_ns", "wall_ns", "waiting_ns"];

type Order = "rank" | "group" | "value";

export interface RanksPlace {
  // Shows the regions of a rank in the other tab; null: it has none there.
  treeOf: (record: number) => (() => void) | null;
  selected: (record: number | null) => void;
}

export class RanksView {
  readonly element = h("section", { class: "panel ranks", "aria-label": "Ranks" });
  private readonly toolbar = h("div", { class: "toolbar" });
  private readonly legend = h("p", { class: "legend" });
  private readonly status = h("p", { class: "muted", role: "status" });
  private readonly table = h("div", {});
  private readonly detail = h("section", { class: "rank-detail", "aria-label": "One rank" });
  private readonly heat: HeatMap;
  private quantity: Quantity;
  private meaning: Meaning = "median";
  private order: Order = "rank";
  private joined: boolean;
  private readonly opened = new Set<number>();
  private selected: { record: number; place: number } | null = null;

  constructor(
    private readonly job: Job,
    private readonly place: RanksPlace,
    record: number | null,
  ) {
    this.quantity = firstQuantity(job);
    this.joined = job.canJoin() && job.block.records.length > joinedFrom;
    this.heat = new HeatMap(
      (at) => regionName(job.regions[at]),
      (cell) => this.describe(cell),
      ({ item, place: at }) => this.select({ record: item.record, place: at }),
      (text) => (this.status.textContent = text),
    );
    fill(
      this.element,
      this.toolbar,
      ...(job.hasNumbers ? [this.legend, this.heat.element, this.status] : []),
      this.leftOut(),
      this.detail,
      h("h3", {}, "All ranks"),
      this.table,
      this.clocks(),
      this.notes(),
    );
    this.drawToolbar();
    if (record !== null && job.block.records[record]) this.selected = { record, place: 0 };
    this.draw();
  }

  // Of the tab, or null: none.
  select(selected: { record: number; place: number } | null): void {
    this.selected = selected;
    this.place.selected(selected?.record ?? null);
    this.draw();
  }

  // A region by its id.
  show(record: number | null, region: number): void {
    const place = Math.max(0, this.job.regions.findIndex(({ id }) => id === region));
    this.select(record === null ? null : { record, place });
  }

  // ---- Contents ----

  private items(): Item[] {
    const { job, order, quantity } = this;
    const items = job.items(this.joined, this.opened);
    if (order === "group") return items.sort((a, b) => a.group - b.group || a.record - b.record);
    if (order === "rank") return items;
    const at = this.selected?.place ?? 0;
    const value = ({ record }: Item) => job.of(quantity, record, at) ?? -Infinity;
    return items.sort((a, b) => value(b) - value(a) || a.record - b.record);
  }

  private describe({ item, place }: HeatCell): string {
    const { job, quantity } = this;
    const region = job.regions[place]!;
    const who = item.stands > 1 ? `${format.digits(item.stands)} ranks like ${job.who(item.record)}` : job.who(item.record);
    const value = job.of(quantity, item.record, place);
    const lines = [`${who}: ${regionTitle(region)}`];
    if (value === null) {
      lines.push(`${quantity.label} ${format.dash}: the rank has no such region, or it was not measured`);
    } else {
      lines.push(`${quantity.label} ${valueText(quantity, value)}, median ${valueText(quantity, job.median(quantity, place))}`);
      const part = differenceText(job.difference(quantity, item.record, place));
      lines.push(`${part} of ${isPartOfTime(quantity) ? "the region's time" : "the median"}`);
    }
    return lines.join("\n");
  }

  private leftOut(): HTMLElement | null {
    const { regions_left_out: regions, records_left_out: records } = this.job.block.matrix;
    const parts = [
      records > 0 ? `${format.digits(records)} ranks similar to shown ranks` : "",
      regions > 0 ? `${format.digits(regions)} regions with less time` : "",
    ].filter(Boolean);
    if (parts.length === 0) return null;
    return h("p", { class: "muted" }, `Not in the map: ${parts.join(", and ")}.`);
  }

  private clocks(): HTMLElement | null {
    const { clocks } = this.job.block;
    if (clocks.length < 2) return null;
    const worst = Math.max(...clocks.map(({ residual_ns }) => residual_ns));
    return h(
      "p",
      { class: "muted" },
      `Clocks of ${format.digits(clocks.length)} hosts aligned by the ends of collectives, within ${format.time(worst)}.`,
    );
  }

  private notes(): HTMLElement | null {
    const { notes } = this.job.block;
    if (notes.length === 0) return null;
    return h("ul", { class: "muted" }, ...notes.map((note) => h("li", {}, format.visible(note))));
  }

  // ---- Drawing ----

  private choice<T extends string>(label: string, value: T, options: [T, string][], set: (value: T) => void): HTMLElement {
    return h(
      "label",
      {},
      label,
      h(
        "select",
        {
          onchange: (event: Event) => {
            set((event.target as HTMLSelectElement).value as T);
            this.draw();
          },
        },
        ...options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)),
      ),
    );
  }

  private drawToolbar(): void {
    const { job } = this;
    const { count, world } = job.block;
    const joined = h("input", {
      type: "checkbox",
      checked: this.joined,
      onchange: (event: Event) => {
        this.joined = (event.target as HTMLInputElement).checked;
        this.opened.clear();
        this.draw();
      },
    });
    const of = world !== null && world !== count ? ` of ${format.digits(world)}` : "";
    fill(
      this.toolbar,
      h("h2", {}, `${format.digits(count)}${of} ranks`),
      this.choice("Show ", this.quantity.key, [...job.known(), ...job.metrics].map(({ key, label }) => [key, label]), (key) => {
        this.quantity = [...quantities, ...job.metrics].find((quantity) => quantity.key === key) ?? this.quantity;
      }),
      this.choice<Meaning>("as ", this.meaning, [["median", "difference to the median rank"], ["most", "share of the region's largest"]], (meaning) => (this.meaning = meaning)),
      this.choice<Order>("in order of ", this.order, [["rank", "rank"], ["group", "similarity"], ["value", "value, largest first"]], (order) => (this.order = order)),
      job.canJoin() ? h("label", { title: "Show ranks with the same tree and similar times as one" }, joined, ` Join similar ranks (${format.digits(job.block.groups.length)} groups)`) : null,
    );
  }

  private drawLegend(): void {
    const { quantity, meaning } = this;
    const swatch = (name: string, text: string) =>
      h("span", { class: "legend-item" }, h("span", { class: `swatch heat-${name}` }), text);
    if (meaning === "most") {
      fill(this.legend, swatch("mid", "zero"), swatch("high", "largest in its region"), " blank: no such region in the rank");
      return;
    }
    const range = (100 * this.heat.range).toFixed(this.heat.range < 0.1 ? 1 : 0);
    const of = isPartOfTime(quantity) ? " of the region's time" : "";
    fill(
      this.legend,
      swatch("low", `−${range} %`),
      swatch("mid", "as the median rank"),
      swatch("high", `+${range} %${of}`),
      " blank: no such region in the rank, or not measured",
    );
  }

  private draw(): void {
    const { job, quantity, meaning, selected } = this;
    const items = this.items();
    if (job.hasNumbers) {
      this.heat.draw({ job, items, quantity, meaning, selected });
      this.drawLegend();
    }
    fill(
      this.table,
      h("p", { class: "muted" }, `Values of ${regionTitle(job.regions[selected?.place ?? 0]!)}, inner regions included.`),
      ranksTable(job, items, {
        shown: quantity,
        place: selected?.place ?? 0,
        choose: (record) => this.select({ record, place: selected?.place ?? 0 }),
        open: (group) => {
          this.opened.add(group);
          this.draw();
        },
      }),
    );
    this.drawDetail();
  }

  private drawDetail(): void {
    const { job, selected, quantity } = this;
    this.detail.hidden = selected === null;
    if (!selected) return;
    const { record } = selected;
    const row = job.block.records[record]!;
    const group = job.block.groups[job.group(record)];
    const facts = [
      row.host ? `host ${format.visible(row.host)}` : "",
      `process ${row.pid}`,
      row.devices.map(format.visible).join(", "),
      group && group.records.length > 1 ? `${format.digits(group.records.length - 1)} similar ranks` : "no similar rank",
      ...(row.notes ?? []).map(format.visible),
    ];
    const tree = this.place.treeOf(record);
    fill(
      this.detail,
      h(
        "h3",
        {},
        format.visible(job.who(record).replace(/^./, (letter) => letter.toUpperCase())),
        tree ? h("button", { onclick: tree }, "Its region tree") : null,
        h("button", { "aria-label": "Close", title: "Close", onclick: () => this.select(null) }, "×"),
      ),
      h("p", { class: "muted" }, facts.filter(Boolean).join(" · ")),
      job.has(record)
        ? regionsOfRank(job, record, quantity)
        : h("p", { class: "muted" }, "This rank's numbers are not on the page: it has the ranks that stand out, and one of each group."),
    );
  }
}
