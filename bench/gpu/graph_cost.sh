#!/bin/bash
# How much each part of the tracer slows a captured graph of very short kernels:
# processes of armed_loop in turn, bare and with one part of the tracer each.
#
#   SECONDS_GRAPH=50 bench/gpu/graph_cost.sh     about a minute with the compiler
#
# OUT: a folder for figures.txt, where it is set.
bench=$(cd "$(dirname "$0")" && pwd)
. "$bench/../../tests/gpu/programs/tracing.sh"
compile armed_loop
export library work
python3 - "${SECONDS_GRAPH:-50}" << 'PY' | tee ${OUT:+"$OUT/figures.txt"}
import os
import shutil
import statistics
import subprocess
import sys
import time

NOTHING = "kernels=none,copies=0,launches=none,api=none"
PARTS = {  # mode, RANGEFINDER_INJECT_TUNE
    "bare": None,
    "NVTX alone": ("regions", ""),
    "subscribed, nodes of graphs seen": ("trace", NOTHING),
    "and callbacks of launches": ("trace", "kernels=none,copies=0,api=none"),
    "graphs as wholes": ("trace", "kernels=graphs,copies=0,launches=none,api=none"),
    "kernels by node": ("trace", "copies=0,launches=none,api=none"),
    "kernels by node, device buffers of CUPTI's choice": ("trace", "copies=0,launches=none,api=none,pinned=0"),
    "sampling alone": ("sample", NOTHING),
    "trace, as by default": ("trace", ""),
    "trace and samples, as `profile`": ("sample", ""),
    "armed light, asleep": ("armed", "light"),
    "armed graphs, asleep": ("armed", "graphs"),
}
work, library = os.environ["work"], os.environ["library"]


def step_us(part):
    environment = dict(os.environ)
    if part is not None:
        mode, tune = part
        shutil.rmtree(f"{work}/t", ignore_errors=True)
        os.makedirs(f"{work}/t/sockets", mode=0o700)
        environment |= {"NVTX_INJECTION64_PATH": library, "RANGEFINDER_INJECT_DIR": f"{work}/t",
                        "RANGEFINDER_INJECT_MODE": mode, "RANGEFINDER_SOCKET_DIR": f"{work}/t/sockets"}
        if mode != "regions":
            environment["CUDA_INJECTION64_PATH"] = library
        environment["RANGEFINDER_INJECT_ARM" if mode == "armed" else "RANGEFINDER_INJECT_TUNE"] = tune
    said = subprocess.run([f"{work}/armed_loop", "graph", "0.4"], env=environment, stdout=subprocess.PIPE, text=True)
    return float(said.stdout.split()[-1]) / 1e3 if said.returncode == 0 else float("nan")


ends = time.monotonic() + float(sys.argv[1])
took = {name: [] for name in PARTS}
turn, longest = 0, 0
while time.monotonic() + longest < ends or turn < 1:
    begun = time.monotonic()
    for name in list(PARTS)[:: -1 if turn % 2 else 1]:
        took[name].append(step_us(PARTS[name]))
    turn, longest = turn + 1, max(longest, time.monotonic() - begun)
bare = took["bare"]
for name, all_took in took.items():
    ratios = sorted(100 * (x / b - 1) for x, b in zip(all_took, bare))
    print(f"{name:52} {statistics.median(all_took):8.1f} us a step  {statistics.median(ratios):+6.1f} %  "
          f"({ratios[0]:+.1f} to {ratios[-1]:+.1f}, {turn} turns)", flush=True)
PY
