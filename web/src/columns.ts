// The packed metrics of a report, by metric, in one block (docs/report-json.md).
// The block is unpacked once, after the page is shown. A cell is made when it is
// looked at, so that millions of cells take the memory of their numbers alone.

import { canUnpack, unzip } from "./packing.ts";
import { ownOf } from "./own.ts";
import type { Cell, Held, Metrics, PackedCells, Region, Report, Row } from "./report.ts";

type List = number | null;

interface BlockScope {
  same_as?: number; // another scope's place: it has the same lists
  totals?: List;
  regions?: number[]; // ids
  inclusive?: List[];
  exclusive?: List[];
  kernels?: List[][];
  measured?: List[][];
  by_name?: List[];
}

type Value = number | string | null;

interface Column {
  value: Value | Value[];
  spread?: Record<string, [number, number]>; // smallest and largest, by list
  interval?: Record<string, [number, number, number]>; // of estimates, by list
  form: number | number[] | string; // a name: as of that metric
}

interface Block {
  scopes: BlockScope[];
  metrics: Record<string, Column>;
  forms: Partial<Cell>[];
}

const ofDevice = (name: string) => name.startsWith("device__attribute_");

export class Columns implements PackedCells {
  constructor(
    private readonly block: Block,
    private readonly units: Report["metrics"],
  ) {}

  // In the report's order. Only the totals have attributes of the device.
  names(device: boolean): string[] {
    const all = this.units ? Object.keys(this.units) : Object.keys(this.block.metrics);
    return device ? all : all.filter((name) => !ofDevice(name));
  }

  cell(name: string, list: number): Cell | undefined {
    const { metrics, forms } = this.block;
    const column = ownOf(metrics, name);
    if (!column) return undefined;
    const { value, spread, interval } = column;
    const cell: Cell = {
      value: Array.isArray(value) ? value[list] : value,
      unit: this.units?.[name]?.unit,
      ...forms[this.form(column, list)],
    };
    const own = spread?.[list];
    if (own) [cell.min, cell.max] = own;
    const error = interval?.[list];
    if (error) [cell.standard_error, cell.low, cell.high] = error;
    return cell;
  }

  private form({ form }: Column, list: number): number {
    const own = typeof form === "string" ? this.block.metrics[form]?.form : form;
    return (Array.isArray(own) ? own[list] : Number(own)) ?? -1;
  }
}

export function cellOf(held: Held | undefined, name: string): Cell | undefined {
  const { metrics, packed } = held ?? {};
  const inPlace = ownOf(metrics ?? {}, name);
  if (inPlace) return inPlace;
  if (!packed || (!packed.device && ofDevice(name))) return undefined;
  return packed.columns.cell(name, packed.list);
}

export function namesOf({ metrics, packed }: Held): string[] {
  return packed ? packed.columns.names(packed.device) : Object.keys(metrics ?? {});
}

export function metricsOf(held: Held): Metrics {
  if (!held.packed) return held.metrics ?? {};
  const all: Metrics = {};
  for (const name of namesOf(held)) {
    const cell = cellOf(held, name);
    if (cell) all[name] = cell;
  }
  return all;
}

// The rows of a region's sections: those in place, or all rows that the report
// lists, with the values of `held`.
export function sectionsOf(
  report: Report,
  region: Region,
  held: Held,
): Record<string, Row[]> {
  const sections = region.sections ?? {};
  if (!report.sections || !held.packed) return sections;
  const filled: Record<string, Row[]> = {};
  for (const [name, inPlace] of Object.entries(sections)) {
    const rows = report.sections[name]?.rows;
    if (!rows) {
      filled[name] = inPlace;
      continue;
    }
    filled[name] = rows
      .map((row) => ({ ...row, ...cellOf(held, row.metric) }) as Row)
      .filter((row) => Number(row.measurements ?? 0) > 0);
  }
  return filled;
}

// ---- Unpacking --------------------------------------------------------------

// Attaches the packed metrics to every place of the report that has metrics.
function attach(report: Report, block: Block): void {
  const columns = new Columns(block, report.metrics);
  const hold = (held: Held | undefined, list: List | undefined, device = false) => {
    if (held && typeof list === "number") held.packed = { columns, list, device };
  };
  report.scopes.forEach((scope, i) => {
    const own = block.scopes[i];
    const lists = own?.same_as === undefined ? own : block.scopes[own.same_as];
    if (!lists) return;
    hold(scope.totals, lists.totals, true);
    const place = new Map(lists.regions?.map((id, at) => [id, at]));
    for (const region of scope.regions) {
      const at = place.get(region.id) ?? -1;
      hold(region.inclusive, lists.inclusive?.[at]);
      hold(region.exclusive, lists.exclusive?.[at]);
      for (const [k, kernel] of (region.kernels ?? []).entries()) hold(kernel, lists.kernels?.[at]?.[k]);
      for (const [k, whole] of (region.measured ?? []).entries()) hold(whole, lists.measured?.[at]?.[k]);
    }
    for (const [k, row] of (scope.by_name ?? []).entries()) hold(row.inclusive, lists.by_name?.[k]);
  });
}

// Null where all is well; else a sentence that says why the packed metrics are
// not there.
export async function unpack(report: Report): Promise<string | null> {
  if (!report.columns) return null;
  const names = Object.values(report.metrics ?? {});
  const packed = names.filter((metric) => metric.cells === "columns").length;
  const missing = `${packed} of ${names.length} metrics are not shown`;
  if (!canUnpack()) {
    return `${missing}: they are packed, and this browser cannot unpack them (it has no DecompressionStream). Newer browsers can; report.format.metrics=all packs none.`;
  }
  try {
    attach(report, JSON.parse(await unzip(report.columns)) as Block);
    return null;
  } catch (error) {
    return `${missing}: the packed metrics could not be read (${String(error)}).`;
  }
}
