"""A ResNet-50 that classifies pictures, with an NVTX range around every block.

    vision_bench.py BATCHES

Prints `BENCH` and the seconds that the batches took together.
"""
import sys
import time

import torch
import torchvision

nvtx = torch.cuda.nvtx
torch.manual_seed(0)
batches = int(sys.argv[1])
model = torchvision.models.resnet50(weights=None).cuda().half().eval()
model = model.to(memory_format=torch.channels_last)
pictures = torch.randn(32, 3, 224, 224, device="cuda", dtype=torch.half)
pictures = pictures.to(memory_format=torch.channels_last)


def with_range(module, name):
    inner = module.forward

    def forward(*args):
        nvtx.range_push(name)
        result = inner(*args)
        nvtx.range_pop()
        return result

    module.forward = forward


for number in range(1, 5):
    layer = getattr(model, f"layer{number}")
    with_range(layer, f"layer{number}")
    for index, block in enumerate(layer):
        with_range(block, f"block{index}")


def classify():
    nvtx.range_push("normalize")
    batch = (pictures - pictures.mean((2, 3), keepdim=True)) / 0.5
    nvtx.range_pop()
    nvtx.range_push("network")
    scores = model(batch)
    nvtx.range_pop()
    nvtx.range_push("rank")
    best = scores.float().softmax(-1).sort(descending=True)
    nvtx.range_pop()
    return best


with torch.no_grad():
    for _ in range(5):
        classify()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(batches):
        nvtx.range_push("batch")
        classify()
        nvtx.range_pop()
    torch.cuda.synchronize()
print(f"BENCH {time.perf_counter() - start:.4f}", flush=True)
