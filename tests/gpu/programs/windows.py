"""Opens windows in armed programs and checks what windows.sh promises. Run by windows.sh."""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
NVTX_ONLY, LAUNCHES = 0, 1
failures = 0


def say(text):
    print(text, flush=True)
    with open(given.work / "figures.txt", "a") as file:
        file.write(text + "\n")


def check(what, holds, seen=""):
    global failures
    failures += not holds
    say(f"{'ok    ' if holds else 'FAILED'}  {what}{': ' if seen else ''}{seen}")


class Program:
    """A program that is started as `command`, and has said that it is ready."""

    def __init__(self, command, variables):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **variables})
        line = self.process.stdout.readline()
        if line.strip() != "ready":
            sys.exit(f"FAILED  {command}: {line!r}")

    def end(self):
        """What it printed, and its status."""
        return self.process.stdout.read(), self.process.wait()

    def resident_kib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


class Windows:
    def __init__(self, asked):
        self.rangefinder, self.work = asked.rangefinder, asked.work
        sockets = self.work / "sockets"
        sockets.mkdir(mode=0o700, exist_ok=True)
        os.environ["RANGEFINDER_SOCKET_DIR"] = str(sockets)

    def armed(self, command, arm="light"):
        printed = subprocess.run([self.rangefinder, "run", *([] if arm == "light" else [f"--arm={arm}"]), "--print-env"],
                                 stdout=subprocess.PIPE, text=True, check=True)
        return Program(command, dict(line.split("=", 1) for line in printed.stdout.splitlines()))

    def open(self, program, name, seconds, *more):
        """(opened, closed), ns since 1970, and the run directory."""
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        done = subprocess.run([self.rangefinder, "window", str(program.process.pid), "--for", f"{seconds}s", f"hydra.run.dir={folder}",
                               "report.formats=[json]", *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        traces = sorted((folder / "trace").glob("*.rftrace*"))
        if done.returncode != 0 or not traces:
            print(done.stdout)
            check(f"window {name}", False, f"status {done.returncode}")
            return None
        with open(traces[0], "rb") as file:
            page = file.read(4096)
        opened, = struct.unpack_from("<Q", page, 56)
        closed, = struct.unpack_from("<Q", page, 2048 + 16)
        return opened, closed, folder


def steps_of(file):
    return [tuple(map(int, line.split())) for line in open(file)]


def median_us(steps, begin=0, end=1 << 63):
    took = [length for begun, length in steps if begin <= begun and begun + length < end]
    return statistics.median(took) / 1e3 if took else float("nan")


def regions_of(folder):
    report = json.load(open(folder / "ncu/regions/report.json"))
    scope = next(s for s in report["scopes"] if s["scope"] != "aggregate" or len(report["scopes"]) == 1)
    return report, {"/".join(region["path"]): region for region in scope["regions"]}


def decode(windows, mode, arm, asked):
    """Windows in a decoding program: content of their reports, and the cost of each state."""
    file = windows.work / f"{mode}-{arm}.steps"
    length = 4.0
    seconds = 8 + asked.windows * (length + 14)  # a window's report takes up to 10 s
    program = windows.armed([sys.executable, HERE / "armed_decode.py", mode, str(seconds), file], arm)
    time.sleep(5)
    opened = []
    for number in range(asked.windows):
        got = windows.open(program, f"{mode}-{arm}-{number}", length)
        if got:
            opened.append(got)
        time.sleep(3)
    _, ended = program.end()
    check(f"{mode}, {arm}: the program ends as without us", ended == 0)
    if not opened or ended != 0:
        return
    # A window's file is made before CUPTI is loaded and sampling begins.
    opened = [(end - int(length * 1e9), end, folder) for _, end, folder in opened]
    steps = steps_of(file)
    margin = 300_000_000
    asleep = median_us(steps, steps[0][0] + margin, opened[0][0] - 2_000_000_000)
    inside = [median_us(steps, begin + margin, end - margin) for begin, end, _ in opened]
    after = [median_us(steps, begin + margin, end - margin)
             for begin, end in zip([w[1] for w in opened], [w[0] - 10**9 for w in opened[1:]] + [steps[-1][0]])]
    say(f"figures {mode}, {arm}: step asleep before the first window {asleep:.1f} us, in windows "
        f"{' '.join(f'{x:.1f}' for x in inside)}, between and after {' '.join(f'{x:.1f}' for x in after)}")
    report, regions = regions_of(opened[-1][2])
    seen = sum(1 for begun, took in steps if opened[-1][0] <= begun and begun + took <= opened[-1][1])
    instances = regions.get("decode", {}).get("instances", 0)
    check(f"{mode}, {arm}: the last window has the instances of its time", abs(instances - seen) <= 0.03 * seen, f"{instances} of {seen}")
    kernels = regions.get("decode", {}).get("inclusive", {}).get("kernel_count", 0)
    check(f"{mode}, {arm}: each instance has its kernels", kernels > 50 * instances > 0, f"{kernels} kernels")
    inner = [name for name in regions if re.fullmatch(r"decode/(.*/)?layer\d+\.(attn|mlp)", name)]
    if mode == "eager" or arm == "graphs":
        check(f"{mode}, {arm}: regions of the layers", len(inner) == 16, str(len(inner)))
        launches = {regions[name]["inclusive"]["kernel_count"] for name in inner}
        check(f"{mode}, {arm}: the layers have kernels", min(launches, default=0) > 0, str(sorted(launches)))
    metrics = regions.get("decode", {}).get("inclusive", {}).get("metrics", {})
    estimated = [name for name, cell in metrics.items() if cell.get("how") == "estimated"]
    check(f"{mode}, {arm}: counters of decode are estimated", len(estimated) >= 5, str(len(estimated)))
    say("notes   " + "\n        ".join(str(note)[:200] for note in report["notes"]))


def pairs(windows, mode, asked):
    """Bare, armed and profiled processes in turn: medians of steps, and of their ratios to the bare one of the same turn."""
    took = {state: [] for state in ["bare", *asked.arms.split(","), "profile"]}
    for number in range(asked.pairs):
        for state in list(took)[:: -1 if number % 2 else 1]:
            command = [windows.work / "armed_loop", mode, "1"]
            if state == "profile":
                folder = windows.work / "profiled"
                shutil.rmtree(folder, ignore_errors=True)
                said = subprocess.run([windows.rangefinder, "profile", f"hydra.run.dir={folder}", "report.formats=[]", "--", *command],
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
                took[state].append(float(re.search(r"^ready\n(\d+)$", said, re.M)[1]) / 1e3)
                continue
            program = Program(command, {}) if state == "bare" else windows.armed(command, state)
            said, status = program.end()
            check(f"{mode}, pair {number}, {state} ends", status == 0)
            took[state].append(float(said) / 1e3)
    if not asked.pairs:
        return
    for state, all_took in took.items():
        ratios = sorted(100 * (x / bare - 1) for x, bare in zip(all_took, took["bare"]))
        say(f"figures {mode} loop, {state}: step {statistics.median(all_took):.1f} us, {statistics.median(ratios):+.2f} % of bare "
            f"({ratios[0]:+.2f} to {ratios[-1]:+.2f} over {len(ratios)} pairs)")


def throughput(windows, mode, asked):
    """Steps of a minute with a window of 10 s in it, beside those of the bare program and under `profile`."""
    took, count = {}, {}
    for state in ["bare", "profile", *asked.arms.split(",")]:
        file = windows.work / f"throughput-{mode}-{state}.steps"
        seconds = 15 if state == "profile" else 60
        command = [sys.executable, HERE / "armed_decode.py", mode, str(seconds), file]
        window = None
        if state == "profile":
            folder = windows.work / "throughput-profile"
            done = subprocess.run([windows.rangefinder, "profile", f"hydra.run.dir={folder}", "report.formats=[]", "--", *command],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            status = done.returncode
        else:
            program = Program(command, {}) if state == "bare" else windows.armed(command, state)
            if state != "bare":
                time.sleep(20)
                window = windows.open(program, f"throughput-{mode}-{state}", 10)
            _, status = program.end()
        check(f"{mode}, {state}: ends as without us", status == 0)
        steps = steps_of(file)
        took[state], count[state] = median_us(steps), len(steps)
        if state in ("bare", "profile"):
            say(f"figures {mode}, {state}: {len(steps)} steps in {seconds} s, median {took[state]:.1f} us")
            continue
        if window is None:
            continue
        closed = window[1]
        opened = closed - 10 * 10**9
        inside, before, after = (median_us(steps, *span) for span in
                                 ((opened + 10**8, closed - 10**8), (0, opened - 2 * 10**9), (closed + 10**9, 1 << 63)))
        say(f"figures {mode}, {state}: {len(steps)} steps in 60 s ({100 * (len(steps) / count['bare'] - 1):+.1f} % of bare), median asleep "
            f"{before:.1f} us, in the window {inside:.1f} us, afterwards {after:.1f} us")
        check(f"{mode}, {state}: a window costs no more than profile", inside < 1.1 * took["profile"],
              f"{inside:.1f} us, profile {took['profile']:.1f} us")
        check(f"{mode}, {state}: afterwards it costs what being asleep with CUPTI costs", after < 1.2 * before,
              f"{after:.1f} us, before {before:.1f} us")


def gaps(windows, asked):
    """Pauses of threads that never wait, and memory, over many windows."""
    file = windows.work / "gaps"
    bare = Program([windows.work / "armed_gaps", "10", file], {})
    bare.end()
    quiet = {thread: [x[2] for x in steps3(file) if x[0] == thread] for thread in (NVTX_ONLY, LAUNCHES)}
    program = windows.armed([windows.work / "armed_gaps", str(20 + asked.gap_windows * 2.4), file], asked.arms.split(",")[-1])
    opened, resident = [], []
    for number in range(asked.gap_windows):
        got = windows.open(program, f"gaps-{number % 2}", 0.2, "report.formats=[]")
        if got is None or program.process.poll() is not None:
            break
        opened.append(got[:2])
        resident.append(program.resident_kib())
    check("the windows open while the program runs", len(opened) == asked.gap_windows, f"{len(opened)} of {asked.gap_windows}")
    program.end()
    seen = steps3(file)
    for thread, name in ((NVTX_ONLY, "ranges alone"), (LAUNCHES, "launches")):
        # A window's file is made before CUPTI is loaded and sampling begins: all from there to the window's 0.2 s is the opening.
        margin = 150_000_000
        for moment, spans in (("opening", [(w[0] - margin, w[1] - margin) for w in opened]),
                              ("closing", [(w[1] - margin, w[1] + margin) for w in opened])):
            longest = [max((x[2] for x in seen if x[0] == thread and begin <= x[1] < end), default=0) / 1e6 for begin, end in spans]
            later = sorted(longest[1:])
            if not later:
                continue
            at_95 = later[min(len(later) - 1, int(0.95 * len(later)))]
            check(f"{name}: {moment} holds the thread for less than 1 ms in 95 % of windows", at_95 < 1,
                  f"first {longest[0]:.2f} ms, then median {statistics.median(later):.2f}, 95 % {at_95:.2f}, most {later[-1]:.2f} ms")
        say(f"figures {name}: pauses over 1 ms in 10 s without us: {sum(x > 1_000_000 for x in quiet[thread])}, "
            f"longest {max(quiet[thread], default=0) / 1e6:.2f} ms; with windows in {20 + asked.gap_windows * 2.4:.0f} s: "
            f"{sum(x[0] == thread and x[2] > 1_000_000 for x in seen)}")
    if len(resident) > 10:
        check("memory stays flat", resident[-1] < resident[5] * 1.05 + 4096,
              f"{resident[0]} KiB after the first window, {resident[5]} after the sixth, {resident[-1]} after {len(resident)}")


def steps3(file):
    return [tuple(map(int, line.split())) for line in open(file)]


INSTRUCTIONS = "sm__inst_executed.sum"
COUNT = ("pipeline.counters.mode=count", f"pipeline.counters.metrics=[{INSTRUCTIONS}]")


def counted(folder):
    """Instructions of each region, per instance, and what the report says of counting."""
    report = json.load(open(folder / "ncu/regions/report.json"))
    regions = {"/".join(region["path"]): region["measured"][0] for region in report["scopes"][0]["regions"] if region.get("measured")}
    said = [note["text"] for note in report["notes"] if "were counted" in note["text"] or "held the program up" in note["text"]]
    return {name: measured["metrics"][INSTRUCTIONS]["value"] for name, measured in regions.items()}, said


def exact(windows, mode, arm):
    """Exact counts in windows are those of `profile`, and windows of samples go on before and after them."""
    profiled = windows.work / f"exact-{mode}"
    shutil.rmtree(profiled, ignore_errors=True)
    command = [windows.work / "armed_loop", mode]
    done = subprocess.run([windows.rangefinder, "profile", f"hydra.run.dir={profiled}", "report.formats=[json]", *COUNT, "--", *command, "1"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check(f"exact, {mode}: profile counts", done.returncode == 0, "" if done.returncode == 0 else done.stdout[-600:])
    truth, said = counted(profiled)
    say(f"figures exact {mode}, profile: {truth}\n        {said}")
    program = windows.armed([*command, "28"], arm)
    for number, kind in enumerate(("count", "count", "sample", "count")):
        words = COUNT if kind == "count" else ()
        begun = time.monotonic()
        got = windows.open(program, f"exact-{mode}-{number}", 0.7, *words)
        if got is None:
            continue
        took = time.monotonic() - begun
        if kind == "count":
            values, said = counted(got[2])
            same = [name for name in values if values[name] == truth.get(name)]
            check(f"exact, {mode}, {arm}, window {number}: instructions of each region are those of profile",
                  len(same) == len(values) == len(truth), f"{len(same)} of {len(truth)} in {took:.1f} s, step {values.get('step')}")
            say(f"        {said}")
        else:
            _, regions = regions_of(got[2])
            metrics = regions.get("step", {}).get("inclusive", {}).get("metrics", {})
            check(f"exact, {mode}, {arm}, window {number}: samples", INSTRUCTIONS in metrics or len(metrics) > 3, f"{len(metrics)} metrics in {took:.1f} s")
    said, status = program.end()
    check(f"exact, {mode}, {arm}: the program ends as without us", status == 0, said.strip())


parser = argparse.ArgumentParser()
parser.add_argument("rangefinder")
parser.add_argument("work", type=pathlib.Path)
parser.add_argument("--parts", default="exact,decode,pairs,throughput,gaps", help="of these")
parser.add_argument("--modes", default="eager,graph")
parser.add_argument("--pairs", type=int, default=10)
parser.add_argument("--windows", type=int, default=4)
parser.add_argument("--gap-windows", type=int, default=100)
parser.add_argument("--arms", default="light,graphs")
given = parser.parse_args()
parts = given.parts.split(",")
everything = Windows(given)
for one in given.modes.split(","):
    if "exact" in parts:
        exact(everything, one, "graphs" if one == "graph" else "light")
    if "decode" in parts and given.windows:
        for level in given.arms.split(","):
            decode(everything, one, level, given)
    if "pairs" in parts:
        pairs(everything, one, given)
    if "throughput" in parts:
        throughput(everything, one, given)
if "gaps" in parts and given.gap_windows:
    gaps(everything, given)
say(f"{failures} failed")
sys.exit(failures > 0)
