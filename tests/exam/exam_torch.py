#!/usr/bin/env python3
"""Programs of the examination in PyTorch: exam_torch.py PROGRAM [STEPS], or
--list. Each runs `step` with `other`, a matrix product, and `target` inside;
answers.tsv has the expected answers."""

import sys
import time

import torch

DEVICE = "cuda"
range_push, range_pop = torch.cuda.nvtx.range_push, torch.cuda.nvtx.range_pop


def matrix(n, dtype=torch.bfloat16):
    return torch.randn(n, n, device=DEVICE, dtype=dtype)


class Programs:
    def __init__(self):
        self.small = [torch.randn(64, device=DEVICE) for _ in range(8)]
        self.left, self.right = matrix(2048), matrix(2048)
        self.product = matrix(2048)
        self.big_left, self.big_right = matrix(6144), matrix(6144)
        self.float_left = matrix(3072, torch.float32)
        self.pageable = torch.randn(8 << 20)
        self.pieces = [torch.randn(4 << 20, device=DEVICE) for _ in range(8)]
        self.graph = None

    def other(self):
        torch.matmul(self.left, self.right, out=self.product)

    def torch_item(self):
        for x in self.small * 10:
            x.add_(1.0).sum().item()

    def torch_small_ops(self):
        for x in self.small * 40:
            x.mul_(1.01)

    def torch_python(self):
        total = 0
        for _ in range(4):
            for i in range(40000):
                total += i * i
            self.small[0].add_(1.0)
        return total

    def torch_sleep(self):
        for _ in range(3):
            time.sleep(0.002)
            self.small[0].add_(1.0)

    def torch_pageable(self):
        self.pageable.to(DEVICE)

    def torch_fp32(self):
        for _ in range(4):
            self.float_left @ self.float_left

    def torch_cat(self):
        for _ in range(4):
            torch.cat(self.pieces)

    def torch_empty_cache(self):
        torch.empty(64 << 20, device=DEVICE)
        torch.cuda.empty_cache()
        self.small[0].add_(1.0)

    def fine_torch_products(self):
        for _ in range(4):
            self.big_left @ self.big_right

    def fine_torch_graph(self):
        if self.graph is None:
            out = self.big_left @ self.big_right
            torch.cuda.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                for _ in range(4):
                    out.copy_(self.big_left @ self.big_right)
        self.graph.replay()


NAMES = [n for n in vars(Programs) if n.startswith(("torch_", "fine_torch"))]


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "--list"
    if name == "--list":
        print("\n".join(NAMES))
        return 0
    if name not in NAMES:
        print(f"no program is called {name}: --list", file=sys.stderr)
        return 2
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    programs = Programs()
    target = getattr(programs, name)
    for _ in range(5):  # outside of all ranges: loading and tuning
        programs.other()
        target()
        torch.cuda.synchronize()
    for _ in range(steps):
        range_push("step")
        range_push("other")
        programs.other()
        range_pop()
        range_push("target")
        target()
        torch.cuda.synchronize()
        range_pop()
        range_pop()
    print("done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
