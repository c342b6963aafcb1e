// When everything ran: the page's own block (docs/report-json.md), unpacked,
// laid out in tracks whose intervals do not overlap, and queried by
// span. The view draws it.

import { unzip, type Packed } from "./packing.ts";
import type { Scope } from "./report.ts";
import { firstBehind, tracksOf as sampleTracksOf, type PackedTrack, type SampleTrack, type Span } from "./sample_tracks.ts";

interface PackedLane {
  process: number;
  rank?: number;
  thread?: number;
  device?: number;
  context?: number;
  stream?: number;
  copies?: boolean; // copies and sets of a device
}

// Columns of one kind of interval. `row` is its place in `lane`, `region`
// and `name`; `start` counts from the start before.
interface PackedSpans {
  lane: number[];
  region: number[];
  name?: number[]; // of kernels
  row: number[];
  start: number[];
  length: number[];
  joined?: number[]; // which stand for several
  count?: number[];
  busy?: number[]; // their summed time
}

export interface TimelineBlock {
  schema: string;
  end_ns: number;
  lanes: PackedLane[];
  ranges: PackedSpans;
  kernels: PackedSpans;
  names: string[];
  samples?: PackedTrack[];
}

// Intervals that do not overlap, by start.
export interface Track {
  start: Float64Array;
  end: Float64Array;
  item: Int32Array; // into the lane's Spans
}

export interface Spans {
  start: Float64Array;
  end: Float64Array;
  region: Int32Array; // ids
  name: Int32Array; // into Timeline.names; -1: a range
  count: Float64Array;
  busy: Float64Array;
}

export interface Lane extends PackedLane {
  kernels: boolean; // of a stream, else ranges of a thread
  spans: Spans;
  tracks: Track[];
}

export interface Timeline {
  end: number; // ns; it begins at 0
  lanes: Lane[];
  names: string[];
  samples: SampleTrack[];
  intervals: number;
  joined: number; // of them, those that stand for several
  stands: number; // for how many
}

const mostTracks = 32;

// ---- Reading ----------------------------------------------------------------

export async function readTimeline(text: string): Promise<Timeline | null> {
  let packed: Packed | null = null;
  try {
    packed = JSON.parse(text) as Packed | null;
  } catch {
    return null; // the bare viewer
  }
  if (!packed) return null;
  const block = JSON.parse(await unzip(packed)) as TimelineBlock;
  return timelineOf(block);
}

export function timelineOf(block: TimelineBlock): Timeline {
  const timeline: Timeline = {
    end: block.end_ns,
    lanes: [],
    names: block.names,
    samples: sampleTracksOf(block.samples),
    intervals: 0,
    joined: 0,
    stands: 0,
  };
  const ranges = byLane(block.ranges, block.lanes.length);
  const kernels = byLane(block.kernels, block.lanes.length);
  block.lanes.forEach((lane, i) => {
    const of = lane.thread === undefined ? kernels : ranges;
    const spans = of[i]!;
    timeline.lanes.push({
      ...lane,
      kernels: of === kernels && !lane.copies,
      spans,
      tracks: tracksOf(spans),
    });
    timeline.intervals += spans.start.length;
    for (const count of spans.count) {
      if (count === 1) continue;
      timeline.joined += 1;
      timeline.stands += count;
    }
  });
  return timeline;
}

function emptySpans(count: number): Spans {
  return {
    start: new Float64Array(count),
    end: new Float64Array(count),
    region: new Int32Array(count),
    name: new Int32Array(count).fill(-1),
    count: new Float64Array(count).fill(1),
    busy: new Float64Array(count),
  };
}

function byLane(packed: PackedSpans, lanes: number): Spans[] {
  const sizes = new Array<number>(lanes).fill(0);
  for (const row of packed.row) sizes[packed.lane[row]!]! += 1;
  const made = sizes.map(emptySpans);
  const next = new Array<number>(lanes).fill(0);
  let at = 0;
  let joined = 0;
  packed.row.forEach((row, i) => {
    const lane = packed.lane[row]!;
    const spans = made[lane]!;
    const to = next[lane]!++;
    at += packed.start[i]!;
    spans.start[to] = at;
    spans.end[to] = at + packed.length[i]!;
    spans.region[to] = packed.region[row]!;
    spans.name[to] = packed.name?.[row] ?? -1;
    spans.busy[to] = packed.length[i]!;
    if (packed.joined?.[joined] === i) {
      spans.count[to] = packed.count![joined]!;
      spans.busy[to] = packed.busy![joined++]!;
    }
  });
  return made;
}

// Each interval in the first free track: nested intervals lie lower.
function tracksOf({ start, end }: Spans): Track[] {
  const order = Array.from(start.keys()).sort(
    (a, b) => start[a]! - start[b]! || end[b]! - end[a]! || a - b,
  );
  const until: number[] = [];
  const items: number[][] = [];
  for (const item of order) {
    let track = 0;
    while (track < until.length && until[track]! > start[item]!) ++track;
    if (track === mostTracks) track = mostTracks - 1;
    until[track] = Math.max(until[track] ?? 0, end[item]!);
    const own = items[track] ?? [];
    own.push(item);
    items[track] = own;
  }
  return items.map((list) => ({
    start: Float64Array.from(list, (item) => start[item]!),
    end: Float64Array.from(list, (item) => end[item]!),
    item: Int32Array.from(list),
  }));
}

