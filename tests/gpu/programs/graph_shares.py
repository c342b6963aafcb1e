"""A small transformer step, eager and as a CUDA graph: graph_shares.py STEPS

Its layers carry ranges. The eager steps open them each time; the graph was
captured with them open, once, and is only launched in its steps.
"""
import sys

import torch

steps = int(sys.argv[1])
nvtx = torch.cuda.nvtx
torch.manual_seed(0)
WIDTH, HEADS, BATCH, TOKENS, LAYERS = 1024, 16, 4, 256, 4
options = {"device": "cuda", "dtype": torch.bfloat16}


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = torch.nn.Linear(WIDTH, 3 * WIDTH, **options)
        self.out = torch.nn.Linear(WIDTH, WIDTH, **options)
        self.up = torch.nn.Linear(WIDTH, 4 * WIDTH, **options)
        self.down = torch.nn.Linear(4 * WIDTH, WIDTH, **options)

    def forward(self, x, index):
        nvtx.range_push(f"layer{index}.attn")
        q, k, v = self.qkv(x).view(BATCH, TOKENS, HEADS, -1).transpose(1, 2).chunk(3, dim=-1)
        mixed = torch.softmax(q @ k.transpose(-1, -2) * 0.1, -1) @ v
        x = x + self.out(mixed.transpose(1, 2).reshape(BATCH, TOKENS, WIDTH))
        nvtx.range_pop()
        nvtx.range_push(f"layer{index}.mlp")
        x = x + self.down(torch.relu(self.up(x)))
        nvtx.range_pop()
        return x


layers = [Layer() for _ in range(LAYERS)]
x = torch.randn(BATCH, TOKENS, WIDTH, **options)


def step():
    y = x
    for index, layer in enumerate(layers):
        y = layer(y, index)
    return y


with torch.no_grad():
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        nvtx.range_push("warm-up")
        for _ in range(3):
            step()
        nvtx.range_pop()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    nvtx.range_push("capture")
    with torch.cuda.graph(graph):
        step()
    nvtx.range_pop()
    for _ in range(steps):
        nvtx.range_push("eager")
        step()
        nvtx.range_pop()
    torch.cuda.synchronize()
    for _ in range(steps):
        nvtx.range_push("graph")
        graph.replay()
        nvtx.range_pop()
    torch.cuda.synchronize()
