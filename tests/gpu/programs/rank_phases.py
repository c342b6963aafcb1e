"""Shared by the programs of ranks that run in phases: the processes, their messages,
CUDA events, and the truth of each phase, which goes to DIR/truth.rankR.json."""
import json
import os
import sys
import time

import torch
import torch.distributed as dist

INSTANCES = 40
SPIN_S = 2e-3

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
rank, world = dist.get_rank(), dist.get_world_size()
nvtx = torch.cuda.nvtx
small = torch.ones(1 << 20, device="cuda")
messages = {False: torch.ones(4 << 20, device="cuda"),
            True: torch.ones(32 << 20, device="cuda")}


def event(captured):
    made = torch.cuda.Event(enable_timing=True, external=captured)
    made.record()
    return made


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def truth_of(phase, instance, times):
    """Runs a phase's instances, and `graph` twice as a CUDA graph; instance(phase, i)
    returns its events, times(events) what they say once all have happened."""
    if phase != "graph":
        events = [instance(phase, i) for i in range(INSTANCES)]
        torch.cuda.synchronize()
        return times(events)
    graph = torch.cuda.CUDAGraph()
    # NCCL's own threads go on.
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        events = [instance(phase, i) for i in range(INSTANCES)]
    result = []
    for _ in range(2):
        dist.all_reduce(small)
        torch.cuda.synchronize()
        graph.replay()
        torch.cuda.synchronize()
        result += times(events)
    return result


def run(phases, instance, times):
    """Runs what the command line asks for, DIR [TIMES [PHASE...]], and writes the truth
    of the last time."""
    truth = {}
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1):
        for phase in sys.argv[3:] or phases:
            dist.all_reduce(small)  # all begin together
            torch.cuda.synchronize()
            truth[phase] = truth_of(phase, instance, times)
    with open(os.path.join(sys.argv[1], f"truth.rank{rank}.json"), "w") as file:
        json.dump(truth, file)
    dist.destroy_process_group()
