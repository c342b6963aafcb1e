#!/usr/bin/env python3
"""A block of a network, compiled by torch.compile. What stays the same here is the
program; what an update changes are the kernels that the compiler makes of it.

    step
      norm              a normalisation and a residual
      softmax
      product           a matrix product, which is not compiled

    compiled.py           with the compiler's defaults
    compiled.py --looped  reductions in a loop, as Inductor makes them where it does
                          not take a row for small enough to keep at once
"""
import argparse

import torch
import torch._inductor.config as inductor
from torch.nn import functional

ROWS, HIDDEN, STEPS = 16384, 1024, 300
region = torch.cuda.nvtx.range


def norm(x, residual, weight):
    y = x + residual
    return functional.layer_norm(y.float(), (HIDDEN,)).to(x.dtype) * weight


def softmax(x):
    return torch.softmax(x.float() * 0.125, dim=-1).to(x.dtype)


@torch.inference_mode()
def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--looped", action="store_true")
    arguments = parser.parse_args()
    inductor.triton.persistent_reductions = not arguments.looped
    inductor.compile_threads = 1  # no processes beside this one
    torch.manual_seed(0)
    like = {"device": "cuda", "dtype": torch.bfloat16}
    x, residual = (torch.randn(ROWS, HIDDEN, **like) for _ in range(2))
    weight, matrix = torch.randn(HIDDEN, **like), torch.randn(HIDDEN, HIDDEN, **like)
    fast_norm, fast_softmax = torch.compile(norm), torch.compile(softmax)

    def step():
        with region("norm"):
            y = fast_norm(x, residual, weight)
        with region("product"):
            y = y @ matrix
        with region("softmax"):
            y = fast_softmax(y)
        return y

    for _ in range(3):  # compiles; outside of `step`
        step()
    torch.cuda.synchronize()
    for _ in range(STEPS):
        with region("step"):
            y = step()
    torch.cuda.synchronize()
    print(f"checksum {y.float().sum().item():.1f}, torch {torch.__version__}")


if __name__ == "__main__":
    main()
