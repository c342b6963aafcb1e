#!/usr/bin/env python3
"""A small inference server: HTTP on loopback, continuous batching over a Llama of transformers with random weights, one CUDA graph for
each batch size, and the ranges that vLLM opens. It starts its client, which asks with changing concurrency, and ends after it.

    token_server.py KNOWN_JSON [REQUESTS]    writes what is known of the work: bytes of weights and of the cache, and the steps
    token_server.py client PORT REQUESTS

The layers' modules are those of transformers; the loop over them and the cache are written here, so that every byte of a step is known:
each step reads all weights but the embedding, and of every request CONTEXT positions of keys and values.
"""
import concurrent.futures
import http.client
import http.server
import json
import os
import queue
import random
import subprocess
import sys
import threading

CONTEXT, SLOTS = 128, 16


def ask(port, prompt, tokens):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("POST", "/generate", json.dumps({"prompt": prompt, "tokens": tokens}))
    answer = connection.getresponse()
    if answer.status != 200:
        raise RuntimeError(f"status {answer.status}")
    if len(json.load(answer)["tokens"]) != tokens:
        raise RuntimeError("another number of tokens than asked for")
    connection.close()


def run_client(port, requests):
    draw = random.Random(1)
    sent = 0
    while sent < requests:
        at_once = draw.randint(1, SLOTS)
        count = min(4 * at_once, requests - sent)
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            jobs = [pool.submit(ask, port, [draw.randrange(1000) for _ in range(draw.randint(16, 64))], draw.randint(24, 60))
                    for _ in range(count)]
            for job in jobs:
                job.result()
        sent += count


