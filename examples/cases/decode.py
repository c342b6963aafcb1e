#!/usr/bin/env python3
"""Decodes tokens with a small transformer, kernel by kernel or as a CUDA graph.

    decode              one token
      layer_0, ...      with attention and mlp inside
      head
    sample              the token on the CPU, as a server sends it to its client

    decode.py           launches each kernel
    decode.py --graph   captures `decode` once, and launches the graph
"""
import argparse

import torch
from torch import nn
from torch.nn import functional

HIDDEN, HEADS, LAYERS, SLOTS, VOCABULARY = 1024, 16, 8, 512, 16384
region = torch.cuda.nvtx.range


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
        self.qkv = nn.Linear(HIDDEN, 3 * HIDDEN, bias=False)
        self.out = nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.up = nn.Linear(HIDDEN, 4 * HIDDEN, bias=False)
        self.down = nn.Linear(4 * HIDDEN, HIDDEN, bias=False)
        shape = (1, HEADS, SLOTS, HIDDEN // HEADS)
        self.register_buffer("keys", torch.zeros(shape))
        self.register_buffer("values", torch.zeros(shape))

    def attention(self, x, position, mask):
        q, k, v = (part.view(1, HEADS, 1, HIDDEN // HEADS)
                   for part in self.qkv(x).chunk(3, dim=-1))
        self.keys.index_copy_(2, position, k)
        self.values.index_copy_(2, position, v)
        y = functional.scaled_dot_product_attention(
            q, self.keys, self.values, attn_mask=mask)
        return self.out(y.reshape(1, HIDDEN))

    def forward(self, x, position, mask):
        with region("attention"):
            x = x + self.attention(self.norm_1(x), position, mask)
        with region("mlp"):
            x = x + self.down(functional.gelu(self.up(self.norm_2(x))))
        return x


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, HIDDEN)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(HIDDEN)
        self.head = nn.Linear(HIDDEN, VOCABULARY, bias=False)
        # All state of the loop stays on the GPU, so that a graph can be replayed.
        self.register_buffer("token", torch.ones(1, dtype=torch.long))
        self.register_buffer("position", torch.zeros(1, dtype=torch.long))
        self.register_buffer("slots", torch.arange(SLOTS))

    def step(self):
        x = self.embedding(self.token)
        mask = (self.slots <= self.position).view(1, 1, 1, SLOTS)
        for index, layer in enumerate(self.layers):
            with region(f"layer_{index}"):
                x = layer(x, self.position, mask)
        with region("head"):
            self.token.copy_(self.head(self.norm(x)).argmax(dim=-1))
        self.position.add_(1)


@torch.inference_mode()
def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--tokens", type=int, default=200)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    model = Decoder().to("cuda", torch.bfloat16)
    step = model.step
    for _ in range(5):  # loads kernels; outside of all regions
        step()
    torch.cuda.synchronize()
    if arguments.graph:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            model.step()
        step = graph.replay
        step()
        torch.cuda.synchronize()
    model.position.zero_()
    text = []
    for _ in range(arguments.tokens):
        with region("decode"):
            step()
        with region("sample"):
            text.append(model.token.item())
    print(f"{len(text)} tokens, the last is {text[-1]}")


if __name__ == "__main__":
    main()
