// A region's times from a trace, on the CPU and the GPU: figures, and a
// plot of its first instances, which shows repetition.

import { h, svg } from "./dom.ts";
import * as format from "./format.ts";
import type { Instance, Spread, Times } from "./report.ts";
import { numbers, table } from "./tables.ts";

export interface Bar {
  ordinal: number;
  cpu: number | null; // ns; null: never closed
  gpu: number | null; // ns
}

// The instances to plot, and the time that the plot is as high as.
export function barsOf(times: Times): { bars: Bar[]; most: number } {
  const { first } = times;
  const bars = (first?.gpu_ns ?? []).map((gpu, ordinal) => ({
    ordinal,
    cpu: first?.cpu_ns?.[ordinal] ?? null,
    gpu,
  }));
  const most = bars.reduce((m, b) => Math.max(m, b.gpu ?? 0, b.cpu ?? 0), 0);
  return { bars, most };
}

const height = 110;
const left = 64; // room for the axis' labels

// Two bars an instance: wide and light on the CPU, narrow and dark on the GPU.
function plot(times: Times): HTMLElement | null {
  const { bars, most } = barsOf(times);
  if (bars.length < 2 || !(most > 0)) return null;
  const step = Math.max(7, Math.min(24, 560 / bars.length));
  const width = left + step * bars.length + 4;
  const size = (ns: number) => (ns / most) * (height - 14);
  const drawn = bars.map((bar) => {
    const x = left + bar.ordinal * step;
    const part = (className: string, ns: number, from: number, wide: number) =>
      svg("rect", {
        class: className,
        x: x + from,
        y: height - size(ns),
        width: wide,
        height: Math.max(ns > 0 ? 1 : 0, size(ns)),
      });
    return svg(
      "g",
      {},
      svg("title", {}, `#${bar.ordinal}: ${format.time(bar.cpu)} on the CPU, ${format.time(bar.gpu)} of kernels`),
      part("bar-cpu", bar.cpu ?? 0, 0.5, step - 1),
      part("bar-gpu", bar.gpu ?? 0, step * 0.3, step * 0.4),
    );
  });
  const label = (text: string, y: number) =>
    svg("text", { x: left - 6, y, "text-anchor": "end" }, text);
  return h(
    "figure",
    { class: "instances" },
    h(
      "figcaption",
      {},
      h("span", { class: "key bar-cpu" }),
      "Wall time",
      h("span", { class: "key bar-gpu" }),
      "GPU, sum of kernels",
      h(
        "small",
        {},
        times.instances > bars.length
          ? `the first ${bars.length} of ${format.digits(times.instances)} instances`
          : `all ${bars.length} instances`,
      ),
    ),
    svg(
      "svg",
      {
        viewBox: `0 0 ${width} ${height + 16}`,
        width,
        role: "img",
        "aria-label": "Time of each instance",
      },
      label(format.time(most), 18),
      label("0", height),
      svg("line", { x1: left, y1: height, x2: width, y2: height }),
      ...drawn,
      svg("text", { x: left, y: height + 13 }, "#0"),
      svg(
        "text",
        { x: width - 4, y: height + 13, "text-anchor": "end" },
        `#${bars.length - 1}`,
      ),
    ) as unknown as HTMLElement,
  );
}

interface SpreadRow {
  what: string;
  spread: Spread;
}

// A line from least to most, with the median.
function spreadPlot({ what, spread }: SpreadRow, most: number): Element {
  const width = 70;
  const at = (ns: number) => 1 + (most > 0 ? ns / most : 0) * (width - 3);
  const { min, median, max } = spread;
  return svg(
    "svg",
    {
      class: "spread",
      viewBox: `0 0 ${width} 12`,
      width,
      height: 12,
      role: "img",
      "aria-label": `${what}: ${format.time(min)} to ${format.time(max)}, median ${format.time(median)}`,
    },
    svg("rect", { class: "bar-cpu", x: at(min), y: 4, width: Math.max(1, at(max) - at(min)), height: 4 }),
    svg("rect", { class: "bar-gpu", x: at(median) - 1, y: 1, width: 2, height: 10 }),
  );
}

