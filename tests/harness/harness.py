#!/usr/bin/env python3
"""Foreign programs under the injection library, each compared with itself bare.

  harness.py --build BUILD [--seed S] [--cases N | --minutes M]
  harness.py --build BUILD --case 'regions normal | fork{pairs:5}' [--times N]

docs/verification.md says what is drawn and compared. Status 1: something
differed. A failure is printed with its seed, and reduced with --reduce.
"""

import argparse
import collections
import dataclasses
import functools
import itertools
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import known
import places
import runs
from description import read_case, smaller
from draw import draw

DAMAGE = ("truncated_file", "damaged_block", "damaged_name", "unknown_block",
          "missing_block")
BATCH = 40  # cases whose traces are read together


def files_of(options, build):
    """What a case of this build (of the program) runs."""
    of = pathlib.Path(options.build).resolve()
    suffix = f"_{build}" if build else ""
    ours = "_tsan" if build == "tsan" else ""
    return places.Files(
        of / f"foreign{suffix}",
        options.library or of / f"librangefinder_inject{ours}.so",
        of / "libinject_nvtx_library.so", of / f"libinject_fake_cupti{ours}.so",
        of / f"fake_driver{ours}" / "libcuda.so.1")


class Worker:
    """One process that runs cases, one after the other."""

    def __init__(self, options):
        self.options = options
        self.files = {build: files_of(options, build)
                      for build in ("", "static", "tsan")}
        self.summary = pathlib.Path(options.build) / "rangefinder_trace_summary"
        self.folder = tempfile.TemporaryDirectory(prefix="foreign-")
        self.place = places.Place(self.folder.name)
        self.unread = []  # cases whose traces the product has not read yet
        self.windows = 0  # that opened in armed programs

    def try_once(self, case):
        """What differs; None: the bare program differs from itself."""
        run = functools.partial(runs.run, case, self.files[case.build],
                                self.place, self.options.armed)
        bare = run(False)
        if bare.hang:
            return None
        differences = functools.partial(runs.differences, bare,
                                        measured=case.build != "tsan")
        traced = run(True)
        self.windows += traced.windows
        found = differences(traced)
        if not found:
            return []
        again = differences(run(False))
        return found if not again else None

    def read_traces(self):
        """The product reads what was recorded, without a word of damage."""
        cases, self.unread = self.unread, []
        folders = [path for path in self.place.batch.iterdir()]
        some = [path for path in folders if any(path.iterdir())]
        said = ""
        if some:
            run = subprocess.run([self.summary, *some], capture_output=True,
                                 text=True, errors="replace")
            damage = [line for line in run.stdout.splitlines()
                      if line.startswith("note:")
                      and any(kind in line for kind in DAMAGE)]
            if run.returncode != 0 or damage:
                said = f"status {run.returncode} {run.stderr} {damage[:5]}"
        for path in folders:
            for file in path.iterdir():
                file.unlink()
            path.rmdir()
        if said and len(cases) > 1:  # which one was it?
            return list(itertools.chain(*(self.case_alone(c) for c in cases)))
        return [(cases[0], [f"its traces: {said}"])] if said else []

    def case_alone(self, case):
        self.try_once(case)
        self.unread = [case]
        return self.read_traces()

    def check(self, case):
        """Failures as (case, what differs)."""
        found = self.try_once(case)
        if found is None:
            return [(case, None)]
        self.unread.append(case)
        failures = [(case, found)] if found else []
        if len(self.unread) >= BATCH or self.options.case:
            failures += self.read_traces()
        return failures

    def reduce(self, case, tries, until):
        """A smaller case that fails as well."""
        shrunk = True
        while shrunk and time.monotonic() < until:
            shrunk = False
            for program in smaller(case.program):
                less = dataclasses.replace(case, program=program)
                if time.monotonic() > until:
                    break
                if any(self.try_once(less) for _ in range(tries)):
                    case, shrunk = less, True
                    break
        return case


worker = None


def start_worker(options):
    global worker
    worker = Worker(options)


def drawn(seed, number, options):
    return draw(random.Random(f"{seed}:{number}"), options.calm)


def why_not(case):
    """Why a case is left out."""
    if not worker.files[case.build].program.exists():
        return f"there is no {case.build} program"
    return known.reason(case, worker.options.emulated, worker.options.armed)


def work(task):
    """(what the case was left out for, [(number, case, what, reduced)])"""
    seed, number, options = task
    case = read_case(options.case) if options.case else drawn(seed, number, options)
    left_out = None if options.all or options.case else why_not(case)
    if options.mode and case.mode != options.mode:
        left_out = "another mode"
    if left_out:
        return left_out, []
    failures = []
    for failed, what in worker.check(case):
        reduced = None
        if what and options.reduce:
            reduced = str(worker.reduce(failed, options.reduce,
                                        time.monotonic() + 60))
        failures.append((number, str(failed), what, reduced))
    return None, failures


def last_words(_):
    time.sleep(0.2)  # so that every worker gets one
    failures = worker.read_traces()
    return worker.windows, [(None, str(case), what, None)
                            for case, what in failures]


def tasks(options, seed):
    until = time.monotonic() + options.minutes * 60
    numbers = itertools.count() if options.minutes else range(options.cases)
    if options.only is not None:
        numbers = [options.only]
    if options.case:
        numbers = range(options.times)
    for number in numbers:
        if options.minutes and time.monotonic() > until:
            return
        yield seed, number, options


def rounds(pool, all_tasks):
    """A pool takes all tasks that there are at once, and there is no last."""
    while some := list(itertools.islice(all_tasks, 200)):
        yield from pool.imap_unordered(work, some)


def say(failure, seed, counts):
    number, case, what, reduced = failure
    if what is None:
        counts["restless"] += 1
        print(f"the bare program differs from itself: {case}", flush=True)
        return
    counts["failed"] += 1
    print(f"FAILED --seed {seed} --only {number}: {case}")
    for line in what[:6]:
        print(f"  {line}")
    if reduced:
        print(f"  reduced: {reduced}")
    sys.stdout.flush()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", required=True, help="a build's folder")
    parser.add_argument("--library", help="another one than the build's")
    parser.add_argument("--calm", action="store_true",
                        help="what ThreadSanitizer can run, with it")
    parser.add_argument("--seed", default=None, help="a random one is printed")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--armed", action="store_true",
                        help="the programs are armed, and windows open in them")
    parser.add_argument("--mode", help="cases of this one alone")
    parser.add_argument("--only", type=int, help="the number of one case")
    parser.add_argument("--case", help="one case, as it is printed")
    parser.add_argument("--times", type=int, default=1, help="of --case")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--reduce", type=int, default=0, metavar="TRIES",
                        help="how often a smaller case is tried")
    parser.add_argument("--emulated", action="store_true",
                        help="the programs run under qemu-user")
    parser.add_argument("--all", action="store_true",
                        help="what is known to fail, too")
    return parser.parse_args()


def main():
    options = arguments()
    seed = options.seed or str(random.SystemRandom().randrange(10**9))
    print(f"seed {seed}", flush=True)
    began = time.monotonic()
    counts = collections.Counter()
    with multiprocessing.Pool(options.jobs, start_worker, (options,)) as pool:
        for left_out, failures in rounds(pool, tasks(options, seed)):
            counts["cases"] += 1
            if left_out:
                counts[f"left out: {left_out}"] += 1
            for failure in failures:
                say(failure, seed, counts)
        for windows, failures in pool.map(last_words, range(options.jobs), 1):
            counts["windows"] += windows
            for failure in failures:
                say(failure, seed, counts)
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
