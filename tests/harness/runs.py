"""Runs a case, bare and under the library, and says how the two differ."""

import ctypes
import dataclasses
import fcntl
import os
import pathlib
import resource
import select
import shutil
import signal
import subprocess
import time

import traces
from description import walk

HANGS_AFTER = 20  # seconds; a run takes a tenth of one
MORE_MEMORY = 40 * 1024  # KiB that the library may take,
MEMORY_OF_CALL = 0.3  # and KiB for each call, which may bring a new name

# What makes losses the program's own doing; the trace says what it lacks.
SCARCE = {"descriptors", "filesize", "addresses", "nobody", "processes",
          "chroot", "remove", "truncate", "sandbox"}

libc = ctypes.CDLL(None, use_errno=True)


def mount(kind, place, options):
    return libc.mount(b"none", os.fsencode(place), kind, 0, options) == 0


@dataclasses.dataclass
class Files:
    """What was built."""
    program: pathlib.Path
    library: pathlib.Path
    cupti: pathlib.Path = None  # of modes `trace` and `sample`
    ranges: pathlib.Path = None  # of mode `count`
    driver: pathlib.Path = None


@dataclasses.dataclass
class Outcome:
    lines: dict = dataclasses.field(default_factory=dict)  # by actor
    output: bytes = b""
    errors: bytes = b""
    end: str = ""
    memory: int = 0  # KiB
    calls: int = 0
    left: list = dataclasses.field(default_factory=list)  # files
    hang: str = ""
    wrong: list = dataclasses.field(default_factory=list)  # with the traces


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


