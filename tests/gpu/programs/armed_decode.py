"""A server without requests: decodes for some seconds with a Llama of transformers (random weights).

    armed_decode.py eager|graph SECONDS FILE

Writes a line for every step to FILE: when it began (ns since 1970) and how long it took (ns). A step waits for its token, as a
server does that sends it. With `graph` the step is one CUDA graph, captured inside the ranges of the layers.
"""
import sys
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

mode, seconds, file = sys.argv[1], float(sys.argv[2]), sys.argv[3]
BATCH, LENGTH = 8, 512
torch.manual_seed(0)
config = LlamaConfig(hidden_size=1024, intermediate_size=2816, num_hidden_layers=8, num_attention_heads=16, vocab_size=4096,
                     max_position_embeddings=2048)
model = LlamaForCausalLM(config).to("cuda", torch.bfloat16).eval()
nvtx = torch.cuda.nvtx


def with_range(module, name):
    def push(*_):
        nvtx.range_push(name)

    def pop(*_):
        nvtx.range_pop()

    module.register_forward_pre_hook(push)
    module.register_forward_hook(pop)


for index, layer in enumerate(model.model.layers):
    with_range(layer.self_attn, f"layer{index}.attn")
    with_range(layer.mlp, f"layer{index}.mlp")
cache = StaticCache(config=config, max_cache_len=LENGTH)
token = torch.randint(0, 4096, (BATCH, 1), device="cuda")
position = torch.tensor([LENGTH // 2], device="cuda")


@torch.no_grad()
def step():
    return model(token, past_key_values=cache, use_cache=True, cache_position=position).logits[:, -1:].argmax(-1)


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        after = step()
torch.cuda.current_stream().wait_stream(side)
if mode == "graph":
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        after = step()
torch.cuda.synchronize()

steps = []
end = time.monotonic() + seconds
print("ready", flush=True)
while time.monotonic() < end:
    if len(steps) % 200 == 0:
        cache.reset()
    begun, start = time.time_ns(), time.perf_counter_ns()
    nvtx.range_push("decode")
    if mode == "graph":
        graph.replay()
    else:
        after = step()
    torch.cuda.synchronize()
    nvtx.range_pop()
    steps.append((begun, time.perf_counter_ns() - start))
with open(file, "w") as out:
    out.writelines(f"{begun} {took}\n" for begun, took in steps)
