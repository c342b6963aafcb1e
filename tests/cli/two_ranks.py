"""Traces of two ranks that never ran, as tests/gpu/programs/ranks_nccl.py would
leave them, and the truth of them: two_ranks.py TRACE_FROM_TEXT DIR"""
import json
import random
import subprocess
import sys

random.seed(3)
INSTANCES = 40
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"


class Rank:
    """What one rank did, drawn for tests/support/trace_builder.h; times in us."""

    def __init__(self, number):
        self.number = number
        self.cpu = 1000.0
        self.launched = 0
        self.calls, self.kernels = [], []
        self.truth = {}

    def call(self, text, us=1):
        self.calls.append(f"{self.cpu:.0f} {text}")
        self.cpu += us

    def launch(self, us):
        self.launched += 1
        self.call(f"launch {self.launched}", us)
        return self.launched

    def compute(self, phase, now):
        """Until when the GPU computes that is free at `now`."""
        late = self.number == 1
        kernels = {"larger": 9, "more": 12 if late else 9}.get(phase, 4)
        each = 400 / 3 if phase == "larger" and late else 100
        self.call("push compute")
        if phase == "delayed" and late:
            self.cpu += 2000
        for _ in range(kernels):
            start = max(self.cpu + 4, now + 1)
            number = self.launch(6)
            now = start + each * random.gauss(1, 0.02)
            self.kernels.append(f"kernel gemm {start:.0f}-{now:.0f} of={number} stream=7")
        self.call("pop")
        return now

    def reduce(self, now):
        """When it comes to the all-reduce, and its launch."""
        self.call("push reduce")
        came = max(self.cpu + 4, now + 3)
        number = self.launch(2)
        self.call("pop")
        return came, number


ranks = [Rank(0), Rank(1)]
now = 1000.0
for phase in ("larger", "more", "delayed", "transfer"):
    for i in range(INSTANCES):
        came = []
        for rank in ranks:
            rank.cpu += random.random() * 3
            rank.call(f"push {phase}")
            came.append(rank.reduce(rank.compute(phase, now)))
        transfer = 30
        if phase == "transfer":
            transfer = 500 if i % 4 == 3 else 70
        end = max(start for start, _ in came) + transfer * random.gauss(1, 0.03)
        for rank, (start, number) in zip(ranks, came):
            left = end + random.random() * 1.5
            rank.kernels.append(
                f"kernel {ALL_REDUCE} {start:.0f}-{left:.0f} of={number} stream=9")
            rank.truth.setdefault(phase, []).append(
                {"came_ns": (start - now) * 1e3, "left_ns": (left - now) * 1e3})
            if phase == "delayed":
                rank.cpu = max(rank.cpu, left) + 5
            rank.call("pop")
        now = end + 1
for rank in ranks:
    text = "\n".join([f"process pid={70 + rank.number} rank={rank.number}",
                      *rank.calls, *rank.kernels, ""])
    trace = subprocess.run([sys.argv[1]], input=text.encode(), check=True,
                           stdout=subprocess.PIPE).stdout
    with open(f"{sys.argv[2]}/rank{rank.number}.rftrace", "wb") as file:
        file.write(trace)
    with open(f"{sys.argv[2]}/truth.rank{rank.number}.json", "w") as file:
        json.dump(rank.truth, file)
