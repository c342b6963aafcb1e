"""A folder with all that the commands of a page name: captures, programs that
stand for the reader's own, and stand-ins for ncu, nsys and the launchers.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile

from docs.pages import ROOT

# In every such folder, besides RUN (a run directory with a trace), b.sqlite and
# run.sqlite (exports of Nsight Systems) and FOLDER (empty).
FIXTURES = {
    "nested_basic.ncu-rep": "tests/fixtures/nested_basic.ncu-rep",
    "some.ncu-rep": "tests/fixtures/nested_basic.ncu-rep",
    "a.ncu-rep": "tests/fixtures/nested_basic.ncu-rep",
    **{run: "tests/fixtures/nested_basic.ncu-rep" for run in (
        "before", "after", *(f"{side}{number}" for side in ("old", "new")
                             for number in range(1, 6)))},
    "tests": "tests",
}
PROGRAMS = ("my_program", "program", "app", "nested_regions", "shallow_resnet",
            "old", "new")
SCRIPTS = ("serve.py", "train.py")
# Launchers: their own options are left out, and the ranks run one by one.
LAUNCHER = """#!/usr/bin/env python3
import os, subprocess, sys
words, ranks = sys.argv[1:], 1
while words and words[0].startswith("-"):
    option = words.pop(0)
    if option in ("-n", "-np", "--nproc-per-node"):
        ranks = int(words.pop(0))
for rank in range(ranks):
    names = ("RANK", "WORLD_SIZE") if "torchrun" in sys.argv[0] else (
        "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
    status = subprocess.call(words, env={**os.environ, names[0]: str(rank),
                                         names[1]: str(ranks)})
    if status:
        sys.exit(status)
"""


class Workplace:
    def __init__(self):
        self.rangefinder = pathlib.Path(os.environ.get(
            "RANGEFINDER", ROOT / "build/release/rangefinder")).resolve()
        if not self.rangefinder.exists():
            raise SystemExit(f"no {self.rangefinder}: build it, or name one by "
                             "RANGEFINDER; --links needs none")
        build = pathlib.Path(os.environ.get("RANGEFINDER_BUILD",
                                            self.rangefinder.parent))
        self.tracer = {
            "RANGEFINDER_INJECT_LIBRARY": build / "librangefinder_inject.so",
            "RANGEFINDER_CUPTI_PATH": build / "libinject_fake_cupti.so"}
        self.ranges = build / "inject_ranges"
        for path in (*self.tracer.values(), self.ranges):
            if not path.exists():
                raise SystemExit(f"no {path}: build the tests, or name their "
                                 "build by RANGEFINDER_BUILD")
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="rangefinder_docs."))
        self.bin = self.top / "bin"
        self.template = self.top / "template"
        self._environment()
        self._fill()

    def _environment(self):
        keep = ("LANG", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS")
        self.env = {name: os.environ[name] for name in keep if name in os.environ}
        self.env |= {"LC_ALL": "C.UTF-8", "HOME": str(self.top),
                     "PATH": f"{self.bin}:{os.environ['PATH']}",
                     "FAKE_NCU_FIXTURES": str(ROOT / "tests/fixtures")}
        self.env["RANGEFINDER_EXAMPLES"] = str(self.template)
        self.env |= {name: str(path) for name, path in self.tracer.items()}

    def _fill(self):
        self.bin.mkdir()
        self.template.mkdir()
        for name, path in (("rangefinder", self.rangefinder),
                           ("ncu", ROOT / "tests/fake_ncu/ncu"),
                           ("nsys", ROOT / "tests/fake_nsys/nsys")):
            (self.bin / name).symlink_to(path)
        for name in ("torchrun", "mpirun"):
            self._program(self.bin / name, LAUNCHER)
        for name, path in FIXTURES.items():
            (self.template / name).symlink_to(ROOT / path)
        does = f'exec "{self.ranges}" nested 1'
        for name in PROGRAMS:
            self._program(self.template / name, f"#!/bin/sh\n{does}\n")
        for name in SCRIPTS:
            (self.template / name).write_text(
                "import subprocess\nsubprocess.call(['./app'])\n")
        (self.template / "FOLDER").mkdir()
        self.must("touch report.nsys-rep && nsys export --type=sqlite "
                  "--output=b.sqlite report.nsys-rep && cp b.sqlite run.sqlite")
        # The run directory and a trace that readers are told to look at.
        self.must("rangefinder profile hydra.run.dir=RUN "
                  "pipeline.ncu.enable=true -- ./app")

    def _program(self, path, text):
        path.write_text(text)
        path.chmod(0o755)

    def must(self, command):
        status, output = self.run(self.template, command)
        if status:
            raise SystemExit(f"preparing the commands of the pages: status "
                             f"{status} of: {command}\n{output}")

    def run(self, folder, command):
        """Exit status and output, with nothing of the folder's own name."""
        # Run directories are named by the second: one of before is in the way.
        shutil.rmtree(folder / "tmp/profile-output", ignore_errors=True)
        try:
            done = subprocess.run(
                ["bash", "-c", command], cwd=folder, env=self.env, timeout=120,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            return "none after 120 s", ""
        output = done.stdout.decode("utf-8", "replace")
        return done.returncode, output.replace(str(folder) + "/", "")

    def fresh(self):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.top))
        folder.rmdir()
        shutil.copytree(self.template, folder, symlinks=True)
        return folder
