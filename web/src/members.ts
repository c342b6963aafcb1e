// A region whose ranges differ by a number in their names: the name and the time
// of each. They are instances of one region; this table lists them one by one.

import { h } from "./dom.ts";
import * as format from "./format.ts";
import type { Member, Region } from "./report.ts";
import { numbers, table, type TableColumn } from "./tables.ts";

const times: TableColumn<Member>[] = [
  {
    label: "GPU time",
    number: true,
    text: (m) => (m.kernel_count > 0 ? format.time(m.gpu_time_ns) : format.dash),
    sort: (m) => (m.kernel_count > 0 ? (m.gpu_time_ns ?? 0) : -1),
  },
  numbers("CPU", (m) => m.cpu_ns, format.time, { title: "Wall time, where a trace has it" }),
];

function timeOf(member: Member): string {
  return member.gpu_time_ns
    ? `${format.time(member.gpu_time_ns)} on the GPU`
    : `${format.time(member.cpu_ns)} on the CPU`;
}

export function membersSection({ merged }: Region): HTMLElement[] {
  if (!merged || merged.members.length === 0) return [];
  const { count, slowest, members } = merged;
  const more = count - members.length;
  return [
    h("h3", {}, `Merged names (${format.digits(count)})`),
    h(
      "p",
      { class: "muted" },
      "Ranges whose names differ only by a number are one region. Most time first",
      slowest ? `; the slowest is ${format.visible(slowest.name)}, ${timeOf(slowest)}` : null,
      more > 0 ? `. The first ${members.length}; ${format.digits(more)} more` : null,
      ".",
    ),
    table(
      members,
      [
        {
          label: "Name",
          text: (m) => format.visible(m.name),
          tooltip: (m) => format.visible(m.name),
          className: () => "clip wide",
          sort: (m) => m.name,
        },
        numbers("Instances", (m) => m.instances, format.digits),
        numbers("Kernels", (m) => m.kernel_count, (count) => (count > 0 ? format.digits(count) : format.dash)),
        ...times.filter((column) => members.some((m) => column.text(m) !== format.dash)),
      ],
      { caption: "Merged names", cap: 10 },
    ),
  ];
}
