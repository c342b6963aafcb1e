"""Runs a PyTorch program again and again, bare and under the tracer's modes.

    rounds.py ROUNDS FOLDER MODE,MODE... SCRIPT [ARGUMENT...]

A mode may be followed by a colon and the name of a plan of counting, which is
FOLDER/NAME.plan, and by another one and RANGEFINDER_INJECT_TUNE.

PyTorch is imported once; every run is a child that is forked before CUDA or
NVTX is touched, and runs the script as `python3 SCRIPT` does. The modes take
turns, each round begins with the next. Their settings come from the
environment: RANGEFINDER_INJECT_LIBRARY and the rest as the library reads them.
Prints every run's lines behind its mode.
"""
import os
import runpy
import shutil
import sys

import torch  # noqa: F401
import transformers  # noqa: F401
from transformers import LlamaForCausalLM  # noqa: F401

rounds, folder, modes = int(sys.argv[1]), sys.argv[2], sys.argv[3].split(",")
library = os.environ["RANGEFINDER_INJECT_LIBRARY"]


def run(mode):
    trace = os.path.join(folder, mode)
    shutil.rmtree(trace, ignore_errors=True)
    os.makedirs(trace)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(write, 1)
        os.close(read)
        if mode != "bare":
            os.environ["NVTX_INJECTION64_PATH"] = library
            os.environ["CUDA_INJECTION64_PATH"] = library
            os.environ["RANGEFINDER_INJECT_DIR"] = trace
            kind, plan, tune = (mode.split(":") + ["", ""])[:3]
            os.environ["RANGEFINDER_INJECT_MODE"] = kind
            if tune:
                os.environ["RANGEFINDER_INJECT_TUNE"] = tune
            if plan:
                os.environ["RANGEFINDER_INJECT_COUNT_PLAN"] = os.path.join(
                    folder, plan + ".plan")
        sys.argv = sys.argv[4:]
        runpy.run_path(sys.argv[0], run_name="__main__")
        sys.exit()
    os.close(write)
    with os.fdopen(read) as lines:
        for line in lines:
            print(mode, line, end="", flush=True)
    _, status = os.waitpid(child, 0)
    if status:
        print(mode, "FAILED", status, flush=True)


for number in range(rounds):
    turn = number % len(modes)
    for mode in modes[turn:] + modes[:turn]:
        run(mode)
