"""A model of transformers (Qwen2, random weights) under torch.compile.

compiled_model.py [STEPS]: regions `compile`, `prefill` and STEPS times `decode`.
"""

import sys

import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
BATCH, TOKENS = 8, 256
torch.manual_seed(0)
config = Qwen2Config(
    hidden_size=1024, intermediate_size=2816, num_hidden_layers=4,
    num_attention_heads=16, num_key_value_heads=4, vocab_size=8192,
    max_position_embeddings=2048, use_cache=False)
model = Qwen2ForCausalLM(config).to("cuda", torch.bfloat16).eval()
compiled = torch.compile(model, dynamic=False)


def region(name, tokens):
  torch.cuda.nvtx.range_push(name)
  logits = compiled(tokens).logits
  torch.cuda.nvtx.range_pop()
  return logits[:, -1:].argmax(-1)


with torch.no_grad():
  prompt = torch.randint(0, 8192, (BATCH, TOKENS), device="cuda")
  token = prompt[:, :1]
  region("compile", prompt)
  region("compile", token)
  region("prefill", prompt)
  for _ in range(STEPS):
    token = region("decode", token)
torch.cuda.synchronize()
print("done", STEPS)
