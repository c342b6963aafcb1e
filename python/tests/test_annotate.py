"""Ranges from Python: through `nvtx`, through our library, or without effect."""

import os
import pathlib
import subprocess
import sys
import unittest

from common import BUILD, ROOT, Test

import rangefinder
from rangefinder import command

PROGRAM = """
import threading
from rangefinder import annotate

@annotate("step")
def step(n):
    with annotate(f"inner {n} \\u2603"):
        if n == 2:
            raise ValueError

with annotate("outer"):
    for n in range(3):
        try:
            step(n)
        except ValueError:
            pass
thread = threading.Thread(target=step, args=[7])
thread.start()
thread.join()
with annotate("zero\\0byte"):
    pass
"""
PATHS = {("outer",): 1, ("outer", "step"): 3, ("outer", "step", "inner 0 ☃"): 1,
         ("outer", "step", "inner 1 ☃"): 1, ("outer", "step", "inner 2 ☃"): 1,
         ("step",): 1, ("step", "inner 7 ☃"): 1, ("zero\\0byte",): 1}


class Annotate(Test):
    def run_program(self, *before, **environment):
        pathlib.Path("program.py").write_text(PROGRAM, encoding="utf-8")
        return subprocess.run(
            [*before, sys.executable, "program.py"], text=True, check=True,
            capture_output=True, encoding="utf-8",
            env={**os.environ, "PYTHONPATH": f"{self.folder}:{ROOT / 'python'}",
                 **environment}).stdout

    def test_under_the_profiler_ranges_are_regions(self):
        if not (BUILD / "librangefinder_inject.so").exists():
            self.skipTest("NOTHING IS TRACED: no librangefinder_inject.so beside the program")
        self.run_program(command.find_binary(), "discover", "hydra.run.dir=run",
                         "regions.merge.auto=false", "--")
        run = rangefinder.load("run", **{"regions.merge.auto": False})
        self.assertEqual({r.path: r.instances for r in run.regions}, PATHS)
        self.assertTrue(all(region.wall_ns for region in run.regions))
        # No kernel was launched in any of them.
        self.assertEqual([r.path for r in run["outer/step"]],
                         [path for path in PATHS if path[:2] == ("outer", "step")])
        self.assertEqual([r.path for r in run["inner 7*"]],
                         [("step", "inner 7 ☃")])

    def test_the_package_nvtx_comes_first(self):
        pathlib.Path("nvtx.py").write_text(
            "def push_range(name): print('push', ascii(name))\n"
            "def pop_range(): print('pop')\n")
        said = self.run_program().splitlines()
        self.assertEqual(said[:4], ["push 'outer'", "push 'step'",
                                    r"push 'inner 0 \u2603'", "pop"])
        self.assertEqual(said.count("pop"), sum(PATHS.values()))

    def test_without_a_tool_there_is_no_effect(self):
        self.assertEqual(self.run_program(), "")
        for library in ("/no/librangefinder_inject.so", "/lib/other.so", "x"):
            self.assertEqual(
                self.run_program(NVTX_INJECTION64_PATH=library), "")
        pathlib.Path("nvtx.py").write_text("")  # another package of this name
        self.assertEqual(self.run_program(), "")

    def test_what_runs_after_its_call_cannot_be_decorated(self):
        async def coroutine():
            pass

        def generator():
            yield

        for function in (coroutine, generator):
            with self.assertRaisesRegex(TypeError, "inside"):
                rangefinder.annotate("x")(function)
        self.assertEqual(rangefinder.annotate("x")(len)("abc"), 3)


if __name__ == "__main__":
    unittest.main()
