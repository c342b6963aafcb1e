"""Two ranks in phases of what makes one wait for the other, and what it is in
truth.

  larger    rank 1's kernels are larger: 4/3 of the time, as many launches
  more      rank 1 launches 4/3 as many kernels
  delayed   rank 1's CPU is busy for 2 ms before it launches anything
  transfer  nobody is late; every fourth all-reduce is eight times as large
  graph     larger, in a CUDA graph of all instances that is launched twice
  send      larger, and rank 1 sends to rank 0 in place of the all-reduce

An instance is PHASE > compute, PHASE > reduce. The truth, by CUDA events on the
stream that computes, goes to DIR/truth.rankR.json: for each instance of a phase
the time from the moment that all ranks left the last all-reduce until this rank
came to the next, and until it left that one, both in ns.

    ranks_nccl.py DIR [TIMES [PHASE...]]

runs the phases (all) so many times (once), and has the truth of the last time.
"""
import torch
import torch.distributed as dist

from rank_phases import SPIN_S, event, messages, nvtx, rank, run, small, spin

MANY = 3 << 24  # floats: 200 MB, some 80 us to read and write on an H200
data = torch.ones(MANY * 4 // 3, device="cuda")


def compute(kernels, size):
    part = data[:size]
    for _ in range(kernels):
        part.mul_(1.0000001)


def instance(phase, i):
    """Runs one; returns its events: begin, came, left."""
    late = rank == 1
    message = small
    captured = phase == "graph"
    with nvtx.range(phase):
        begin = event(captured)
        with nvtx.range("compute"):
            if phase in ("larger", "graph", "send"):
                compute(9, MANY * 4 // 3 if late else MANY)
            elif phase == "more":
                compute(12 if late else 9, MANY)
            elif phase == "delayed":
                if late:
                    spin(SPIN_S)
                compute(4, MANY)
            else:
                compute(4, MANY)
                message = messages[i % 4 == 3]
        with nvtx.range("reduce"):
            came = event(captured)
            if phase == "send":
                exchange(message)
            else:
                dist.all_reduce(message)
            left = event(captured)
    if phase == "delayed":
        torch.cuda.synchronize()  # or the CPU would run ahead of its delay
    return begin, came, left


def exchange(message):
    if rank == 1:
        dist.send(message, 0)
    else:
        dist.recv(message, 1)


def times(events):
    return [{"came_ns": begin.elapsed_time(came) * 1e6,
             "left_ns": begin.elapsed_time(left) * 1e6}
            for begin, came, left in events]


# NCCL connects, and kernels are loaded, outside of the phases.
for message in (small, *messages.values()):
    for _ in range(3):
        dist.all_reduce(message)
exchange(small)
compute(4, MANY)
torch.cuda.synchronize()

run(("larger", "more", "delayed", "transfer", "graph", "send"), instance, times)
