// The state of the page. Views read it, and `update` tells them of changes. The
// reader's choices are kept in the address, so that a link or a reload shows
// the same.

import type { Basis, Layout, Node, Query, Sort, Tree } from "./model.ts";
import type { Span } from "./sample_tracks.ts";

export interface State {
  tree: Tree; // of the span, where one is chosen
  whole: Tree;
  scopeIndex: number;
  basis: Basis; // wanted of the chart and the shares
  selected: Node | null; // null: all regions together
  query: Query;
  columns: string[]; // metrics shown in the tree and in kernel tables
  hidden: string[]; // columns of the tree that are not shown, by ColumnId
  color: string; // the wanted colouring, see colors.ts
  counter: string; // wanted in the timeline, see sample_tracks.ts
  zoom: Node | null; // of the chart
  span: Span | null; // of the timeline, to which all tables keep
  tab: Tab;
  record: number | null; // of the rank that is selected, its place in ranks.records
}

export type Tab = "regions" | "ranks";

// The address of all regions together.
export const everything = "all";

export type Part = "scope" | "selected" | "rows" | "columns" | "zoom" | "color" | "counter" | "tab";

export interface Store {
  state: State;
  update(change: Partial<State>, part: Part): void;
}

export interface Address {
  scope?: string;
  region?: string;
  name?: string;
  basis?: Basis;
  columns?: string[];
  hidden?: string[];
  layout?: Layout;
  sort?: Sort;
  color?: string;
  counter?: string;
  span?: Span;
  tab?: Tab;
  record?: number;
}

const listOf = (text: string | null) =>
  text === null ? undefined : text.split(",").filter(Boolean);

// "inclusive", "-metric:dram__bytes.sum": falling with a minus.
function sortOf(text: string | null): Sort | undefined {
  const [, down, key, metric] = /^(-?)([a-z]+)(?::(.+))?$/.exec(text ?? "") ?? [];
  return key ? { key: key as Sort["key"], metric, down: down === "-" } : undefined;
}
const sortText = ({ key, metric, down }: Sort) =>
  `${down ? "-" : ""}${key}${metric ? `:${metric}` : ""}`;

function spanOf(text: string | null): Span | undefined {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(text ?? "") ?? [];
  return Number(from) < Number(to) ? { from: Number(from), to: Number(to) } : undefined;
}

const basisOf = (text: string | null): Basis | undefined =>
  text === "traced" || text === "measured" ? text : undefined;

export function readAddress(): Address {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const get = (name: string) => parameters.get(name);
  const layout = get("layout");
  return {
    scope: get("scope") ?? undefined,
    region: get("region") ?? undefined,
    name: get("name") ?? undefined,
    basis: basisOf(get("by")),
    columns: listOf(get("columns")),
    hidden: listOf(get("hide")),
    layout: layout === "flat" || layout === "names" ? layout : undefined,
    sort: sortOf(get("sort")),
    color: get("color") ?? undefined,
    counter: get("counter") ?? undefined,
    span: spanOf(get("span")),
    tab: get("tab") === "ranks" ? "ranks" : undefined,
    record: /^\d+$/.test(get("record") ?? "") ? Number(get("record")) : undefined,
  };
}

// `usual`: the defaults, which the address leaves out.
export function writeAddress(state: State, usual: { columns: string[] }): void {
  const parameters = new URLSearchParams();
  const { query, columns, hidden, span } = state;
  if (state.scopeIndex > 0) parameters.set("scope", state.tree.scope.scope);
  if (state.basis !== "wall") parameters.set("by", state.basis);
  if (state.selected?.members) {
    parameters.set("name", state.selected.label);
  } else {
    const id = state.selected?.region.id;
    parameters.set("region", id === undefined ? everything : String(id));
  }
  if (query.layout !== "tree" && !(query.layout === "names" && state.selected?.members)) {
    parameters.set("layout", query.layout);
  }
  if (sortText(query.sort) !== sortText(firstSort(query.layout))) {
    parameters.set("sort", sortText(query.sort));
  }
  if (columns.join() !== usual.columns.join()) parameters.set("columns", columns.join());
  if (hidden.length > 0) parameters.set("hide", hidden.join());
  if (state.counter !== "") parameters.set("counter", state.counter);
  if (state.color !== "") parameters.set("color", state.color);
  if (state.tab === "ranks") parameters.set("tab", "ranks");
  if (state.tab === "ranks" && state.record !== null) parameters.set("record", String(state.record));
  if (span) parameters.set("span", `${Math.round(span.from)}-${Math.round(span.to)}`);
  try {
    history.replaceState(null, "", `#${parameters.toString()}`);
  } catch {
    // Some browsers refuse this for local files: then it is not kept.
  }
}

// How a layout is sorted at first.
export function firstSort(layout: Layout): Sort {
  if (layout === "tree") return { key: "order", down: false };
  return { key: layout === "flat" ? "exclusive" : "inclusive", down: true };
}
