#!/usr/bin/env python3
"""Runs a command and presses Ctrl-C: interrupt.py FOLDER COMMAND...

SIGINT goes to the whole process group, as a terminal sends it, once the logs in
FOLDER tell of five kernels, or after 25 s. Ends with the command's status.
(A shell cannot do it: it starts background commands with SIGINT ignored.)
"""

import os
import pathlib
import signal
import subprocess
import sys
import time


def profiled(folder):
    return max((log.read_text(errors="replace").count("==PROF== Profiling")
                for pattern in ("*.log", "log.txt")
                for log in pathlib.Path(folder).glob(pattern)), default=0)


def main():
    folder, command = sys.argv[1], sys.argv[2:]
    process = subprocess.Popen(
        command, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    start = time.monotonic()
    while process.poll() is None:
        if profiled(folder) >= 5 or time.monotonic() - start > 25:
            break
        time.sleep(0.05)
    if process.poll() is not None:
        sys.exit(f"interrupt.py: it ended by itself: {process.returncode}")
    print(f"interrupt.py: Ctrl-C after {time.monotonic() - start:.1f} s, "
          f"{profiled(folder)} kernels in the logs", file=sys.stderr)
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
