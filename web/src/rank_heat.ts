// Ranks × regions as a heat map: a row a region, a column a rank, or a group of
// ranks that behave alike. However many there are, it draws a box a pixel, and
// of ranks that share a pixel the one that is furthest from the others.

import { h } from "./dom.ts";
import type { Item, Job, Quantity } from "./rank_model.ts";
import { largest } from "./sample_tracks.ts";
import { onAppearance } from "./theme.ts";

const rowHeight = 18; // px
const headHeight = 18;
const widestColumn = 64;

// The meaning of colours.
export type Meaning = "median" | "most";

export interface HeatChoice {
  job: Job;
  items: Item[];
  quantity: Quantity;
  meaning: Meaning;
  selected: { record: number; place: number } | null;
}

export interface HeatCell {
  item: Item;
  place: number; // of the region
}

// Red, green, blue.
type Color = [number, number, number];

function colorOf(text: string): Color {
  const [, r, g, b] = /^#(..)(..)(..)$/.exec(text.trim()) ?? [];
  return [r, g, b].map((part) => parseInt(part ?? "80", 16)) as Color;
}

const between = (a: Color, b: Color, part: number): Color =>
  a.map((value, i) => Math.round(value + (b[i]! - value) * part)) as Color;

// The numbers of the picture by region, then item: -1 to 1 around the median, or
// 0 to 1; NaN where there is none.
export interface HeatNumbers {
  rows: number;
  columns: number;
  values: Float64Array;
  range: number; // the value of 1, as a share of the region's time
}

// Rows that are too short to matter do not set the range.
const leastOfRun = 0.01;

function rawOf({ job, items, quantity, meaning }: HeatChoice): Float64Array {
  const rows = job.regions.length;
  const raw = new Float64Array(rows * items.length);
  for (let place = 0; place < rows; ++place) {
    const row = raw.subarray(place * items.length, (place + 1) * items.length);
    items.forEach(({ record }, i) => {
      const value =
        meaning === "median"
          ? job.difference(quantity, record, place)
          : job.of(quantity, record, place);
      row[i] = value ?? NaN;
    });
    if (meaning === "median") continue;
    const most = largest(row);
    if (most > 0) for (let i = 0; i < row.length; ++i) row[i]! /= most;
  }
  return raw;
}

function rangeOf({ job, items, quantity, meaning }: HeatChoice, raw: Float64Array): number {
  if (meaning === "most") return 1;
  let range = 0.02;
  const whole = job.whole(quantity, 0) ?? 0;
  for (let place = 0; place < job.regions.length; ++place) {
    if ((job.whole(quantity, place) ?? 0) < leastOfRun * whole) continue;
    for (let i = 0; i < items.length; ++i) {
      const value = Math.abs(raw[place * items.length + i]!);
      if (value > range) range = value;
    }
  }
  return Math.min(1, range);
}

export function heatNumbers(choice: HeatChoice): HeatNumbers {
  const values = rawOf(choice);
  const range = rangeOf(choice, values);
  for (let i = 0; i < values.length; ++i) values[i]! /= range;
  return { rows: choice.job.regions.length, columns: choice.items.length, values, range };
}

// The same in fewer columns: of columns that share a pixel the value furthest from 0.
export function pooled(numbers: HeatNumbers, columns: number): HeatNumbers {
  if (columns >= numbers.columns) return numbers;
  const values = new Float64Array(numbers.rows * columns).fill(NaN);
  for (let row = 0; row < numbers.rows; ++row) {
    for (let i = 0; i < numbers.columns; ++i) {
      const value = numbers.values[row * numbers.columns + i]!;
      const at = row * columns + Math.floor((i * columns) / numbers.columns);
      const last = values[at]!;
      if (Number.isNaN(last) || Math.abs(value) > Math.abs(last)) values[at] = value;
    }
  }
  return { ...numbers, columns, values };
}

