"""NVTX ranges in a training step, and around the replays of a CUDA graph.

The forward pass launches from this thread, the backward pass from autograd's.
"""
import torch

nvtx = torch.cuda.nvtx
model = torch.nn.Sequential(
    torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 8)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.randn(64, 256, device="cuda")
for step in range(4):
    nvtx.range_push("step")
    nvtx.range_push("forward")
    loss = model(data).square().mean()
    nvtx.range_pop()
    nvtx.range_push("backward")
    loss.backward()
    nvtx.range_pop()
    nvtx.range_push("optimizer")
    optimizer.step()
    optimizer.zero_grad()
    nvtx.range_pop()
    nvtx.range_pop()
with torch.autograd.profiler.emit_nvtx():
    loss = model(data).square().mean()
    loss.backward()
torch.cuda.synchronize()

still = torch.randn(64, 256, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    result = model(still)
for _ in range(5):
    with nvtx.range("replay"):
        graph.replay()
torch.cuda.synchronize()
print("done")
