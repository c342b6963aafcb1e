// Estimates that were checked against exact counts of some instances, side by
// side: the user's own proof that they hold on this machine.

import { h } from "./dom.ts";
import * as format from "./format.ts";
import type { Check, Region, Report } from "./report.ts";
import { metricNames, table, type TableColumn } from "./tables.ts";

const checksOf = (report: Report) => report.capture?.check ?? [];


function agreement({ agrees }: Check): [string, string] {
  return agrees
    ? ["agree", "They differ by less than 1.96 standard errors of both"]
    : ["differ", "They differ by more than 1.96 standard errors of both"];
}

// By how much of the exact count the estimate is off.
const apart = ({ estimate, exact }: Check) => (exact === 0 ? null : (100 * (estimate - exact)) / exact);

function apartText(check: Check): string {
  const percent = apart(check);
  if (percent === null) return format.dash;
  if (Math.abs(percent) < 0.05) return "0.0 %";
  return `${percent > 0 ? "+" : ""}${percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0)} %`;
}

function columns(withRegion: boolean): TableColumn<Check>[] {
  const region: TableColumn<Check> = {
    label: "Region",
    text: (check) => format.visible(check.region),
    tooltip: (check) => format.visible(check.region),
    className: () => "clip wide",
    sort: (check) => check.region,
  };
  return [
    ...(withRegion ? [region] : []),
    metricNames(({ metric }) => metric),
    {
      label: "Estimate",
      number: true,
      text: ({ estimate, standard_error, unit }) => format.estimate(estimate, standard_error, unit ?? ""),
      tooltip: ({ instances }) => `The estimated total by ${format.digits(instances)} instances`,
      sort: ({ estimate }) => estimate,
    },
    {
      label: "Exact",
      number: true,
      text: ({ exact, exact_standard_error, unit }) => format.estimate(exact, exact_standard_error, unit ?? ""),
      tooltip: ({ counted }) => `The mean of ${format.digits(counted)} counted instances`,
      sort: ({ exact }) => exact,
    },
    { label: "Apart", number: true, text: apartText, sort: (check) => Math.abs(apart(check) ?? 0) },
    {
      label: "They",
      text: (check) => agreement(check)[0],
      tooltip: (check) => agreement(check)[1],
      className: ({ agrees }) => (agrees ? "nowrap" : "differs nowrap"),
      sort: (check) => agreement(check)[0],
    },
  ];
}

function section(checks: Check[], withRegion: boolean): HTMLElement[] {
  if (checks.length === 0) return [];
  const agree = checks.filter(({ agrees }) => agrees).length;
  return [
    h("h3", {}, "Estimates against exact counts", h("small", {}, `${agree} of ${checks.length} agree`)),
    h(
      "p",
      { class: "muted" },
      "Of one instance, ± one standard error. A counted instance begins and ends with an idle GPU: cycles, and traffic that depends on the contents of the caches, may differ.",
    ),
    table(checks, columns(withRegion), { caption: "Estimates against exact counts", cap: 50 }),
  ];
}

export const allChecks = (report: Report) => section(checksOf(report), true);

export const checksOfRegion = (report: Report, { path }: Region) =>
  section(checksOf(report).filter(({ region }) => region === path.join("/")), false);
