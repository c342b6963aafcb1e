"""Draws the trace of a long run whose GPU was sampled, for
tests/support/programs/trace_from_text: sampled_program.py LAUNCHES GROUPS

A loop over all groups, eight launches a region of some of 200 kernels, eight
metrics, and a sample for every ten launches.
"""

import random
import sys

METRICS = [
    "sm__inst_executed.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "sm__cycles_active.avg",
    "lts__t_sectors.sum",
    "l1tex__t_sectors.sum",
    "sm__warps_active.sum",
    "sm__pipe_tensor_cycles_active.avg",
]
KERNELS = 200
INTERVAL = 128  # us


def word(number):
    letters = ""
    for _ in range(3):
        letters += "abcdefghijklmnopqrstuvwxyz"[number % 26]
        number //= 26
    return letters


def main(launches, groups):
    random.seed(3)
    lengths = [random.uniform(1.5, 20) for _ in range(KERNELS)]
    rates = [[random.uniform(1e3, 1e5) for _ in METRICS] for _ in range(KERNELS)]
    kernel_of = [random.randrange(KERNELS) for _ in range(groups)]
    print("process pid=7 exe=/bin/decode\ngpu 0 NVIDIA_H200")
    at = 100.0
    counted = []
    for number in range(launches):
        group = number % groups
        kernel = kernel_of[group]
        gap = 0.5 + random.expovariate(1 / 2)
        if group % 8 == 0:
            print(f"{at + gap / 8:.3f} push decode.{word(group // 8)}")
        start = at + gap
        end = start + lengths[kernel] * random.uniform(0.95, 1.05)
        print(f"{at + gap / 4:.3f} launch {number + 1}")
        print(
            f"kernel gemm_{word(kernel)} {start:.3f}-{end:.3f} of={number + 1}"
            f" grid=264 block=128"
        )
        if group % 8 == 7:
            print(f"{at + gap / 2:.3f} pop")
        first, last = int(start // INTERVAL), int(end // INTERVAL)
        while len(counted) <= last:
            counted.append([0.0] * len(METRICS))
        for sample in range(first, last + 1):
            part = min(end, (sample + 1) * INTERVAL) - max(start, sample * INTERVAL)
            values = counted[sample]
            for m, rate in enumerate(rates[kernel]):
                values[m] += part * rate
        at = end
    print(f"sampling 0 interval={INTERVAL} chip=GH100 metrics={','.join(METRICS)}")
    for sample, values in enumerate(counted):
        text = ",".join(f"{v * random.gauss(1, 0.002):.6g}" for v in values)
        print(f"sample 0 {sample * INTERVAL}-{(sample + 1) * INTERVAL} {text}")


main(int(sys.argv[1]), int(sys.argv[2]))
