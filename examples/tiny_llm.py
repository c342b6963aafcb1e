#!/usr/bin/env python3
"""A tiny Llama-like model in plain PyTorch, with nested NVTX ranges.

    prefill                     the prompt at once
    decode_0, decode_1, ...     one token a step, with a key/value cache
      layer_0, layer_1, ...     in each of them
        attn, mlp               in each layer
      lm_head

It needs PyTorch and a CUDA GPU, and nothing else: no weights are fetched, they
are random from a fixed seed. The checksum it prints at the end depends on the
arguments and the GPU alone.
"""

import argparse
import sys

try:
    import torch
    import torch.nn.functional as functional
    from torch import nn
except ImportError:
    sys.exit("tiny_llm.py: PyTorch is not installed for this python3 "
             f"({sys.executable}); install it, or profile one of the CUDA "
             "examples instead")


def region(name):
    """An NVTX range around a block of code."""
    return torch.cuda.nvtx.range(name)


class Attention(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.out = nn.Linear(hidden, hidden, bias=False)

    def forward(self, x, cache):
        batch, length, hidden = x.shape
        shape = (batch, length, self.heads, hidden // self.heads)
        q, k, v = (t.view(shape).transpose(1, 2)
                   for t in self.qkv(x).chunk(3, dim=-1))
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        # One new token sees all of the past; a prompt is masked.
        y = functional.scaled_dot_product_attention(q, k, v,
                                                    is_causal=cache is None)
        y = y.transpose(1, 2).reshape(batch, length, hidden)
        return self.out(y), (k, v)


class Mlp(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.gate = nn.Linear(hidden, 2 * hidden, bias=False)
        self.up = nn.Linear(hidden, 2 * hidden, bias=False)
        self.down = nn.Linear(2 * hidden, hidden, bias=False)

    def forward(self, x):
        return self.down(functional.silu(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.norm_1 = nn.LayerNorm(hidden)
        self.attention = Attention(hidden, heads)
        self.norm_2 = nn.LayerNorm(hidden)
        self.mlp = Mlp(hidden)

    def forward(self, x, cache):
        with region("attn"):
            y, cache = self.attention(self.norm_1(x), cache)
            x = x + y
        with region("mlp"):
            x = x + self.mlp(self.norm_2(x))
        return x, cache


class TinyLlm(nn.Module):
    def __init__(self, vocabulary, hidden, heads, layers):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, hidden)
        self.layers = nn.ModuleList(
            Layer(hidden, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(hidden)
        self.lm_head = nn.Linear(hidden, vocabulary, bias=False)

    def forward(self, tokens, caches):
        x = self.embedding(tokens)
        new_caches = []
        for index, layer in enumerate(self.layers):
            with region(f"layer_{index}"):
                x, cache = layer(x, caches[index])
            new_caches.append(cache)
        with region("lm_head"):
            logits = self.lm_head(self.norm(x[:, -1:]))
        return logits, new_caches


def parse_arguments():
    parser = argparse.ArgumentParser(
        description="A tiny Llama-like model with nested NVTX ranges.")
    parser.add_argument("--steps", type=int, default=3,
                        help="tokens to decode (3)")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--prompt", type=int, default=64,
                        help="tokens of the prompt (64)")
    parser.add_argument("--vocabulary", type=int, default=1024)
    parser.add_argument("--no-warm-up", action="store_true",
                        help="leave out the forward pass outside prefill and "
                        "decode, in the range warm_up, that loads libraries")
    arguments = parser.parse_args()
    if arguments.hidden % arguments.heads:
        parser.error("--hidden must be a multiple of --heads")
    return arguments


@torch.inference_mode()
def main():
    arguments = parse_arguments()
    if not torch.cuda.is_available():
        sys.exit("tiny_llm.py: PyTorch sees no CUDA GPU on this machine "
                 f"(torch {torch.__version__})")
    torch.manual_seed(0)
    device = torch.device("cuda", torch.cuda.current_device())
    model = TinyLlm(arguments.vocabulary, arguments.hidden, arguments.heads,
                    arguments.layers)
    model = model.to(device, torch.bfloat16).eval()
    prompt = torch.randint(0, arguments.vocabulary,
                           (arguments.batch, arguments.prompt)).to(device)
    no_caches = [None] * arguments.layers

    if not arguments.no_warm_up:
        with region("warm_up"):
            model(prompt, no_caches)
            torch.cuda.synchronize()

    with region("prefill"):
        logits, caches = model(prompt, no_caches)
        token = logits.argmax(dim=-1)
        torch.cuda.synchronize()
    checksum = token.sum()
    for step in range(arguments.steps):
        with region(f"decode_{step}"):
            logits, caches = model(token, caches)
            token = logits.argmax(dim=-1)
            torch.cuda.synchronize()
        checksum = checksum + token.sum()
    print(f"checksum {checksum.item()}")


if __name__ == "__main__":
    main()
