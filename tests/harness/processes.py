"""Processes: started, read, waited for, looked into and ended."""

import fcntl
import os
import select
import signal
import subprocess
import time


def descendants(pid):
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                for child in map(int, file.read().split()):
                    found += [child] + descendants(child)
    except OSError:
        pass
    return found


def stacks(pids):
    """Where processes hang, as far as it can be told."""
    text = ""
    for pid in pids[:4]:
        try:
            text += subprocess.run(
                ["gdb", "-p", str(pid), "-batch", "-ex",
                 "thread apply all bt 14"], capture_output=True, text=True,
                timeout=30).stdout
        except (OSError, subprocess.TimeoutExpired):
            pass
    return "\n".join(line for line in text.splitlines()
                     if line.startswith(("#", "Thread")))


def drain(ends, until):
    """What comes out of the pipes until nobody has them open any more; whether
    that was before `until`."""
    out = {end: bytearray() for end in ends}
    poll = select.poll()
    for end in ends:
        poll.register(end, select.POLLIN)
    left = len(ends)
    while left > 0:
        ready = poll.poll(max(0, until - time.monotonic()) * 1000)
        if not ready:
            return out, False
        for end, _ in ready:
            data = os.read(end, 65536)
            out[end] += data
            if not data:
                poll.unregister(end)
                left -= 1
    return out, True


def spawn(argv, env, cwd):
    """The process, and where its report, output and errors come out."""
    pipes = [os.pipe() for _ in range(3)]
    pid = os.fork()
    if pid == 0:
        try:
            os.chdir(cwd)
            os.setsid()
            ends = [fcntl.fcntl(pipe[1], fcntl.F_DUPFD, 20) for pipe in pipes]
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for end, number in zip(ends, (9, 1, 2)):
                os.dup2(end, number)
            os.closerange(3, 9)
            os.closerange(10, 256)
            for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            os.execve(argv[0], argv, env)
        finally:
            os._exit(127)
    for pipe in pipes:
        os.close(pipe[1])
    return pid, [pipe[0] for pipe in pipes]


def await_end(pid, until):
    """Its status and what it used; none when it goes on."""
    while True:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        if ended:
            return status, usage
        if time.monotonic() > until:
            return None
        time.sleep(0.0005)


def end_all():
    for process in descendants(os.getpid()):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def reap():
    """Whether all orphans have ended within a while."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.001)
        except ChildProcessError:
            return True
    return False
