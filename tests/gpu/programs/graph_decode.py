#!/usr/bin/env python3
"""Decodes with a model of transformers (random weights): eagerly, as one captured CUDA graph, or compiled.

graph_decode.py eager|graph|compile STEPS [LAYERS] [qwen|llama]

Ranges come from module hooks, as serving frameworks place them. While a graph is captured they open and close around the calls that
are captured, so the kernels of its launches belong to them.
"""
import sys

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM, StaticCache

BATCH, PROMPT = 8, 512
mode, steps = sys.argv[1], int(sys.argv[2])
layers = int(sys.argv[3]) if len(sys.argv) > 3 else 6
torch.manual_seed(0)
if sys.argv[4:] == ["llama"]:
    config = LlamaConfig(hidden_size=1024, intermediate_size=2816, num_hidden_layers=layers, num_attention_heads=16,
                         vocab_size=4096, max_position_embeddings=2048)
    model = LlamaForCausalLM(config)
else:
    config = Qwen2Config(hidden_size=1536, intermediate_size=4096, num_hidden_layers=layers, num_attention_heads=12,
                         num_key_value_heads=2, vocab_size=8192, max_position_embeddings=4096)
    model = Qwen2ForCausalLM(config)
model = model.to("cuda", torch.bfloat16).eval()
nvtx = torch.cuda.nvtx


def push(name):
    nvtx.range_push(name)


def pop():
    nvtx.range_pop()


if mode != "compile":
    for name, module in model.named_modules():
        if name and name.count(".") <= 3:
            module.register_forward_pre_hook(lambda *_, name=name: push(name))
            module.register_forward_hook(lambda *_: pop())
cache = StaticCache(config=config, max_cache_len=PROMPT + steps + 8)
prompt = torch.randint(0, config.vocab_size, (BATCH, PROMPT), device="cuda")
position = torch.tensor([PROMPT], device="cuda")


@torch.no_grad()
def step(token):
    return model(token, past_key_values=cache, use_cache=True, cache_position=position).logits[:, -1:].argmax(-1)


@torch.no_grad()
def prefill():
    cache.reset()
    push("prefill")
    output = model(prompt, past_key_values=cache, use_cache=True, cache_position=torch.arange(PROMPT, device="cuda"))
    pop()
    return output.logits[:, -1:].argmax(-1)


token = prefill()
if mode == "compile":
    step = torch.compile(step, mode="reduce-overhead")
    for _ in range(4):
        step(token)
if mode == "graph":
    still = token.clone()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        step(still)
        step(still)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        after = step(still)
torch.cuda.synchronize()
token = prefill()
for i in range(steps):
    push("decode")
    position.fill_(PROMPT + i)
    if mode == "graph":
        still.copy_(token)
        graph.replay()
        token = after
    else:
        token = step(token).clone()
    pop()
torch.cuda.synchronize()