class Place:
    """The folders in which one worker runs its cases."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        libc.prctl(36, 1, 0, 0, 0)  # orphans become ours: PR_SET_CHILD_SUBREAPER
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self.mounts = libc.unshare(0x20000) == 0 and libc.mount(
            b"none", b"/", None, 0x44000, None) == 0  # NEWNS; PRIVATE | REC
        for name, kind, options in (("full", b"tmpfs", b"size=48k"),
                                    ("ramfs", b"ramfs", b""),
                                    ("readonly", b"tmpfs", b"ro")):
            (self.root / name).mkdir()
            self.mounts = self.mounts and mount(kind, self.root / name, options)
        self.batch = self.root / "batch"
        self.batch.mkdir()
        self.number = 0

    def fresh(self, name):
        path = self.root / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        path.chmod(0o755)
        return path

    def folder(self, kind):
        """For traces."""
        if kind == "absent" or not self.mounts and kind == "readonly":
            return self.root / "nothing" / "here"
        if kind == "readonly":
            return self.root / "readonly"
        if kind in ("full", "ramfs") and self.mounts:
            return self.fresh(f"{kind}/traces")
        return self.fresh("traces")

    def keep(self, folder):
        """Puts traces aside, to be read together."""
        self.number += 1
        kept = self.batch / str(self.number)
        kept.mkdir()
        for path in folder.glob("*.rftrace"):
            shutil.move(path, kept / path.name)
        return kept


COUNT_PLAN = ("rangefinder-count\t1\nrow\t0\t1\t0\t0\t1\tsplit\t\tA\n"
              "row\t0\t1\t0\t0\t1\twhole\t\tpair\n")


def environment(case, files, place, traced, folder):
    of_program = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"),
                  "TSAN_OPTIONS": "report_thread_leaks=0:"
                                  "report_signal_unsafe=0:"
                                  "die_after_fork=0",
                  "FOREIGN_TALLY": str(place.root / "tally"),
                  "FOREIGN_FOLDER": str(folder)}
    if case.mode != "regions":
        of_program["FOREIGN_CUPTI"] = str(
            files.ranges if case.mode == "count" else files.cupti)
        of_program["FAKE_DRIVER"] = str(files.driver)
    if not traced:
        return of_program
    plan = place.root / "plan"
    plan.write_text(COUNT_PLAN)
    return of_program | {
        "NVTX_INJECTION64_PATH": str(files.library),
        "CUDA_INJECTION64_PATH": str(files.library),
        "RANGEFINDER_INJECT_DIR": str(folder),
        "RANGEFINDER_INJECT_MODE": case.mode,
        "RANGEFINDER_INJECT_COUNT_PLAN": str(plan),
        "RANGEFINDER_CUPTI_PATH": of_program.get("FOREIGN_CUPTI", "")} | (
            {"RANGEFINDER_INJECT_METRICS": "one.sum,two.avg"}
            if case.mode == "count" else {})


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


def end_all(pid):
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


def end_of(status):
    if os.WIFSIGNALED(status):
        return f"killed by {os.WTERMSIG(status)}"
    return f"exited {os.WEXITSTATUS(status)}"


def run(case, files, place, traced):
    folder = place.folder(case.folder)
    cwd = place.fresh("cwd")
    tally = place.root / "tally"
    tally.write_bytes(bytes(traces.TALLY_SIZE))
    tally.chmod(0o666)
    text = str(case).partition("|")[2].strip()
    until = time.monotonic() + HANGS_AFTER
    pid, pipes = spawn([str(files.program), "0", text],
                       environment(case, files, place, traced, folder), cwd)
    out, ended = drain(pipes, until)
    outcome = Outcome()
    result = await_end(pid, until) if ended else None
    if result is None:
        outcome.hang = "after %d s: %s" % (
            HANGS_AFTER, stacks(descendants(os.getpid())) or "no stack")
        end_all(pid)
        result = await_end(pid, time.monotonic() + 30) or (0, None)
    if not reap():
        outcome.left.append("a process goes on")
        end_all(pid)
        reap()
    for end in pipes:
        os.close(end)
    status, usage = result
    outcome.end = end_of(status)
    outcome.memory = usage.ru_maxrss if usage else 0
    report, outcome.output, outcome.errors = (bytes(out[end]) for end in pipes)
    for line in report.decode(errors="replace").splitlines():
        actor, _, said = line.partition(" ")
        outcome.lines.setdefault(actor, []).append(said)
    outcome.left += sorted(os.listdir(cwd))
    if traced and not outcome.hang:
        made = traces.read_tally(tally)
        outcome.calls = sum(sum(begun.values()) for _, begun, _ in made.values())
        check_traces(case, place, folder, made, outcome)
    return outcome


def check_traces(case, place, folder, made, outcome):
    if not folder.is_dir():
        return
    outcome.left += sorted(path.name for path in folder.iterdir()
                           if path.suffix != ".rftrace")
    names = {action.name for action, _ in walk(case.program)}
    if "truncate" in names:
        return
    strict = case.folder == "normal" and not names & SCARCE
    try:
        # Where a file cannot be mapped, blocks are written when they are full
        # or the program ends.
        bounded = case.folder != "ramfs" and "sandbox" not in names
        pids = traces.read_folder(folder, bounded)
        outcome.wrong += traces.compare(
            made, pids, strict, bounded)
    except traces.Bad as error:
        outcome.wrong.append(str(error))
    place.keep(folder)


def by_actor(bare, traced):
    for actor in sorted(bare.keys() | traced.keys()):
        ours, theirs = traced.get(actor, []), bare.get(actor, [])
        if ours == theirs:
            continue
        at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b),
                  min(len(ours), len(theirs)))
        pick = lambda lines: lines[at] if at < len(lines) else "(nothing)"
        yield f"{actor}: '{pick(theirs)}' is '{pick(ours)}' under the library"


def differences(bare, traced, measured):
    """`measured`: memory counts, which is not so with sanitizers."""
    if traced.hang:
        return [f"hangs {traced.hang}"]
    found = []
    if bare.end != traced.end:
        found.append(f"{bare.end}, {traced.end} under the library")
    found += by_actor(bare.lines, traced.lines)
    for name in ("output", "errors", "left"):
        if getattr(bare, name) != getattr(traced, name):
            found.append(f"{name}: {getattr(bare, name)}, "
                         f"{getattr(traced, name)} under the library")
    most = bare.memory + MORE_MEMORY + MEMORY_OF_CALL * traced.calls
    if measured and traced.memory > most:
        found.append(f"memory: {bare.memory} KiB, {traced.memory} KiB under "
                     f"the library")
    return found + traced.wrong
