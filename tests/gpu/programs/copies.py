"""Copies within the GPU and sets of its memory, each in a range with one small kernel,
and a range with a copy from the host alone.

    copies.py STEPS [apart]

`apart` waits for the GPU behind each range, so that samples separate the ranges.
"""
import ctypes
import sys
import time

import torch

nvtx = torch.cuda.nvtx
steps, apart = int(sys.argv[1]), sys.argv[2:] == ["apart"]
sizes = [1000, 12_000, 1 << 16, 128_000, 1 << 20, 9_633_792]  # bytes
numbers = torch.ones(1 << 18, device="cuda")
numbers_of_host = torch.ones(1 << 18).pin_memory()
source = {size: torch.ones(size // 4, device="cuda") for size in sizes}
target = {size: torch.zeros(size // 4, device="cuda") for size in sizes}
with open("/proc/self/maps") as maps:
    runtime = next(line.split()[-1] for line in maps if "libcudart" in line)
set_memory = ctypes.CDLL(runtime).cudaMemsetAsync
stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)


def in_range(name, *work):
    nvtx.range_push(name)
    for call in work:
        call()
    if apart:
        torch.cuda.synchronize()
    nvtx.range_pop()
    if apart:
        time.sleep(5e-4)


def add():
    numbers.add_(1)


def clear(size):
    code = set_memory(ctypes.c_void_p(target[size].data_ptr()), 0, ctypes.c_size_t(size), stream)
    assert code == 0, code


for _ in range(steps):
    in_range("upload", lambda: source[1 << 20].copy_(numbers_of_host, non_blocking=True))
    for size in sizes:
        in_range(f"copy {size}", add, lambda: target[size].copy_(source[size]))
        in_range(f"set {size}", add, lambda: clear(size))
torch.cuda.synchronize()