function spreads(times: Times): HTMLElement {
  const rows: SpreadRow[] = [
    { what: "CPU", spread: times.cpu_ns },
    { what: "Kernels", spread: times.gpu_ns },
    { what: "GPU span", spread: times.gpu_span_ns },
    { what: "Without its work", spread: times.gpu_idle_ns },
    ...(times.gpu ? [{ what: "Launch to start", spread: times.gpu.latency_ns }] : []),
  ].filter((row) => (row.spread.instances ?? row.spread.kernels ?? 0) > 0);
  const most = rows.reduce((m, row) => Math.max(m, row.spread.max), 0);
  const spread = rows.some((row) => row.spread.max > row.spread.min);
  const time = (label: string, key: keyof Spread, title = "") => ({
    label,
    title,
    number: true,
    text: (row: SpreadRow) => format.time(row.spread[key]),
    tooltip: (row: SpreadRow) => `${row.spread[key]} ns`,
  });
  return table(
    rows,
    [
      { label: "Time", text: (row) => row.what, className: () => "nowrap" },
      ...(spread
        ? [{
            label: "Spread",
            title: `Smallest to largest, line: median; full width ${format.time(most)}`,
            element: (row: SpreadRow) => spreadPlot(row, most),
            text: () => "",
          }]
        : []),
      time("Total", "total"),
      {
        label: "Of",
        title: "Instances; for launch to start: kernels",
        number: true,
        text: ({ spread: { instances, kernels } }) =>
          format.digits(instances ?? kernels ?? 0),
        tooltip: ({ spread }) =>
          spread.instances === undefined ? "kernels" : "instances",
      },
      time("Min", "min"),
      time("Median", "median"),
      time("Mean", "mean"),
      time("Max", "max"),
      time("Deviation", "standard_deviation", "Standard deviation"),
    ],
    { caption: "Times", cap: 20 },
  );
}

// "4.096 KB in 1.200 µs"
function moved(bytes: number, ns: number | undefined): string {
  const size = format.quantity(bytes, "byte");
  return ns === undefined ? size : `${size} in ${format.time(ns)}`;
}

// The instances that took longest, on the CPU and of kernels: each once.
export function slowestOf(times: Times): Instance[] {
  const known = new Set<string>();
  return [...(times.slowest ?? []), ...(times.slowest_gpu ?? [])].filter(
    (one) => {
      const key = `${one.process} ${one.thread} ${one.ordinal}`;
      return !known.has(key) && known.add(key);
    },
  );
}

function slowestTable(times: Times): HTMLElement | null {
  const slowest = slowestOf(times);
  if (slowest.length === 0) return null;
  const several = new Set(slowest.map((one) => `${one.process} ${one.thread}`));
  const time = (
    label: string,
    title: string,
    value: (one: Instance) => number | null,
  ) => numbers(label, value, format.time, { title, tooltip: (one) => `${value(one) ?? "unknown"} ns` });
  return h(
    "details",
    {},
    h("summary", {}, `Slowest instances (${slowest.length})`),
    table(
      slowest,
      [
        {
          label: "Instance",
          title: "Number of the instance in its thread, from 0",
          text: (one) =>
            `${one.name ? `${format.visible(one.name)} ` : ""}#${one.ordinal}${several.size > 1 ? ` of process ${one.process}, thread ${one.thread}` : ""}`,
        },
        time("Start", "Since the start of the trace", (one) => one.start_ns),
        time("CPU", "Wall time: from opening to closing", (one) => one.cpu_ns),
        time("Kernels", "Summed", (one) => one.gpu_ns),
        time("GPU span", "First start to last end", (one) => one.gpu_span_ns),
        time("Without it", "Within the GPU span, time without work of the region", (one) => one.gpu_idle_ns),
      ],
      { caption: "Slowest instances", cap: 20 },
    ),
  );
}

// The figures: label, value, and its share.
export function timesTiles(times: Times): [string, string, string?][] {
  const { gpu } = times;
  const tiles: [string, string, string?][] = [];
  if (!gpu) return tiles;
  if (gpu.span_ns > 0) {
    tiles.push(
      ["GPU with its work", format.time(gpu.busy_ns), `of ${format.time(gpu.span_ns)}`],
      ["GPU without it", format.time(gpu.idle_ns), format.share(gpu.idle_ns, gpu.span_ns)],
    );
  }
  if ((gpu.concurrency ?? 0) > 1.005) {
    tiles.push(["Concurrency", format.digits(gpu.concurrency ?? 0), "activities"]);
  }
  if (gpu.copies > 0) {
    tiles.push(["Copies", format.digits(gpu.copies), moved(gpu.copy_bytes, gpu.copy_ns)]);
  }
  if (gpu.sets > 0) {
    tiles.push(["Memsets", format.digits(gpu.sets), moved(gpu.set_bytes, gpu.set_ns)]);
  }
  return tiles;
}

// Everything below the heading.
export function timesSection(times: Times): HTMLElement[] {
  const streams = times.streams ?? [];
  return [
    spreads(times),
    plot(times),
    slowestTable(times),
    streams.length > 1
      ? h(
          "details",
          {},
          h("summary", {}, `Streams (${format.digits(streams.length + (times.streams_left_out ?? 0))})`),
          times.streams_left_out ? h("p", { class: "muted" }, `Streams with the most time; ${format.digits(times.streams_left_out)} more are in report.json.`) : null,
          table(
            streams,
            [
              numbers("Process", (s) => s.process, String),
              numbers("Device", (s) => s.device, String),
              numbers("Stream", (s) => s.stream, String),
              numbers("Kernels", (s) => s.kernel_count, format.digits),
              numbers("Time", (s) => s.gpu_time_ns, format.time),
              numbers("Copies", (s) => s.copies, format.digits),
              numbers("Time", (s) => s.copy_ns, format.time),
            ],
            { caption: "Streams", cap: 50 },
          ),
        )
      : null,
  ].filter((element) => element !== null);
}
