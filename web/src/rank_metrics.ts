// Metrics of the ranks of a job, from the report's scopes: of their regions,
// where a rank is one scope. Several devices have no single value.

import { cellOf } from "./columns.ts";
import { metricNames, shownOf, type Tree } from "./model.ts";
import type { RankMetrics } from "./rank_model.ts";
import type { Amounts, RankRow, Region, Report, Scope } from "./report.ts";

const most = 200; // metrics to choose from

export const isOfRank = (scope: Scope, row: RankRow): boolean =>
  scope.scope !== "aggregate" &&
  (row.rank === null ? scope.process === row.pid : scope.rank === row.rank) &&
  (scope.host === undefined || scope.host === row.host);

export function rankMetrics(report: Report, tree: Tree): RankMetrics {
  const regions = new Map<RankRow, Map<string, Region> | null>();
  const totals = new Map<RankRow, Amounts>();
  const regionsOf = (row: RankRow) => {
    let known = regions.get(row);
    if (known === undefined) {
      const scopes = report.scopes.filter((scope) => isOfRank(scope, row));
      const only = scopes.length === 1 ? scopes[0]! : null;
      if (only) totals.set(row, only.totals);
      known = only && new Map(only.regions.map((region) => [JSON.stringify(region.path), region]));
      regions.set(row, known);
    }
    return known;
  };
  return {
    names: metricNames(tree)
      .slice(0, most)
      .map((name) => ({ name, unit: report.metrics?.[name]?.unit ?? "" })),
    of: (row, path, name) => {
      const known = regionsOf(row);
      if (!known) return null;
      const region = known.get(JSON.stringify(path));
      const held = path.length === 0 ? totals.get(row) : region && shownOf(region, false);
      const value = held && cellOf(held, name)?.value;
      return typeof value === "number" ? value : null;
    },
  };
}
