"""A ResNet-50 that classifies pictures, with an NVTX range around every block.

    vision_bench.py BATCHES [apart]

`apart` waits for the GPU before and behind everything in a range, so that no
range's work meets that of another, as where its instances are counted exactly.
Prints `BENCH` and the seconds that the batches took together.
"""
import contextlib
import sys
import time

import torch
import torchvision

nvtx = torch.cuda.nvtx
torch.manual_seed(0)
batches = int(sys.argv[1])
apart = sys.argv[2:] == ["apart"]
model = torchvision.models.resnet50(weights=None).cuda().half().eval()
model = model.to(memory_format=torch.channels_last)
pictures = torch.randn(32, 3, 224, 224, device="cuda", dtype=torch.half)
pictures = pictures.to(memory_format=torch.channels_last)


@contextlib.contextmanager
def a_range(name):
    if apart:
        torch.cuda.synchronize()
    nvtx.range_push(name)
    yield
    if apart:
        torch.cuda.synchronize()
    nvtx.range_pop()


def with_range(module, name):
    inner = module.forward

    def forward(*args):
        with a_range(name):
            return inner(*args)

    module.forward = forward


for number in range(1, 5):
    layer = getattr(model, f"layer{number}")
    with_range(layer, f"layer{number}")
    for index, block in enumerate(layer):
        with_range(block, f"block{index}")


def classify():
    with a_range("normalize"):
        batch = (pictures - pictures.mean((2, 3), keepdim=True)) / 0.5
    with a_range("network"):
        scores = model(batch)
    with a_range("rank"):
        return scores.float().softmax(-1).sort(descending=True)


with torch.no_grad():
    for _ in range(5):
        classify()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(batches):
        with a_range("batch"):
            classify()
    torch.cuda.synchronize()
print(f"BENCH {time.perf_counter() - start:.4f}", flush=True)
