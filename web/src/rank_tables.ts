// The tables of the ranks' tab: the ranks of a job, and the regions of a rank.

import { h } from "./dom.ts";
import * as format from "./format.ts";
import type { Item, Job, Quantity } from "./rank_model.ts";
import type { JobRegion } from "./report.ts";
import { table, type TableColumn } from "./tables.ts";

const cap = 50; // rows before "show more"

const whole = "the whole run";

export function regionName(region: JobRegion | undefined): string {
  if (!region) return format.dash;
  const last = region.path[region.path.length - 1];
  return last === undefined ? whole : format.short(last);
}

export const regionTitle = (region: JobRegion): string =>
  region.path.length === 0 ? whole : region.path.map(format.visible).join(" › ");

export function valueText({ unit }: Quantity, value: number | null): string {
  return value === null ? format.dash : format.quantity(value, unit);
}

// "+12.1 %", of a region's whole time where it is a time.
export function differenceText(part: number | null): string {
  if (part === null) return format.dash;
  const percent = 100 * part;
  if (Math.abs(percent) < 0.05) return "±0 %";
  return `${percent > 0 ? "+" : "−"}${Math.abs(percent).toFixed(1)} %`;
}

function numberColumn<T>(
  quantity: Quantity,
  value: (row: T) => number | null,
  tooltip: (row: T) => string,
): TableColumn<T> {
  return {
    label: quantity.label,
    title: quantity.title,
    number: true,
    text: (row) => valueText(quantity, value(row)),
    tooltip,
    sort: (row) => value(row) ?? -Infinity,
  };
}

const shownFirst = (job: Job, shown: Quantity) => [shown, ...job.known().filter(({ key }) => key !== shown.key)];

// Why a number is not there.
function absence(job: Job, record: number): string {
  if (!job.has(record)) return "this rank's numbers are not on the page: too many ranks";
  return "the rank has no such region, or the value was not measured";
}

export interface RanksTableOptions {
  shown: Quantity; // stands first
  place: number; // of the region whose numbers they are
  choose: (record: number) => void;
  open: (group: number) => void;
}

export function ranksTable(job: Job, items: Item[], { shown, place, choose, open }: RanksTableOptions): HTMLElement {
  const { records, trees } = job.block;
  const row = (item: Item) => records[item.record]!;
  const several = (of: (item: Item) => string) => new Set(items.map(of)).size > 1;
  const hostOf = (item: Item) => format.visible(row(item).host);
  const devicesOf = (item: Item) => row(item).devices.map(format.visible).join(", ");
  const notesOf = (item: Item) => (row(item).notes ?? []).map(format.visible).join("; ");
  const columns: TableColumn<Item>[] = [
    {
      label: "Rank",
      text: (item) => (item.stands > 1 ? `${format.digits(item.stands)} like ${job.number(item.record)}` : job.number(item.record)),
      tooltip: (item) => job.who(item.record),
      onclick: (item) => choose(item.record),
      element: (item) =>
        item.stands > 1
          ? h("button", { class: "twist", title: "Show each", "aria-label": "Show each of them", onclick: () => open(item.group) }, "▸")
          : null,
      className: () => "nowrap",
      sort: (item) => row(item).rank ?? item.record,
    },
  ];
  const words = (label: string, text: (item: Item) => string) => {
    if (several(text)) columns.push({ label, text, tooltip: text, className: () => "clip", sort: text });
  };
  words("Host", hostOf);
  words("Devices", devicesOf);
  if (trees.length > 1) {
    columns.push({
      label: "Role",
      title: "Ranks with the same region tree have the same role",
      number: true,
      text: (item) => String(row(item).tree + 1),
      tooltip: (item) => `${trees[row(item).tree]?.regions ?? 0} regions, in ${trees[row(item).tree]?.ranks ?? 0} ranks`,
      sort: (item) => row(item).tree,
    });
  }
  for (const quantity of shownFirst(job, shown)) {
    const value = (item: Item) => job.of(quantity, item.record, place);
    columns.push(
      numberColumn(quantity, value, (item) =>
        value(item) === null
          ? absence(job, item.record)
          : `${value(item)} ${quantity.unit}, ${differenceText(job.difference(quantity, item.record, place))} from the median`,
      ),
    );
  }
  words("Notes", notesOf);
  return table(items, columns, { caption: "All ranks", cap });
}

// The regions of one rank.
export function regionsOfRank(job: Job, record: number, shown: Quantity): HTMLElement {
  const places = job.regions
    .map((_, place) => place)
    .filter((place) => job.of(shown, record, place) !== null);
  const columns: TableColumn<number>[] = [
    {
      label: "Region",
      text: (place) => regionName(job.regions[place]),
      tooltip: (place) => regionTitle(job.regions[place]!),
      element: (place) => indent(job.regions[place]!.path.length),
      className: () => "clip wide",
    },
    {
      label: "Difference to the median",
      title: `${shown.label}: difference to the median rank, relative to the region's time`,
      number: true,
      text: (place) => differenceText(job.difference(shown, record, place)),
      sort: (place) => job.difference(shown, record, place) ?? -Infinity,
    },
  ];
  for (const quantity of shownFirst(job, shown)) {
    columns.push(
      numberColumn(
        quantity,
        (place) => job.of(quantity, record, place),
        (place) => `median ${valueText(quantity, job.median(quantity, place))}`,
      ),
    );
  }
  return table(places, columns, { caption: "Regions of the rank", cap: 40 });
}

function indent(depth: number): HTMLElement | null {
  if (depth === 0) return null;
  const space = h("span", { class: "indent" });
  space.style.width = `${12 * Math.min(depth, 20)}px`;
  return space;
}
