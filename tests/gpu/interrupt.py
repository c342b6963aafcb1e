#!/usr/bin/env python3
"""Runs a command and presses Ctrl-C: interrupt.py LOG COMMAND...

SIGINT goes to the whole process group, as a terminal sends it, once LOG has
five lines of kernels profiled, or after 25 s. Ends with the command's status.
(A shell cannot do it: it starts background commands with SIGINT ignored.)
"""

import os
import signal
import subprocess
import sys
import time


def profiled(log):
    try:
        with open(log, errors="replace") as file:
            return file.read().count("==PROF== Profiling")
    except OSError:
        return 0


def main():
    log, command = sys.argv[1], sys.argv[2:]
    process = subprocess.Popen(
        command, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    start = time.monotonic()
    while process.poll() is None:
        if profiled(log) >= 5 or time.monotonic() - start > 25:
            break
        time.sleep(0.05)
    if process.poll() is not None:
        sys.exit(f"interrupt.py: it ended by itself: {process.returncode}")
    print(f"interrupt.py: Ctrl-C after {time.monotonic() - start:.1f} s, "
          f"{profiled(log)} kernels in the log", file=sys.stderr)
    os.killpg(process.pid, signal.SIGINT)
    try:
        status = process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        sys.exit("interrupt.py: still running 60 s after Ctrl-C")
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
