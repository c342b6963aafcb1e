// The timeline: the GPUs' counters as far as they were sampled, ranges by thread,
// kernels by stream, and where each GPU was busy. Wheel, keys and buttons zoom;
// dragging selects the span of all tables. A track draws at most one box
// a pixel.

import type { Coloring } from "./colors.ts";
import { fill, h } from "./dom.ts";
import * as format from "./format.ts";
import type { Node } from "./model.ts";
import {
  choicesOf,
  firstBehind,
  linesOf,
  meanIn,
  nameOf,
  pixelsOf,
  pointAt,
  topOf,
  tracksIn,
  type SampleLine,
  type SampleTrack,
  type Span,
} from "./sample_tracks.ts";
import type { Store } from "./state.ts";
import { onAppearance } from "./theme.ts";
import {
  busyByPixel,
  busyIn,
  busyOf,
  lanesOf,
  shifted,
  ticksOf,
  zoomed,
  type Busy,
  type Lane,
  type Timeline,
  type Track,
} from "./timeline.ts";

const labelWidth = 132; // px
const trackHeight = 15;
const gap = 5;
const counterHeight = 40;
const axisHeight = 20;
const mostLanes = 200;

// A line of the picture: a counter, a lane's tracks, or where a device was busy.
interface Line {
  label: string;
  top: number;
  height: number;
  lane?: Lane;
  busy?: Busy;
  counter?: { track: SampleTrack; line: SampleLine };
}

// Samples may go on for long after the program's last range and kernel.
function workEnd({ lanes, end }: Timeline): number {
  let last = 0;
  for (const { tracks } of lanes) {
    for (const track of tracks) last = Math.max(last, track.end[track.end.length - 1] ?? 0);
  }
  return last > 0 ? Math.min(end, last * 1.01) : end;
}

export class TimelineView {
  readonly element: HTMLElement;
  private readonly axis = h("canvas", { class: "axis", height: axisHeight });
  private readonly canvas = h("canvas", { class: "lanes" });
  private readonly status = h("span", { class: "muted", role: "status" });
  private readonly tip = h("div", { class: "tip", hidden: true });
  private readonly box: HTMLElement;
  private readonly clear = h("button", { onclick: () => this.setSpan(null) }, "Clear selection");
  private lines: Line[] = [];
  private readonly whole: Span; // to the end of the work
  private view: Span;
  private dragged: Span | null = null;
  private dragFrom: { x: number; view: Span; pan: boolean } | null = null;
  private waiting = false;
  private paints = new Map<string, string>();

  constructor(
    private readonly timeline: Timeline,
    private readonly store: Store,
    private readonly coloring: () => Coloring,
    private readonly setSpan: (span: Span | null) => void,
  ) {
    this.whole = { from: 0, to: workEnd(timeline) };
    this.view = this.whole;
    this.box = h(
      "div",
      {
        class: "timeline-box",
        tabindex: 0,
        role: "group",
        "aria-label":
          "Timeline: plus and minus zoom, left and right move, B limits the tables to the view, Escape clears",
        onkeydown: (event: KeyboardEvent) => this.onKey(event),
        onpointerdown: (event: PointerEvent) => this.onDown(event),
        onpointermove: (event: PointerEvent) => this.onMove(event),
        onpointerup: (event: PointerEvent) => this.onUp(event),
        onpointerleave: () => (this.tip.hidden = true),
        ondblclick: (event: MouseEvent) => this.onDouble(event),
      },
      this.axis,
      this.canvas,
    );
    this.box.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    const button = (label: string, title: string, onclick: () => void) =>
      h("button", { title, "aria-label": title, onclick }, label);
    this.element = h(
      "section",
      { class: "panel timeline", "aria-label": "Timeline" },
      h(
        "div",
        { class: "toolbar" },
        h("h2", {}, "Timeline"),
        h(
          "span",
          { class: "segmented" },
          button("+", "Zoom in", () => this.zoom(0.5)),
          button("−", "Zoom out", () => this.zoom(2)),
          button("All", "The whole run", () => this.show(this.whole)),
        ),
        h("button", { title: "Limit the tables to the visible time (or drag over the timeline)", onclick: () => this.setSpan(this.view) }, "Limit tables to view"),
        this.counterChoice(),
        this.clear,
        this.status,
      ),
      this.box,
      this.tip,
      this.explained(),
      this.joined(),
    );
    onAppearance(this.box, () => this.draw());
  }

