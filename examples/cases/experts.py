#!/usr/bin/env python3
"""A mixture of experts on several GPUs: each rank holds one expert, and the router
decides how many tokens an expert gets.

    forward
      layer_0, ...
        router
        expert          this rank's tokens through this rank's expert
        combine         the results of all experts, by an all-reduce

    torchrun --nproc-per-node 2 --no-python python3 experts.py
    ... experts.py --balanced       each expert gets as many tokens

The skew of the router is an argument here; a trained router has its own.
"""
import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional

HIDDEN, LAYERS, TOKENS, STEPS = 2048, 4, 8192, 30
region = torch.cuda.nvtx.range


class Layer(nn.Module):
    def __init__(self, ranks):
        super().__init__()
        self.router = nn.Linear(HIDDEN, ranks, bias=False)
        self.up = nn.Linear(HIDDEN, 4 * HIDDEN, bias=False)
        self.down = nn.Linear(4 * HIDDEN, HIDDEN, bias=False)

    def forward(self, x, first, count):
        """The tokens from `first` on, in the order of the router, are ours."""
        with region("router"):
            order = self.router(x)[:, 0].argsort()
            mine = order.narrow(0, first, count)
        with region("expert"):
            y = torch.zeros_like(x)
            y[mine] = self.down(functional.gelu(self.up(x[mine])))
        with region("combine"):
            dist.all_reduce(y)
        return functional.layer_norm(x + y, (HIDDEN,))


def share(rank, ranks, balanced):
    """The first token of a rank, and how many it has: the last rank twice as many
    as the others, unless they are balanced."""
    parts = ranks if balanced else ranks + 1
    first = TOKENS * rank // parts
    end = TOKENS * (rank + 1) // parts if rank < ranks - 1 else TOKENS
    return first, end - first


@torch.inference_mode()
def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--balanced", action="store_true")
    arguments = parser.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    first, count = share(rank, ranks, arguments.balanced)
    torch.manual_seed(0)
    layers = nn.ModuleList(Layer(ranks) for _ in range(LAYERS)).to(
        "cuda", torch.bfloat16)
    x = torch.randn(TOKENS, HIDDEN, device="cuda", dtype=torch.bfloat16)

    def forward():
        y = x
        for index, layer in enumerate(layers):
            with region(f"layer_{index}"):
                y = layer(y, first, count)
        torch.cuda.synchronize()

    for _ in range(5):  # loads kernels, and connects the ranks
        forward()
    for _ in range(STEPS):
        with region("forward"):
            forward()
    print(f"rank {rank}: {count} of {TOKENS} tokens")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
