#!/usr/bin/env python3
"""Scores the next word for batches of text. The head shares the weight of the
embedding, transposed.

    request
      embed
      block_0, ...
      head

    serve.py            hands the transposed view to the product
    serve.py --tidy     after a clean-up that makes the weight contiguous first
"""
import argparse

import torch
from torch import nn
from torch.nn import functional

HIDDEN, HEADS, BLOCKS, BATCH, LENGTH, VOCABULARY = 1024, 16, 6, 16, 512, 32768
region = torch.cuda.nvtx.range


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
        self.qkv = nn.Linear(HIDDEN, 3 * HIDDEN, bias=False)
        self.out = nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.up = nn.Linear(HIDDEN, 4 * HIDDEN, bias=False)
        self.down = nn.Linear(4 * HIDDEN, HIDDEN, bias=False)

    def forward(self, x):
        q, k, v = (part.view(BATCH, LENGTH, HEADS, -1).transpose(1, 2)
                   for part in self.qkv(self.norm_1(x)).chunk(3, dim=-1))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(x.shape))
        return x + self.down(functional.gelu(self.up(self.norm_2(x))))


@torch.inference_mode()
def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tidy", action="store_true")
    parser.add_argument("--requests", type=int, default=25)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    embedding = nn.Embedding(VOCABULARY, HIDDEN).to("cuda", torch.bfloat16)
    blocks = nn.ModuleList(Block() for _ in range(BLOCKS)).to("cuda", torch.bfloat16)
    text = torch.randint(VOCABULARY, (BATCH, LENGTH), device="cuda")

    def request():
        with region("embed"):
            x = embedding(text)
        for index, block in enumerate(blocks):
            with region(f"block_{index}"):
                x = block(x)
        with region("head"):
            weight = embedding.weight.t()
            if arguments.tidy:
                weight = weight.contiguous()
            best = (x[:, -1] @ weight).argmax(dim=-1)
            return best.sum().item()

    for _ in range(5):  # loads kernels; outside of all regions
        request()
    answers = []
    for _ in range(arguments.requests):
        with region("request"):
            answers.append(request())
    print(f"{len(answers)} requests, the last answer is {answers[-1]}")


if __name__ == "__main__":
    main()