class Request:
    def __init__(self, prompt, tokens):
        self.prompt, self.left, self.tokens = prompt, tokens, []
        self.done = threading.Event()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = Request(asked["prompt"][:CONTEXT - 64], min(asked["tokens"], 60))
        self.server.waiting.put(request)
        request.done.wait()
        body = json.dumps({"tokens": request.tokens}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Engine:
    def __init__(self, torch, small):
        from transformers import LlamaConfig, LlamaForCausalLM
        self.torch, self.device = torch, "cpu" if small else "cuda"
        width, layers = (64, 2) if small else (4096, 6)
        self.heads = width // (16 if small else 128)
        config = LlamaConfig(hidden_size=width, intermediate_size=4 * width, num_hidden_layers=layers, num_attention_heads=self.heads,
                             num_key_value_heads=self.heads, vocab_size=1000 if small else 32000, tie_word_embeddings=False)
        torch.manual_seed(0)
        kind = torch.float32 if small else torch.bfloat16
        torch.set_default_dtype(kind)
        with torch.device(self.device):
            self.model = LlamaForCausalLM(config).to(self.device, kind).eval()
            shape = (layers, 2, SLOTS, self.heads, CONTEXT, width // self.heads)
            self.cache = torch.zeros(shape)
            self.tokens = torch.zeros(SLOTS, dtype=torch.long)
            self.places = torch.zeros(SLOTS, dtype=torch.long)
            self.at = torch.arange(CONTEXT)
        self.graphs = {}

    def known(self):
        parameters = dict(self.model.named_parameters())
        read = sum(p.numel() * p.element_size() for name, p in parameters.items() if "embed_tokens" not in name)
        return {"weight_bytes": read, "cache_bytes_per_request": self.cache[:, :, 0].numel() * self.cache.element_size()}

    def layers(self, hidden, store):
        """The layers over `hidden` (rows x tokens x width); `store` takes a layer's keys and values and gives those to attend to."""
        functional = self.torch.nn.functional
        rows, tokens, width = hidden.shape
        for number, layer in enumerate(self.model.model.layers):
            inner = layer.input_layernorm(hidden)
            attention = layer.self_attn
            query, key, value = (p(inner).view(rows, tokens, self.heads, -1).transpose(1, 2)
                                 for p in (attention.q_proj, attention.k_proj, attention.v_proj))
            keys, values, mask, causal = store(number, key, value)
            mixed = functional.scaled_dot_product_attention(query, keys, values, attn_mask=mask, is_causal=causal)
            hidden = hidden + attention.o_proj(mixed.transpose(1, 2).reshape(rows, tokens, width))
            hidden = hidden + layer.mlp(layer.post_attention_layernorm(hidden))
        return self.model.model.norm(hidden)

    def decode(self, rows):
        """One token for the first `rows` slots: tokens, places and cache are buffers that stay where they are."""
        places = self.places[:rows]
        mask = (self.at[None, :] <= places[:, None])[:, None, None, :]
        index = places[:, None, None, None].expand(rows, self.heads, 1, self.cache.shape[-1])

        def store(number, key, value):
            keys, values = self.cache[number, 0, :rows], self.cache[number, 1, :rows]
            keys.scatter_(2, index, key)
            values.scatter_(2, index, value)
            return keys, values, mask, False

        hidden = self.layers(self.model.model.embed_tokens(self.tokens[:rows])[:, None], store)
        return self.model.lm_head(hidden[:, 0])

    def capture(self):
        if self.device == "cpu":
            return
        side = self.torch.cuda.Stream()
        for rows in range(1, SLOTS + 1):
            side.wait_stream(self.torch.cuda.current_stream())
            with self.torch.cuda.stream(side):
                self.decode(rows)
            self.torch.cuda.current_stream().wait_stream(side)
            graph = self.torch.cuda.CUDAGraph()
            with self.torch.cuda.graph(graph):
                logits = self.decode(rows)
            self.graphs[rows] = (graph, logits)
        self.torch.cuda.synchronize()

    def logits_of(self, rows):
        if rows not in self.graphs:
            return self.decode(rows)
        graph, logits = self.graphs[rows]
        graph.replay()
        return logits

    def prefill(self, slot, prompt):
        def store(number, key, value):
            self.cache[number, 0, slot, :, :prompt.shape[0]] = key[0]
            self.cache[number, 1, slot, :, :prompt.shape[0]] = value[0]
            return key, value, None, True

        hidden = self.layers(self.model.model.embed_tokens(prompt)[None], store)
        return self.model.lm_head(hidden[:, -1])


def serve(engine, waiting, ended, steps):
    """Continuous batching: each step takes new requests in and gives all others a token."""
    torch, push, pop = engine.torch, engine.push, engine.pop
    active = []
    while not (ended() and not active and waiting.empty()):
        fresh = []
        while len(active) + len(fresh) < SLOTS:
            try:
                fresh.append(waiting.get(timeout=0.05) if not active and not fresh else waiting.get_nowait())
            except queue.Empty:
                break
        if not active and not fresh:
            continue
        length = sum(len(request.prompt) for request in fresh)
        push(f"execute_context_{len(fresh)}({length})_generation_{len(active)}({len(active)})")
        push("gpu_model_runner: preprocess")
        prompts = [torch.tensor(request.prompt, device=engine.device) for request in fresh]
        pop()
        push("gpu_model_runner: forward")
        logits = [engine.logits_of(len(active))] if active else []
        for number, prompt in enumerate(prompts):
            logits.append(engine.prefill(len(active) + number, prompt))
        pop()
        push("gpu_model_runner: sample")
        rows = len(active) + len(fresh)
        engine.tokens[:rows] = torch.cat([one.argmax(-1) for one in logits])
        engine.places[:len(active)] += 1
        for number, request in enumerate(fresh):
            engine.places[len(active) + number] = len(request.prompt)
        pop()
        push("gpu_model_runner: bookkeep")
        chosen = engine.tokens[:rows].tolist()
        pop()
        steps.append((len(fresh), length, len(active)))
        active += fresh
        for request, token in zip(active, chosen):
            request.tokens.append(token)
            request.left -= 1
        slot = 0
        push("compact")
        while slot < len(active):
            if active[slot].left > 0:
                slot += 1
                continue
            active[slot].done.set()
            last = len(active) - 1
            if slot < last:
                engine.cache[:, :, slot] = engine.cache[:, :, last]
                engine.tokens[slot] = engine.tokens[last]
                engine.places[slot] = engine.places[last]
            active[slot] = active[last]
            active.pop()
        pop()
        pop()


def main():
    if sys.argv[1] == "client":
        return run_client(int(sys.argv[2]), int(sys.argv[3]))
    import torch
    known_path, requests = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500
    engine = Engine(torch, small=not torch.cuda.is_available())
    nvtx = torch.cuda.nvtx
    engine.push, engine.pop = ((nvtx.range_push, nvtx.range_pop) if engine.device == "cuda" else (lambda _: None, lambda: None))
    with torch.inference_mode():
        engine.capture()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        server.waiting = queue.Queue()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        environment = {name: value for name, value in os.environ.items() if "INJECTION" not in name and name != "LD_PRELOAD"}
        client = subprocess.Popen([sys.executable, __file__, "client", str(server.server_port), str(requests)], env=environment)
        steps = []
        serve(engine, server.waiting, lambda: client.poll() is not None, steps)
    decode = [generating for fresh, _, generating in steps if fresh == 0]
    known = engine.known() | {"steps": len(steps), "decode_steps": len(decode), "decode_requests": sum(decode),
                              "batches": sorted(set(decode)), "client": client.returncode}
    with open(known_path, "w") as out:
        json.dump(known, out)
    print(known)
    return client.returncode


if __name__ == "__main__":
    sys.exit(main())
