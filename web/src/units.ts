// Facts from the names of a framework: the GPU time of each phase, and the cost
// of a unit of work. The terminal and Markdown have the same two tables.

import { fill, h } from "./dom.ts";
import * as format from "./format.ts";
import { isUnattributed, type Node, type Tree } from "./model.ts";
import type { Phase, Stated, UnitCosts } from "./report.ts";
import type { Store } from "./state.ts";
import { numbers, table, type TableColumn } from "./tables.ts";

interface CostRow {
  node: Node;
  metric: string;
  cost: string;
  mean: string;
  per: string;
}

// "generated_tokens": "generated token".
function unitName(key: string): string {
  if (key === "batch") return "sequence of the batch";
  if (key === "generation_requests") return "generating request";
  return key.replace(/_/g, " ").replace(/s$/, "");
}

const amount = (value: number) => String(Number(value.toPrecision(4)));

// A row for an instance without any unit, and one for each unit; where costs are
// no straight line of a unit, the mean at its values.
export function costRows(node: Node, costs: UnitCosts): CostRow[] {
  const metric = costs.metric === "gpu_time_ns" ? "GPU time" : costs.metric;
  const stated = ({ value, standard_error }: Stated) => format.estimate(value, standard_error, costs.unit);
  const mean = (value: number | undefined) => (value === undefined ? "" : format.quantity(value, costs.unit));
  const row = (cost: string, of: number | undefined, per: string): CostRow => ({ node, metric, cost, mean: mean(of), per });
  if (!costs.per_instance) {
    return (costs.bins ?? []).map((bin) =>
      row("", bin.mean, `instance with ${amount(bin.units)} × ${unitName(costs.bends ?? "")}`),
    );
  }
  return [
    row(stated(costs.per_instance), costs.mean, "instance"),
    ...costs.costs.map((cost) => {
      const units = [cost.unit, ...(cost.same ?? [])].map(unitName).join(" = ");
      return row(stated(cost), cost.mean, `${units}, ${amount(cost.from)} to ${amount(cost.to)}`);
    }),
  ];
}

const phaseColumns: TableColumn<Phase>[] = [
  { label: "Phase", text: ({ phase }) => (phase ? format.visible(phase) : "(none)"), sort: ({ phase }) => phase ?? "" },
  numbers("GPU time", (one) => one.gpu_time_ns, format.time),
  numbers("Share", (one) => one.share, (share) => format.share(share, 1)),
  numbers("Launches", (one) => one.kernel_count, format.digits),
];

const costColumns = (store: Store): TableColumn<CostRow>[] => [
  {
    label: "Region",
    text: ({ node }) => node.label,
    tooltip: ({ node }) => node.region.path.map(format.visible).join(" / "),
    className: () => "clip wide",
    onclick: ({ node }) => store.update({ selected: node }, "selected"),
  },
  { label: "Cost of", text: ({ metric }) => metric, breaks: true },
  { label: "Cost", number: true, text: ({ cost }) => cost },
  { label: "Mean of all", number: true, text: ({ mean }) => mean },
  { label: "Per", text: ({ per }) => per },
];

export function unitsPanel(store: Store): { element: HTMLElement; draw: (tree: Tree) => void } {
  const element = h("section", { class: "panel wall units", "aria-label": "Phases and costs per unit" });
  return {
    element,
    draw: ({ scope, nodes }) => {
      // One phase says no more than its regions.
      const phases = (scope.phases ?? []).filter(({ phase }) => phase).length > 1 ? (scope.phases ?? []) : [];
      const costs = nodes
        .filter(({ region }) => !isUnattributed(region))
        .flatMap((node) => (node.region.units ?? []).flatMap((one) => costRows(node, one)));
      element.hidden = phases.length === 0 && costs.length === 0;
      fill(
        element,
        ...(phases.length > 0 ? [h("h2", {}, "Phases"), table(phases, phaseColumns, { caption: "Phases", cap: 8 })] : []),
        ...(costs.length > 0
          ? [
              h("h2", {}, "Costs per unit", h("small", {}, "by regression over instances; ± one standard error")),
              table(costs, costColumns(store), { caption: "Costs per unit", cap: 12 }),
            ]
          : []),
      );
    },
  };
}
