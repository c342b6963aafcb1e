#!/usr/bin/env python3
"""Draws the traces of a job for trace_from_text: a decode loop in each rank, with
an all-reduce a step that ends at once on all of them.

  job_of_ranks.py TRACE_FROM_TEXT FOLDER RANKS [STEPS [REGIONS]]

Rank 2 is late: its mlp takes 12 % longer. The last quarter of the ranks is a
stage of its own, without attention. REGIONS further ones lie inside the mlp.
"""

import random
import subprocess
import sys

LATE = 2


class Trace:
    """The lines of one rank, and where its CPU and its GPU are, in µs."""

    def __init__(self, rank, ranks):
        self.lines = [f"process pid={4000 + rank} rank={rank} exe=/bin/train",
                      "gpu 0 NVIDIA_H200", "thread 1"]
        self.cpu = 1.0
        self.gpu = 1.0
        self.launches = 0
        self.random = random.Random(1000 * ranks + rank)

    def push(self, name):
        self.lines.append(f"{self.cpu:.3f} push {name}")
        self.cpu += 0.2

    def pop(self):
        self.cpu += 0.2
        self.lines.append(f"{self.cpu:.3f} pop")

    def launch(self):
        self.launches += 1
        self.lines.append(f"{self.cpu:.3f} launch {self.launches}")
        self.cpu += 0.5
        return self.launches

    def kernel(self, name, took):
        of = self.launch()
        start = max(self.gpu + 0.3, self.cpu + 1.5)
        self.gpu = start + took * self.random.gauss(1, 0.003)
        self.lines.append(f"kernel {name} {start:.3f}-{self.gpu:.3f} of={of} stream=7")


def step(trace, rank, ranks, regions):
    """All of one up to the all-reduce, whose start it gives."""
    trace.push("decode")
    if rank < ranks * 3 // 4:
        trace.push("attention")
        trace.kernel("flash_fwd", 80)
        trace.pop()
    else:
        trace.kernel("recv_copy", 80)
    trace.push("mlp")
    slow = 1.12 if rank == LATE else 1
    trace.kernel("gemm", 300 * slow)
    for i in range(regions):
        trace.push(f"op{i}")
        trace.kernel("elementwise", 3 * slow)
        trace.pop()
    trace.pop()
    trace.push("reduce")
    of = trace.launch()
    trace.pop()
    return of, max(trace.gpu + 0.3, trace.cpu + 1.5)


def job(ranks, steps, regions):
    traces = [Trace(rank, ranks) for rank in range(ranks)]
    for _ in range(steps):
        begun = [step(trace, rank, ranks, regions) for rank, trace in enumerate(traces)]
        end = max(start for _, start in begun) + 25
        for trace, (of, start) in zip(traces, begun):
            trace.lines.append("kernel ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
                               f" {start:.3f}-{end:.3f} of={of} stream=9")
            trace.gpu = end
            trace.cpu = max(trace.cpu, end)
            trace.pop()
    return traces


def main(from_text, folder, ranks, steps=20, regions=0):
    for rank, trace in enumerate(job(int(ranks), int(steps), int(regions))):
        # Ends of ranges lie behind what ran: lines are in order of the CPU.
        text = "\n".join(trace.lines) + "\n"
        with open(f"{folder}/rank{rank}.rftrace", "wb") as out:
            subprocess.run([from_text], input=text.encode(), stdout=out, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