  // After a change of scope, span, colours or selection.
  draw(): void {
    const { span } = this.store.state;
    this.clear.hidden = span === null;
    this.layout();
    this.paints = new Map();
    this.soon();
  }

  // ---- Contents ----

  private explained(): HTMLElement | null {
    const { samples } = this.timeline;
    if (samples.length === 0) return null;
    const most = samples.some((track) => track.each > 1) ? "; dark: mean, light: largest sample" : "";
    return h("p", { class: "muted estimates-legend" }, `Counters of the whole device, blank where it was not sampled${most}.`);
  }

  private joined(): HTMLElement | null {
    const { joined, stands } = this.timeline;
    if (joined === 0) return null;
    return h(
      "p",
      { class: "muted" },
      `Short neighbouring intervals are joined: ${format.digits(stands)} intervals are drawn as ${format.digits(joined)}.`,
    );
  }

  private counterChoice(): HTMLElement | null {
    const { samples } = this.timeline;
    if (samples.length === 0) return null;
    const { counter } = this.store.state;
    return h(
      "label",
      { title: "GPU counters over time, whole device" },
      "Counters ",
      h(
        "select",
        {
          onchange: (event: Event) =>
            this.store.update({ counter: (event.target as HTMLSelectElement).value }, "counter"),
        },
        ...choicesOf(samples).map(([value, label]) =>
          h("option", { value, selected: value === counter }, label),
        ),
      ),
    );
  }

  private layout(): void {
    const { whole, counter } = this.store.state;
    const lanes = lanesOf(this.timeline, whole.scope);
    const several = new Set(lanes.map((lane) => lane.process)).size > 1;
    this.lines = [];
    let top = gap;
    const add = (line: Omit<Line, "top">) => {
      this.lines.push({ ...line, top });
      top += line.height + gap;
    };
    const tracks = tracksIn(this.timeline.samples, whole.scope);
    for (const track of tracks) {
      const owner = several ? `${track.rank === undefined ? `process ${track.process}` : `rank ${track.rank}`} ` : "";
      const of = tracks.length > 1 ? `${owner}GPU ${track.device} ` : "";
      for (const line of linesOf(track, counter)) {
        add({ label: of + nameOf(line.name), height: counterHeight, counter: { track, line } });
      }
    }
    let device = "";
    for (const lane of lanes.slice(0, mostLanes)) {
      const owner = several ? `${lane.rank === undefined ? `process ${lane.process}` : `rank ${lane.rank}`} ` : "";
      const here = `${lane.process} ${lane.device}`;
      if (lane.thread === undefined && here !== device) {
        device = here;
        const streams = lanes.filter((l) => l.thread === undefined && `${l.process} ${l.device}` === here);
        add({ label: `${owner}GPU ${lane.device} busy`, height: 10, busy: busyOf(streams) });
      }
      add({
        label: owner + (lane.copies ? "copies" : lane.kernels ? `stream ${lane.stream}` : `thread ${lane.thread}`),
        height: Math.max(1, lane.tracks.length) * trackHeight,
        lane,
      });
    }
    this.canvas.height = Math.max(1, top);
    this.element.hidden = this.lines.length === 0;
  }

  // ---- Drawing ----