export class HeatMap {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { class: "heat" });
  private readonly tip = h("div", { class: "tip", hidden: true });
  private choice: HeatChoice | null = null;
  private numbers: HeatNumbers | null = null;
  private cursor = { column: 0, place: 0 };
  private waiting = false;
  private labelWidth = 220;
  private plotWidth = 1;

  constructor(
    private readonly name: (place: number) => string,
    private readonly describe: (cell: HeatCell) => string,
    private readonly choose: (cell: HeatCell) => void,
    private readonly say: (text: string) => void,
  ) {
    this.element = h(
      "div",
      {
        class: "heat-box",
        tabindex: 0,
        role: "group",
        "aria-label":
          "Heat map of ranks and regions: arrows move, Enter selects the rank; the table below has the numbers",
        onkeydown: (event: KeyboardEvent) => this.onKey(event),
        onpointermove: (event: PointerEvent) => this.onMove(event),
        onpointerleave: () => (this.tip.hidden = true),
        onclick: (event: MouseEvent) => this.onClick(event),
      },
      this.canvas,
      this.tip,
    );
    onAppearance(this.element, () => this.soon());
  }

  draw(choice: HeatChoice): void {
    this.choice = choice;
    this.numbers = heatNumbers(choice);
    this.cursor.column = Math.min(this.cursor.column, choice.items.length - 1);
    this.soon();
  }

  // The value of the strongest colour, as HeatNumbers has it.
  get range(): number {
    return this.numbers?.range ?? 0;
  }

  // ---- Drawing ----

  private soon(): void {
    if (this.waiting || !globalThis.requestAnimationFrame) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  private paint(): void {
    const { choice } = this;
    const width = Math.floor(this.element.clientWidth);
    if (!choice || width === 0) return;
    this.labelWidth = Math.min(240, Math.floor(width / 3));
    const room = width - this.labelWidth;
    this.plotWidth = Math.min(room, widestColumn * choice.items.length);
    this.canvas.width = width;
    this.canvas.height = headHeight + choice.job.regions.length * rowHeight;
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    const style = getComputedStyle(this.element);
    const css = (name: string) => style.getPropertyValue(name).trim();
    this.paintCells(pen, choice, css);
    this.paintLabels(pen, choice, css);
    this.paintMarks(pen, choice, css);
  }

  private paintCells(pen: CanvasRenderingContext2D, { meaning }: HeatChoice, css: (name: string) => string): void {
    const { columns, rows, values } = pooled(this.numbers!, this.plotWidth);
    const [low, mid, high] = ["--heat-low", "--heat-mid", "--heat-high"].map((name) => colorOf(css(name)));
    const picture = new ImageData(columns, rows);
    values.forEach((value, i) => {
      if (Number.isNaN(value)) return; // there is none: the page's own colour
      const part = Math.min(1, Math.abs(value));
      const color = between(mid!, value < 0 && meaning === "median" ? low! : high!, part);
      picture.data.set([...color, 255], 4 * i);
    });
    const small = document.createElement("canvas");
    small.width = columns;
    small.height = rows;
    small.getContext("2d")?.putImageData(picture, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(small, this.labelWidth, headHeight, this.plotWidth, rows * rowHeight);
    // A line between rows, and between columns that are wide enough.
    pen.fillStyle = css("--panel");
    for (let row = 0; row <= rows; ++row) {
      pen.fillRect(this.labelWidth, headHeight + row * rowHeight - 1, this.plotWidth, 1);
    }
    const each = this.plotWidth / columns;
    for (let i = 1; i < columns && each >= 4; ++i) {
      pen.fillRect(Math.round(this.labelWidth + i * each) - 1, headHeight, 1, rows * rowHeight);
    }
  }

  private paintLabels(pen: CanvasRenderingContext2D, { job, items, selected }: HeatChoice, css: (name: string) => string): void {
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    job.regions.forEach((region, place) => {
      const indent = 10 * Math.min(8, region.path.length);
      pen.fillStyle = css(selected?.place === place ? "--accent" : "--ink");
      const top = headHeight + place * rowHeight;
      pen.save();
      pen.beginPath();
      pen.rect(0, top, this.labelWidth - 6, rowHeight);
      pen.clip();
      pen.fillText(this.name(place), indent, top + rowHeight / 2);
      pen.restore();
    });
    pen.fillStyle = css("--muted");
    const each = this.plotWidth / items.length;
    let free = 0;
    items.forEach((item, i) => {
      const x = this.labelWidth + i * each;
      const rank = job.block.records[item.record]?.rank;
      const text = item.stands > 1 ? `×${item.stands}` : String(rank ?? "·");
      const wide = pen.measureText(text).width;
      if (x < free || x + wide > this.canvas.width) return;
      pen.fillText(text, x, headHeight / 2);
      free = x + wide + 10;
    });
  }

  private paintMarks(pen: CanvasRenderingContext2D, { items, selected, job }: HeatChoice, css: (name: string) => string): void {
    const each = this.plotWidth / items.length;
    const at = selected ? items.findIndex((item) => this.standsFor(item, selected.record, job)) : -1;
    if (at >= 0) {
      pen.strokeStyle = css("--ink");
      pen.lineWidth = 1.5;
      pen.strokeRect(this.labelWidth + at * each, headHeight, Math.max(2, each), job.regions.length * rowHeight - 1);
    }
    if (document.activeElement !== this.element) return;
    const { column, place } = this.cursor;
    pen.strokeStyle = css("--accent");
    pen.lineWidth = 2;
    pen.strokeRect(this.labelWidth + column * each - 1, headHeight + place * rowHeight, Math.max(4, each + 1), rowHeight - 1);
  }

  private standsFor(item: Item, record: number, job: Job): boolean {
    return item.record === record || (item.stands > 1 && job.group(record) === item.group);
  }

  // ---- Pointing ----

  private cellAt(event: MouseEvent): HeatCell | null {
    const { choice } = this;
    if (!choice) return null;
    const { left, top } = this.canvas.getBoundingClientRect();
    const place = Math.floor((event.clientY - top - headHeight) / rowHeight);
    if (place < 0 || place >= choice.job.regions.length) return null;
    const x = event.clientX - left - this.labelWidth;
    if (x < 0 || x >= this.plotWidth) return null;
    return this.strongest(Math.floor((x / this.plotWidth) * choice.items.length), place);
  }

  // Of ranks that share the pixel, the one that is drawn.
  private strongest(column: number, place: number): HeatCell {
    const { items } = this.choice!;
    const { values } = this.numbers!;
    const pixels = Math.min(items.length, this.plotWidth);
    const pixelOf = (i: number) => Math.floor((i * pixels) / items.length);
    let best = column;
    let first = column;
    while (first > 0 && pixelOf(first - 1) === pixelOf(column)) --first;
    for (let i = first; i < items.length && pixelOf(i) === pixelOf(column); ++i) {
      const size = (at: number) => Math.abs(values[place * items.length + at]!) || 0;
      if (size(i) > size(best)) best = i;
    }
    return { item: items[best]!, place };
  }

  private onMove(event: PointerEvent): void {
    const cell = this.cellAt(event);
    this.tip.hidden = cell === null;
    if (!cell) return;
    this.tip.textContent = this.describe(cell);
    this.tip.style.left = `${Math.min(event.clientX + 14, innerWidth - 300)}px`;
    this.tip.style.top = `${event.clientY + 14}px`;
  }

  private onClick(event: MouseEvent): void {
    const cell = this.cellAt(event);
    if (cell) this.choose(cell);
  }

  private onKey(event: KeyboardEvent): void {
    const { choice, cursor } = this;
    if (!choice) return;
    const last = { column: choice.items.length - 1, place: choice.job.regions.length - 1 };
    const moves: Record<string, () => void> = {
      ArrowLeft: () => (cursor.column = Math.max(0, cursor.column - 1)),
      ArrowRight: () => (cursor.column = Math.min(last.column, cursor.column + 1)),
      ArrowUp: () => (cursor.place = Math.max(0, cursor.place - 1)),
      ArrowDown: () => (cursor.place = Math.min(last.place, cursor.place + 1)),
      Home: () => (cursor.column = 0),
      End: () => (cursor.column = last.column),
    };
    const cell = { item: choice.items[cursor.column]!, place: cursor.place };
    if (event.key === "Enter") {
      event.preventDefault();
      this.choose(cell);
      return;
    }
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
    this.soon();
    this.say(this.describe({ item: choice.items[cursor.column]!, place: cursor.place }));
  }
}
