// The metrics that a report has packed: most of them, by metric, in one block
// (docs/report-json.md). It is unpacked once, behind the page that is already
// shown; a cell is made where it is looked at, so that a report of millions of
// them takes the memory of its numbers alone.

import { canUnpack, unzip } from "./packing.ts";
import type { Amounts, Cell, Metrics, Region, Report, Row } from "./report.ts";

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

// Names are a program's: some may be those that every object has.
function ownOf<T>(of: Record<string, T>, name: string): T | undefined {
  return Object.prototype.hasOwnProperty.call(of, name) ? of[name] : undefined;
}

const ofDevice = (name: string) => name.startsWith("device__attribute_");

export class Columns {
  constructor(
    private readonly block: Block,
    private readonly units: Report["metrics"],
  ) {}

  // In the report's order. What the device is, the totals alone say.
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

// Whatever has metrics: in place, and in the columns once they are unpacked.
export interface Held {
  metrics?: Metrics;
  packed?: { columns: Columns; list: number; device: boolean };
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

// ---- What regions refer to --------------------------------------------------

// The rows of a region's sections: in place, or as the report lists them for
// all regions, with the values of `held`.
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

export function findingsOf(report: Report, region: Region): Row[] {
  return (region.findings ?? []).map((row) =>
    typeof row.finding === "number" ? { ...report.findings?.[row.finding], ...row } : row,
  );
}

// ---- Unpacking --------------------------------------------------------------

// Gives every place of the report that has metrics those that are packed.
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
      region.kernels?.forEach((kernel, k) => hold(kernel, lists.kernels?.[at]?.[k]));
      region.measured?.forEach((whole, k) => hold(whole, lists.measured?.[at]?.[k]));
    }
    scope.by_name?.forEach((row, k) => hold(row.inclusive as Amounts, lists.by_name?.[k]));
  });
}

// Nothing where all is well; else why the packed metrics are not there.
// Short names stand once for all regions.
function nameKernels(report: Report): void {
  if (!report.short_names) return;
  const names = new Map(Object.entries(report.short_names));
  for (const scope of report.scopes) {
    for (const region of scope.regions) {
      for (const kernel of region.kernels ?? []) kernel.short_name ??= names.get(kernel.kernel_name);
    }
  }
}

export async function unpack(report: Report): Promise<string | null> {
  nameKernels(report);
  if (!report.columns) return null;
  const names = Object.values(report.metrics ?? {});
  const packed = names.filter((metric) => metric.cells === "columns").length;
  const missing = `${packed} of ${names.length} metrics are not shown`;
  if (!canUnpack()) {
    return `${missing}: they are packed, and this browser cannot unpack them (it has no DecompressionStream). Newer ones can; report.format.metrics=all writes all into report.json.`;
  }
  try {
    attach(report, JSON.parse(await unzip(report.columns)) as Block);
    return null;
  } catch (error) {
    return `${missing}: what the page has packed could not be read (${String(error)}).`;
  }
}
