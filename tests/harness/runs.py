"""Runs a case, bare and under the library, and says how the two differ."""

import dataclasses
import os
import re
import time

import processes
import traces
from description import walk
from places import environment
from windows import Windows

HANGS_AFTER = 60  # seconds; a run takes a tenth of one
MORE_MEMORY = 40 * 1024  # KiB that the library may take,
MEMORY_OF_CALL = 0.3  # and KiB for each call, which may bring a new name

# Of an armed program: it listens under a number that programs do not get.
OWN_SOCKET = re.compile(r"descriptor (\d{3,}): type 140000 ")

# Actions by which the program itself causes losses; the trace names the losses.
SCARCE = {"descriptors", "filesize", "addresses", "nobody", "processes",
          "chroot", "remove", "truncate", "sandbox", "umask"}


@dataclasses.dataclass
class Outcome:
    lines: dict = dataclasses.field(default_factory=dict)  # by actor
    output: list = dataclasses.field(default_factory=list)  # lines
    errors: list = dataclasses.field(default_factory=list)
    end: str = ""
    memory: int = 0  # KiB
    windows: int = 0
    calls: int = 0
    left: list = dataclasses.field(default_factory=list)  # files
    hang: str = ""
    wrong: list = dataclasses.field(default_factory=list)  # with the traces


def end_of(status):
    if os.WIFSIGNALED(status):
        return f"killed by {os.WTERMSIG(status)}"
    return f"exited {os.WEXITSTATUS(status)}"


def run(case, files, place, armed, traced):
    """What becomes of the program, in folders of its own. `armed`: while windows
    open in it."""
    folder = place.folder(case.folder)
    cwd = place.fresh("cwd")
    tally = place.root / "tally"
    tally.write_bytes(bytes(traces.TALLY_SIZE))
    tally.chmod(0o666)
    text = str(case).partition("|")[2].strip()
    until = time.monotonic() + HANGS_AFTER
    place.fresh("sockets")
    how = "light" if len(text) % 2 else "graphs"
    pid, pipes = processes.spawn(
        [str(files.program), "0", text],
        environment(case, files, place, traced, folder, armed and how), cwd)
    windows = Windows(case, place, folder) if traced and armed else None
    out, ended = processes.drain(pipes, until)
    outcome = Outcome()
    result = processes.await_end(pid, until) if ended else None
    if result is None:
        where = processes.stacks(processes.descendants(os.getpid()))
        outcome.hang = f"after {HANGS_AFTER} s: {where or 'no stack'}"
        processes.end_all()
        result = processes.await_end(pid, time.monotonic() + 30) or (0, None)
    if not processes.reap():
        outcome.left.append("a process goes on")
        processes.end_all()
        processes.reap()
    for end in pipes:
        os.close(end)
    if windows:
        outcome.windows = windows.stop()
    status, usage = result
    outcome.end = end_of(status)
    outcome.memory = usage.ru_maxrss if usage else 0
    report, outcome.output, outcome.errors = (
        out[end].decode(errors="replace").splitlines() for end in pipes)
    for line in report:
        actor, _, said = line.partition(" ")
        if armed and OWN_SOCKET.match(said):
            continue
        outcome.lines.setdefault(actor, []).append(said)
    outcome.left += sorted(os.listdir(cwd))
    if traced and not outcome.hang:
        made = traces.read_tally(tally)
        outcome.calls = sum(sum(begun.values())
                            for _, begun, *_ in made.values())
        # Windows have parts of what was done.
        check_traces(case, place, folder, {} if armed else made, armed, outcome)
    return outcome


def check_traces(case, place, folder, made, armed, outcome):
    if not folder.is_dir():
        return
    # A program may be killed while a window opens.
    usual = (".rftrace", ".part") if armed else (".rftrace",)
    outcome.left += sorted(path.name for path in folder.iterdir()
                           if path.suffix not in usual)
    names = {action.name for action, _ in walk(case.program)}
    if "truncate" in names:
        return
    strict = case.folder == "normal" and not names & SCARCE and not armed
    try:
        # Where a file cannot be mapped, blocks are written when they are full
        # or the program ends.
        bounded = case.folder != "ramfs" and "sandbox" not in names
        # An event after the end of a window may have a label after it.
        pids = traces.read_folder(folder, bounded and not armed)
        # A program that starts in a sandbox may have no tally.
        outcome.wrong += traces.compare(made, pids, strict, bounded,
                                        "sandbox" not in names)
    except traces.Bad as error:
        outcome.wrong.append(str(error))
    # A file that was written, not mapped, onto a full disk or up to a limit is
    # cut, and the trace says so.
    if bounded or case.folder != "full" and "filesize" not in names:
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
    # Of children that run at once, in any order.
    for name in ("output", "errors", "left"):
        theirs, ours = (sorted(getattr(run, name)) for run in (bare, traced))
        if theirs != ours:
            found.append(f"{name}: {theirs}, {ours} under the library")
    most = bare.memory + MORE_MEMORY + MEMORY_OF_CALL * traced.calls
    if measured and traced.memory > most:
        found.append(f"memory: {bare.memory} KiB, {traced.memory} KiB under "
                     f"the library")
    return found + traced.wrong
