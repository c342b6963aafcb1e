"""Ranks with communicators of two dimensions, tensor and data parallel, in phases
of what makes one rank late, and what it is in truth.

  nothing   nobody is late
  larger    the last rank's kernels of `forward` are larger: 6/5 of the time
  more      rank 1 launches 6/5 as many kernels in `grads`
  delayed   rank 2's CPU is busy for 2 ms before it launches anything
  transfer  nobody is late; every fourth message of `data` is eight times as large
  graph     larger, in a CUDA graph of all instances that is launched twice

An instance is PHASE > forward > (compute, tensor), grads > (compute, data), together.
`tensor` reduces over neighbouring ranks, two each, `data` over the ranks of equal
place in these pairs, and `together` over all, so that all begin the next together.
The truth, by CUDA events on the stream that computes, goes to DIR/truth.rankR.json:
for each instance of a phase when this rank came to `tensor` and to `data`, and
when it left `data`, in ns from the moment that all ranks left `together`.

    grid_nccl.py DIR [TIMES [PHASE...]]

runs the phases (all) so many times (once), and has the truth of the last time. An
even number of ranks, four or more.
"""
import os
import sys

import torch
import torch.distributed as dist

from rank_phases import SPIN_S, event, messages, nvtx, rank, run, small, spin, world


def group_of_mine(groups):
    """Every rank makes every group, in the same order."""
    made = [(ranks, dist.new_group(ranks)) for ranks in groups]
    return next(group for ranks, group in made if rank in ranks)


tensor = group_of_mine([[first, first + 1] for first in range(0, world, 2)])
data = group_of_mine([list(range(place, world, 2)) for place in (0, 1)])

MANY = 5 << 23  # floats: 168 MB, some 80 us to read and write on an H200
values = torch.ones(MANY * 6 // 5, device="cuda")


def compute(kernels, size=MANY):
    with nvtx.range("compute"):
        part = values[:size]
        for _ in range(kernels):
            part.mul_(1.0000001)


def instance(phase, i):
    """Runs one; returns its events: begin, came to tensor, came to data, left data."""
    captured = phase == "graph"
    with nvtx.range(phase):
        events = [event(captured)]
        with nvtx.range("forward"):
            if phase == "delayed" and rank == 2:
                spin(SPIN_S)
            is_larger = phase in ("larger", "graph") and rank == world - 1
            compute(10, MANY * 6 // 5 if is_larger else MANY)
            with nvtx.range("tensor"):
                events.append(event(captured))
                dist.all_reduce(small, group=tensor)
        with nvtx.range("grads"):
            compute(12 if phase == "more" and rank == 1 else 10)
            with nvtx.range("data"):
                events.append(event(captured))
                dist.all_reduce(
                    messages[i % 4 == 3] if phase == "transfer" else small,
                    group=data)
                events.append(event(captured))
        with nvtx.range("together"):
            dist.all_reduce(small)
    if phase == "delayed":
        torch.cuda.synchronize()  # or the CPU would run ahead of its delay
    return events


def times(instances):
    return [[begin.elapsed_time(other) * 1e6 for other in others]
            for begin, *others in instances]


# NCCL connects, and kernels are loaded, outside of the phases.
for message in (small, *messages.values()):
    for group in (None, tensor, data):
        for _ in range(3):
            dist.all_reduce(message, group=group)
compute(10)
torch.cuda.synchronize()
open(os.path.join(sys.argv[1], f"ready.rank{rank}"), "w").close()

run(("nothing", "larger", "more", "delayed", "transfer", "graph"), instance, times)
