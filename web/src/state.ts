// What the page shows at the moment. Views read it, and are told by `update`
// when something of it changed; the choice of scope and region is kept in the
// address, so that a link or a reload comes back to it.

import type { Basis, Node, Query, Tree } from "./model.ts";

export interface State {
  tree: Tree;
  scopeIndex: number;
  basis: Basis; // wanted of the chart and the shares
  selected: Node | null; // null: all regions together
  query: Query;
  columns: string[]; // metrics shown in the tree and in kernel tables
  zoom: Node | null; // of the chart
}

// The address of all regions together.
export const everything = "all";

export type Part = "scope" | "selected" | "rows" | "columns" | "zoom";

export interface Store {
  state: State;
  update(change: Partial<State>, part: Part): void;
}

export function readAddress(): {
  scope?: string;
  region?: string;
  name?: string;
  basis?: Basis;
} {
  const parameters = new URLSearchParams(location.hash.slice(1));
  return {
    scope: parameters.get("scope") ?? undefined,
    region: parameters.get("region") ?? undefined,
    name: parameters.get("name") ?? undefined,
    basis: parameters.get("by") === "undisturbed" ? "traced" : undefined,
  };
}

export function writeAddress(state: State): void {
  const parameters = new URLSearchParams();
  if (state.scopeIndex > 0) parameters.set("scope", state.tree.scope.scope);
  if (state.basis === "traced") parameters.set("by", "undisturbed");
  if (state.selected?.members) {
    parameters.set("name", state.selected.label);
  } else {
    const id = state.selected?.region.id;
    parameters.set("region", id === undefined ? everything : String(id));
  }
  try {
    history.replaceState(null, "", `#${parameters.toString()}`);
  } catch {
    // Some browsers refuse this for local files: then it is not kept.
  }
}
