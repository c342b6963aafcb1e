"""Runs llm_bench.py under many settings of the tracer in little time.

    llm_tune.py LIBRARY FOLDER SECONDS STEPS GENERATIONS [NAME=TUNE ...]

PyTorch is imported once; every run is a forked process that starts CUDA itself.
NAME `bare` runs without the tracer, and `regions` traces NVTX alone; the other
names trace with RANGEFINDER_INJECT_TUNE=TUNE. Rounds go through the names in
alternating order until SECONDS are over, each between two bare runs. Prints the
BENCH lines of llm_bench.py, each after its NAME.
"""
import os
import runpy
import shutil
import sys
import time

os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
import torch  # noqa: E402,F401
import transformers  # noqa: E402,F401
from transformers import LlamaForCausalLM  # noqa: E402,F401

library, folder, seconds, steps, generations = sys.argv[1:6]
runs = [item.partition("=")[::2] for item in sys.argv[6:]]
here = os.path.dirname(os.path.abspath(__file__))
start = time.monotonic()


def child(name, tune, pipe):
    os.dup2(pipe, 1)
    if name != "bare":
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        os.environ["RANGEFINDER_INJECT_DIR"] = folder
        os.environ["NVTX_INJECTION64_PATH"] = library
        os.environ["RANGEFINDER_INJECT_MODE"] = "regions"
        if name != "regions":
            os.environ["RANGEFINDER_INJECT_MODE"] = "trace"
            os.environ["CUDA_INJECTION64_PATH"] = library
            os.environ["RANGEFINDER_INJECT_TUNE"] = tune
    sys.argv = ["llm_bench.py", "plain", steps, generations]
    try:
        runpy.run_path(os.path.join(here, "llm_bench.py"), run_name="__main__")
        sys.stdout.flush()
        os._exit(0)
    except BaseException as error:
        print(error, file=sys.stderr, flush=True)
        os._exit(1)


def run(name, tune):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        child(name, tune, write)
    os.close(write)
    with os.fdopen(read) as lines:
        for line in lines:
            if line.startswith("BENCH"):
                print(name, line, end="", flush=True)
    status = os.waitpid(pid, 0)[1]
    if status != 0:
        print(f"{name}: status {status}", file=sys.stderr, flush=True)


forward = True
while time.monotonic() - start < float(seconds):
    run("bare", "")
    for name, tune in runs if forward else reversed(runs):
        if time.monotonic() - start > float(seconds):
            break
        run(name, tune)
    run("bare", "")
    forward = not forward