// ---- Asking -----------------------------------------------------------------

// The lanes that a scope is of.
export function lanesOf({ lanes }: Timeline, { process, device }: Scope): Lane[] {
  if (typeof process !== "number") return lanes;
  return lanes.filter(
    (lane) =>
      lane.process === process &&
      (!lane.kernels || typeof device !== "number" || lane.device === device),
  );
}

// The work of one region, or of one of its kernels, in a span: everything that
// overlaps the span, with the part of its time that is inside.
export interface Inside {
  runs: number;
  cpu: number; // ns
  kernels: number;
  gpu: number; // ns
}

export interface InSpan {
  regions: Map<number, Inside>; // by id, its own
  kernels: Map<number, Map<string, Inside>>; // by id and name
}

const nothing = (): Inside => ({ runs: 0, cpu: 0, kernels: 0, gpu: 0 });

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

export function inSpan(timeline: Timeline, lanes: Lane[], span: Span): InSpan {
  const found: InSpan = { regions: new Map(), kernels: new Map() };
  for (const lane of lanes) {
    if (lane.copies) continue;
    for (const track of lane.tracks) {
      addTrack(timeline, lane, track, span, found);
    }
  }
  return found;
}

function addTrack(
  { names }: Timeline,
  { kernels, spans }: Lane,
  track: Track,
  { from, to }: Span,
  found: InSpan,
): void {
  for (let i = firstBehind(track, from); i < track.start.length; ++i) {
    if (track.start[i]! >= to) break;
    const item = track.item[i]!;
    const [start, end] = [spans.start[item]!, spans.end[item]!];
    const part = end > start ? (Math.min(end, to) - Math.max(start, from)) / (end - start) : 1;
    const count = spans.count[item]!;
    // Of several together the part that is likely inside, but not none.
    const inside = count === 1 ? 1 : Math.max(1, Math.round(count * part));
    const ns = spans.busy[item]! * part;
    const id = spans.region[item]!;
    const own = getOrMake(found.regions, id, nothing);
    if (!kernels) {
      own.runs += inside;
      own.cpu += ns;
      continue;
    }
    own.kernels += inside;
    own.gpu += ns;
    const name = names[spans.name[item]!] ?? "";
    const kernel = getOrMake(getOrMake(found.kernels, id, () => new Map<string, Inside>()), name, nothing);
    kernel.kernels += inside;
    kernel.gpu += ns;
  }
}

export interface Busy {
  start: number[];
  end: number[];
}

// Where anything ran on a device: the union of its streams' kernels.
export function busyOf(lanes: Lane[]): Busy {
  const all: [number, number][] = [];
  for (const { spans } of lanes) {
    for (let i = 0; i < spans.start.length; ++i) all.push([spans.start[i]!, spans.end[i]!]);
  }
  all.sort((a, b) => a[0] - b[0]);
  const busy: Busy = { start: [], end: [] };
  let last = -1;
  for (const [start, end] of all) {
    if (last >= 0 && start <= busy.end[last]!) {
      if (end > busy.end[last]!) busy.end[last] = end;
    } else {
      last = busy.start.push(start) - 1;
      busy.end.push(end);
    }
  }
  return busy;
}

// The part of each of `pixels` equal steps of the view that was busy, 0 to 1. One
// pass over the intervals in view.
export function busyByPixel({ start, end }: Busy, { from, to }: Span, pixels: number): Float64Array {
  const shares = new Float64Array(Math.max(0, pixels));
  const step = (to - from) / pixels;
  const known = { start, end } as unknown as Track;
  for (let i = firstBehind(known, from); i < start.length && start[i]! < to; ++i) {
    const [first, last] = [Math.max(start[i]!, from), Math.min(end[i]!, to)];
    for (let x = Math.floor((first - from) / step); x < pixels && from + x * step < last; ++x) {
      const left = from + x * step;
      shares[x]! += Math.max(0, Math.min(last, left + step) - Math.max(first, left)) / step;
    }
  }
  return shares.map((share) => Math.min(1, share));
}

// How long of a span something ran.
export function busyIn({ start, end }: Busy, { from, to }: Span): number {
  let sum = 0;
  for (let i = 0; i < start.length; ++i) {
    sum += Math.max(0, Math.min(end[i]!, to) - Math.max(start[i]!, from));
  }
  return sum;
}

// ---- Time on the screen -----------------------------------------------------

// A view onto the time that never leaves it, and is never thinner than 10 ns.
export function zoomed(view: Span, end: number, factor: number, around: number): Span {
  const length = Math.min(end, Math.max(Math.min(10, end), (view.to - view.from) * factor));
  const share = (around - view.from) / (view.to - view.from || 1);
  return shifted({ from: around - share * length, to: around + (1 - share) * length }, end, 0);
}

export function shifted({ from, to }: Span, end: number, by: number): Span {
  const length = Math.min(to - from, end);
  const start = Math.max(0, Math.min(end - length, from + by));
  return { from: start, to: start + length };
}

// Round times for the axis, at most `most` of them.
export function ticksOf({ from, to }: Span, most: number): number[] {
  const rough = (to - from) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-3)));
  const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= rough) ?? rough;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}
