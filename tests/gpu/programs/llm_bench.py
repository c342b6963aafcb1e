"""A small Llama that decodes, with an NVTX range around every step and layer.

    llm_bench.py MODE STEPS GENERATIONS    MODE: plain | apart | torchprof | proton | paired

`apart` waits for the GPU before and behind everything in a range, so that no
range's work meets that of another, as where its instances are counted exactly.
Prints `BENCH` and the seconds of every generation after the first.
"""
import contextlib
import sys
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM

mode, steps, generations = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
torch.manual_seed(0)
config = LlamaConfig(hidden_size=1024, intermediate_size=2816,
                     num_hidden_layers=8, num_attention_heads=16,
                     vocab_size=4096, max_position_embeddings=2048)
model = LlamaForCausalLM(config).to("cuda", torch.bfloat16).eval()
nvtx = torch.cuda.nvtx


@contextlib.contextmanager
def a_range(name):
    if mode == "apart":
        torch.cuda.synchronize()
    nvtx.range_push(name)
    yield
    if mode == "apart":
        torch.cuda.synchronize()
    nvtx.range_pop()


def with_range(module, name):
    inner = module.forward

    def forward(*args, **kwargs):
        with a_range(name):
            return inner(*args, **kwargs)

    module.forward = forward


for index, layer in enumerate(model.model.layers):
    with_range(layer.self_attn, f"layer{index}.attn")
    with_range(layer.mlp, f"layer{index}.mlp")
tokens = torch.randint(0, 4096, (4, 256), device="cuda")


def generate():
    with torch.no_grad():
        with a_range("prefill"):
            output = model(tokens, use_cache=True)
            torch.cuda.synchronize()
        token = output.logits[:, -1:].argmax(-1)
        cache = output.past_key_values
        for _ in range(steps):
            with a_range("decode"):
                output = model(token, past_key_values=cache, use_cache=True)
                token = output.logits[:, -1:].argmax(-1)
            cache = output.past_key_values
        torch.cuda.synchronize()


def timed():
    seconds = []
    for _ in range(generations):
        start = time.perf_counter()
        generate()
        seconds.append(time.perf_counter() - start)
    return seconds


generate()
if mode == "paired":
    # Every second generation between cudaProfilerStart and -Stop, which is when
    # a tracer with pausable=1 traces.
    seconds = {"traced": [], "paused": []}
    generate()
    for number in range(generations):
        names = ["paused", "traced"][::-1 if number % 2 else 1]
        for name in names:
            if name == "traced":
                torch.cuda.profiler.start()
            else:
                torch.cuda.profiler.stop()
            start = time.perf_counter()
            generate()
            seconds[name].append(time.perf_counter() - start)
    for name, all_seconds in seconds.items():
        print(name, "BENCH", " ".join(f"{value:.4f}" for value in all_seconds),
              flush=True)
    sys.exit()
if mode == "torchprof":
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]):
        result = timed()
elif mode == "proton":
    import tempfile

    import triton.profiler as proton
    with tempfile.TemporaryDirectory() as folder:
        proton.start(folder + "/proton")
        result = timed()
        proton.finalize()
else:
    result = timed()
print("BENCH", " ".join(f"{value:.4f}" for value in result), flush=True)
