"""Writes a trace for each of N ranks: ranks_of_a_job.py TRACE_FROM_TEXT N FOLDER

Each rank has a node in its path (two hosts' worth of regions), a step that
takes the longer the later the rank, and communication that all wait for.
"""
import pathlib
import subprocess
import sys

program, ranks, folder = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])
folder.mkdir()
for rank in range(ranks):
    lines = [f"process pid={1000 + rank} rank={rank} exe=/bin/app"]
    kernels = []
    for step in range(3):
        at, launch = 1000 * step, 10 * step
        lines += [f"{at + 10} push step", f"{at + 12} launch {launch + 1}",
                  f"{at + 13} push layer{rank % 2}",
                  f"{at + 14} launch {launch + 2}", f"{at + 15} pop",
                  f"{at + 20} launch {launch + 3}", f"{at + 30} pop"]
        kernels += [
            f"kernel gemm {at + 100}-{at + 200 + 7 * rank} of={launch + 1}",
            f"kernel relu {at + 400}-{at + 410 + step} of={launch + 2}",
            f"kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL(void*) "
            f"{at + 500}-{at + 800} of={launch + 3} stream=9"]
    text = "\n".join(lines + kernels) + "\n"
    trace = subprocess.run([program], input=text.encode(), check=True,
                           stdout=subprocess.PIPE).stdout
    (folder / f"rank{rank:02}.rftrace").write_bytes(trace)
