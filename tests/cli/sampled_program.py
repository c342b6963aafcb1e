"""Draws the trace of a decoder's loop with samples of its GPU's counters, for
tests/support/programs/trace_from_text: sampled_program.py STEPS INTERVAL_US"""

import random
import sys

METRICS = [
    "sm__inst_executed.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "sm__cycles_active.avg",
    "lts__t_sectors.sum",
    "sm__pipe_tensor_cycles_active.avg",
]
# Of each kernel its us, and what it counts in each.
KERNELS = {
    "attention": (53, [9e4, 2.6e6, 1e5, 1800, 1.5e5, 300]),
    "gemm": (30, [4e4, 3.5e6, 3e5, 1900, 2e5, 1500]),
    "layer_norm": (4, [3e5, 1.2e6, 1.0e6, 1500, 1.2e5, 0]),
    "prefill_gemm": (210, [2.2e5, 9e5, 4e5, 1960, 3e5, 1700]),
}
GRID, BLOCK = 264, 128
TRACED = 8 * GRID * BLOCK // 32 + 40  # instructions that tracing adds to one


class Program:
    def __init__(self):
        self.now = 100.0
        self.launches = []

    def push(self, name, before=0.0):
        print(f"{self.now - before:.3f} push {name}")

    def pop(self, after=0.0):
        print(f"{self.now + after:.3f} pop")

    def kernel(self, name, gap):
        length, rates = KERNELS[name]
        start = self.now + gap
        end = start + length * random.uniform(0.9, 1.1)
        self.launches.append((start, end, rates))
        number = len(self.launches)
        print(f"{start - 3:.3f} launch {number}")
        print(
            f"kernel {name} {start:.3f}-{end:.3f} of={number}"
            f" grid={GRID} block={BLOCK}"
        )
        self.now = end + 0.8

    def generate(self):
        self.push("generate", 9)
        self.push("prefill", 8)
        for _ in range(6):
            self.kernel("prefill_gemm", 4)
            self.kernel("layer_norm", 3)
        self.pop()
        self.now += 20
        for _ in range(16):
            self.push("decode", 4)
            for _ in range(4):
                self.push("attn", 3.9)
                self.kernel("attention", 3.5)
                self.pop(-1)
                self.push("mlp", 0.9)
                self.kernel("layer_norm", 3.5)
                self.kernel("gemm", 3.6)
                self.pop(0.1)
            self.pop(0.2)
            self.now += 10
        self.pop()
        self.now += 400

    # With two gaps, of which one is long.
    def sample(self, interval):
        count = int(self.now // interval) + 1
        counted = [[0.0] * len(METRICS) for _ in range(count)]
        for start, end, rates in self.launches:
            for at in range(int(start // interval), int(end // interval) + 1):
                part = min(end, (at + 1) * interval) - max(start, at * interval)
                for m, rate in enumerate(rates):
                    counted[at][m] += part * rate
                counted[at][0] += part / (end - start) * TRACED
        print(f"sampling 0 interval={interval} chip=GH100 metrics={','.join(METRICS)}")
        gaps = [(count // 3, count // 3 + count // 40 + 1), (2 * count // 3,) * 2]
        gaps[1] = (gaps[1][0], gaps[1][1] + count // 150 + 1)
        for at in range(count):
            if any(first <= at < last for first, last in gaps):
                continue
            values = ",".join(f"{v * random.gauss(1, 0.002):.6g}" for v in counted[at])
            print(f"sample 0 {at * interval}-{(at + 1) * interval} {values}")
        for first, last in gaps:
            print(
                f"gap 0 {first * interval}-{last * interval}"
                f" missing={last - first} why=1"
            )


def main(steps, interval):
    random.seed(7)
    print("process pid=7 exe=/bin/llm_bench")
    print("gpu 0 NVIDIA_H200")
    print("peaks 0 memory_khz=3201000 bus=6144 sms=132 khz=1980000")
    program = Program()
    for _ in range(steps):
        program.generate()
    program.sample(interval)


main(int(sys.argv[1]), int(sys.argv[2]))