  private soon(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  private get width(): number {
    return Math.max(1, this.canvas.width - labelWidth);
  }
  private x(ns: number): number {
    return labelWidth + ((ns - this.view.from) / (this.view.to - this.view.from || 1)) * this.width;
  }
  private ns(x: number): number {
    return this.view.from + ((x - labelWidth) / this.width) * (this.view.to - this.view.from);
  }

  private paint(): void {
    const width = Math.floor(this.box.clientWidth);
    if (width === 0) return;
    this.canvas.width = this.axis.width = width;
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    this.paintAxis();
    const coloring = this.coloring();
    for (const line of this.lines) this.paintLine(pen, line, coloring);
    this.paintSpan(pen);
    this.say();
  }

  private css(name: string): string {
    let value = this.paints.get(name);
    if (value === undefined) {
      value = getComputedStyle(this.element).getPropertyValue(name).trim();
      this.paints.set(name, value);
    }
    return value;
  }

  private paintAxis(): void {
    const pen = this.axis.getContext("2d");
    if (!pen) return;
    pen.clearRect(0, 0, this.axis.width, axisHeight);
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = this.css("--muted");
    for (const tick of ticksOf(this.view, this.width / 110)) {
      const x = this.x(tick);
      pen.fillRect(x, axisHeight - 5, 1, 5);
      const text = format.time(Math.round(tick));
      if (x + 3 + pen.measureText(text).width <= this.axis.width) pen.fillText(text, x + 3, axisHeight - 6);
    }
  }

  private paintLine(pen: CanvasRenderingContext2D, line: Line, coloring: Coloring): void {
    pen.fillStyle = this.css("--muted");
    pen.fillText(line.label, 4, line.top + Math.min(line.height, trackHeight) / 2, labelWidth - 8);
    if (line.counter) {
      this.paintCounter(pen, line, line.counter);
      return;
    }
    if (line.busy) {
      this.paintBusy(pen, line, line.busy);
      return;
    }
    const { lane, top } = line;
    for (const [i, track] of (lane?.tracks ?? []).entries()) {
      this.paintTrack(pen, lane!, track, top + i * trackHeight, coloring);
    }
  }

  // An area of the mean, behind it the largest; nothing where nothing was sampled.
  private paintCounter(pen: CanvasRenderingContext2D, { top, height }: Line, { track, line }: NonNullable<Line["counter"]>): void {
    const most = topOf(line);
    pen.fillText(`up to ${most === 100 && line.unit === "%" ? "100 %" : format.quantity(most, line.unit)}`, 4, top + 1.5 * trackHeight, labelWidth - 8);
    const width = Math.floor(this.width);
    const { mean, max } = pixelsOf(track, line, this.view, width);
    const bottom = top + height;
    const columns = (values: Float64Array, color: string) => {
      pen.fillStyle = this.css(color);
      values.forEach((value, x) => {
        if (Number.isNaN(value)) return;
        const tall = Math.max(value > 0 ? 0.5 : 0, Math.min(1, value / most) * height);
        pen.fillRect(labelWidth + x, bottom - tall, 1, tall);
      });
    };
    pen.fillStyle = this.css("--hover");
    mean.forEach((value, x) => {
      if (!Number.isNaN(value)) pen.fillRect(labelWidth + x, top, 1, height);
    });
    columns(max, "--accent-soft");
    columns(mean, "--accent");
  }

  private paintBusy(pen: CanvasRenderingContext2D, line: Line, busy: Busy): void {
    pen.fillStyle = this.css("--hover");
    pen.fillRect(labelWidth, line.top, this.width, line.height);
    pen.fillStyle = this.css("--accent");
    busyByPixel(busy, this.view, Math.floor(this.width)).forEach((share, x) => {
      if (share === 0) return;
      // A little is still seen.
      pen.globalAlpha = Math.max(0.15, share);
      pen.fillRect(labelWidth + x, line.top, 1, line.height);
    });
    pen.globalAlpha = 1;
  }

  // One box a pixel at most: intervals that begin left of the last end are skipped
  // by a search, so a frame costs pixels, not intervals.
  private paintTrack(pen: CanvasRenderingContext2D, lane: Lane, track: Track, top: number, coloring: Coloring): void {
    const { whole, selected } = this.store.state;
    const chosen = new Set((selected?.members ?? [selected]).map((node) => node?.region.id));
    const perPixel = (this.view.to - this.view.from) / this.width;
    let i = firstBehind(track, this.view.from);
    while (i < track.start.length && track.start[i]! < this.view.to) {
      const item = track.item[i]!;
      const node = whole.byId.get(lane.spans.region[item]!);
      const left = Math.max(labelWidth, this.x(track.start[i]!));
      const right = Math.max(left + 1, Math.min(this.canvas.width, this.x(track.end[i]!)));
      pen.fillStyle = this.paintOf(lane.copies ? "wall-copies" : node ? coloring.classOf(node) : "color-none");
      const wide = right - left > 3;
      pen.fillRect(left, top, right - left - (wide ? 0.75 : 0), trackHeight - 2);
      if (node && chosen.has(node.region.id)) this.mark(pen, left, top, right - left);
      if (right - left > 30) this.write(pen, lane, item, node, left, right, top);
      if (wide) ++i;
      else i = Math.max(i + 1, firstBehind(track, this.view.from + (left + 1 - labelWidth) * perPixel));
    }
  }

  private mark(pen: CanvasRenderingContext2D, left: number, top: number, width: number): void {
    pen.fillStyle = this.css("--ink");
    pen.fillRect(left, top + trackHeight - 4, width, 2);
  }

  private write(pen: CanvasRenderingContext2D, lane: Lane, item: number, node: Node | undefined, left: number, right: number, top: number): void {
    const text = lane.thread === undefined
      ? format.visible(this.timeline.names[lane.spans.name[item]!] ?? "")
      : (node?.label ?? "");
    const fits = Math.floor((right - left - 6) / 5.8);
    pen.fillStyle = this.css("--on-color");
    pen.fillText(text.length > fits ? `${text.slice(0, Math.max(0, fits - 1))}…` : text, left + 3, top + (trackHeight - 2) / 2);
  }

  // The colour of a class, as the theme has it.
  private paintOf(className: string): string {
    let paint = this.paints.get(className);
    if (paint === undefined) {
      const probe = h("span", { class: className });
      this.element.append(probe);
      paint = getComputedStyle(probe).getPropertyValue("--fill").trim();
      probe.remove();
      this.paints.set(className, paint);
    }
    return paint;
  }

  private paintSpan(pen: CanvasRenderingContext2D): void {
    const span = this.dragged ?? this.store.state.span;
    if (!span) return;
    const left = Math.max(labelWidth, this.x(span.from));
    const right = Math.min(this.canvas.width, this.x(span.to));
    pen.fillStyle = this.css("--shade");
    pen.fillRect(labelWidth, 0, Math.max(0, left - labelWidth), this.canvas.height);
    pen.fillRect(right, 0, Math.max(0, this.canvas.width - right), this.canvas.height);
    pen.fillStyle = this.css("--accent");
    pen.fillRect(left, 0, 1.5, this.canvas.height);
    pen.fillRect(right - 1.5, 0, 1.5, this.canvas.height);
  }

  // The picture in words.
  private say(): void {
    const length = this.view.to - this.view.from;
    const parts = this.lines
      .filter((line) => line.busy)
      .slice(0, 4)
      .map((line) => {
        const busy = busyIn(line.busy!, this.view);
        return `${line.label} ${format.share(busy, length)}, idle ${format.time(Math.round(length - busy))}`;
      });
    const counted = this.lines
      .filter((line) => line.counter)
      .slice(0, 4)
      .map(({ label, counter }) => {
        const mean = meanIn(counter!.track, counter!.line, this.view);
        return `${label} ${Number.isNaN(mean) ? "not sampled" : `mean ${format.quantity(mean, counter!.line.unit)}`}`;
      });
    this.status.textContent = [`${format.time(Math.round(length))} in view`, ...parts, ...counted].join(" · ");
  }

  // ---- Pointer, wheel and keys ----

  private show(view: Span): void {
    this.view = view;
    this.soon();
  }
  private zoom(factor: number, around = (this.view.from + this.view.to) / 2): void {
    this.show(zoomed(this.view, this.timeline.end, factor, around));
  }
  private move(share: number): void {
    this.show(shifted(this.view, this.timeline.end, share * (this.view.to - this.view.from)));
  }

  private at(event: MouseEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private hit({ x, y }: { x: number; y: number }): { lane: Lane; item: number } | null {
    if (x < labelWidth) return null;
    const line = this.lines.find((l) => l.lane && y >= l.top && y < l.top + l.height);
    const track = line?.lane?.tracks[Math.floor((y - line.top) / trackHeight)];
    if (!track) return null;
    const i = firstBehind(track, this.ns(x - 1));
    const there = i < track.start.length && this.x(track.start[i]!) <= x + 1;
    return there ? { lane: line!.lane!, item: track.item[i]! } : null;
  }

  private onWheel(event: WheelEvent): void {
    const out = event.deltaY > 0;
    const all = this.view.to - this.view.from >= this.timeline.end;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.move(Math.sign(event.deltaX || event.deltaY) * 0.1);
    } else if (!(out && all)) {
      // Where nothing is left to zoom out of, the page scrolls.
      event.preventDefault();
      this.zoom(out ? 1.25 : 0.8, this.ns(Math.max(labelWidth, this.at(event).x)));
    }
  }

  private onDown(event: PointerEvent): void {
    const { x } = this.at(event);
    if (event.button !== 0 || x < labelWidth) return;
    this.box.setPointerCapture(event.pointerId);
    this.dragFrom = { x, view: this.view, pan: event.shiftKey };
  }

  private onMove(event: PointerEvent): void {
    const at = this.at(event);
    const from = this.dragFrom;
    if (!from) {
      this.point(event, at);
      return;
    }
    if (from.pan) {
      const perPixel = (from.view.to - from.view.from) / this.width;
      this.show(shifted(from.view, this.timeline.end, (from.x - at.x) * perPixel));
    } else if (Math.abs(at.x - from.x) > 4 || this.dragged) {
      const [a, b] = [this.ns(from.x), this.ns(Math.max(labelWidth, at.x))];
      this.dragged = {
        from: Math.max(0, Math.min(a, b)),
        to: Math.min(this.timeline.end, Math.max(a, b)),
      };
      this.soon();
    }
  }

  private onUp(event: PointerEvent): void {
    const from = this.dragFrom;
    const dragged = this.dragged;
    this.dragFrom = this.dragged = null;
    if (!from || from.pan) return;
    if (dragged) {
      this.setSpan(dragged);
      return;
    }
    const hit = this.hit(this.at(event));
    const node = hit && this.store.state.tree.byId.get(hit.lane.spans.region[hit.item]!);
    if (node) this.store.update({ selected: node }, "selected");
  }

  private onDouble(event: MouseEvent): void {
    const hit = this.hit(this.at(event));
    if (!hit) return;
    const { start, end } = hit.lane.spans;
    const length = Math.max(10, end[hit.item]! - start[hit.item]!);
    const around = { from: start[hit.item]! - 0.05 * length, to: end[hit.item]! + 0.05 * length };
    this.show(shifted(around, this.timeline.end, 0));
  }

  private point(event: PointerEvent, at: { x: number; y: number }): void {
    const hit = this.hit(at);
    const lines = hit ? this.tipLines(hit.lane, hit.item) : this.counterLines(at);
    this.tip.hidden = lines.length === 0;
    if (lines.length === 0) return;
    fill(this.tip, ...lines.map((line) => h("div", {}, line)));
    const room = innerWidth - event.clientX;
    this.tip.style.left = `${room > 380 ? event.clientX + 12 : Math.max(4, event.clientX - 372)}px`;
    this.tip.style.top = `${event.clientY + 14}px`;
  }

  // The value of a counter under the pointer.
  private counterLines({ x, y }: { x: number; y: number }): string[] {
    const line = this.lines.find((l) => l.counter && y >= l.top && y < l.top + l.height);
    if (!line?.counter || x < labelWidth) return [];
    const { track, line: of } = line.counter;
    const i = pointAt(track, this.ns(x));
    if (i < 0) return [`${line.label}: not sampled`, `at ${format.time(Math.round(this.ns(x)))}`];
    const [mean, max] = [of.mean[i]!, of.max[i]!];
    const length = track.end[i]! - track.start[i]!;
    return [
      of.name,
      Number.isNaN(mean) ? "no value" : format.quantity(mean, of.unit),
      ...(track.each > 1 && !Number.isNaN(max) ? [`at most ${format.quantity(max, of.unit)} in a sample`] : []),
      `over ${format.time(length)} from ${format.time(track.start[i])}`,
    ];
  }

  private tipLines({ spans, thread, copies }: Lane, item: number): string[] {
    const node = this.store.state.whole.byId.get(spans.region[item]!);
    const path = node?.region.path.map(format.visible).join(" / ") || (node?.label ?? (copies ? "(unattributed)" : "(hidden region)"));
    const count = spans.count[item]!;
    const length = spans.end[item]! - spans.start[item]!;
    const what = copies ? "copies and sets" : thread === undefined ? "kernels" : "instances";
    return [
      ...(thread === undefined ? [format.short(this.timeline.names[spans.name[item]!] ?? "")] : []),
      path,
      count > 1
        ? `${format.digits(count)} ${what}, ${format.time(spans.busy[item])} in ${format.time(length)}`
        : format.time(length),
      `at ${format.time(spans.start[item])}`,
    ];
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts: Record<string, () => void> = {
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      ArrowLeft: () => this.move(-0.2),
      ArrowRight: () => this.move(0.2),
      Home: () => this.show({ from: 0, to: this.timeline.end }),
      "0": () => this.show({ from: 0, to: this.timeline.end }),
      b: () => this.setSpan(this.view),
      Escape: () => this.setSpan(null),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}
