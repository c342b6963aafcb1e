"""Windows of running programs, with a stand-in for CUPTI."""

import os
import pathlib
import subprocess
import sys
import unittest

from common import BUILD, ROOT, Test

import rangefinder
from rangefinder import command

PROGRAM = """
import rangefinder

def serve(steps):
    for step in range(steps):
        with rangefinder.annotate("step"):
            with rangefinder.annotate("decode"):
                pass

with rangefinder.annotate("server"):
    serve(10)
    with rangefinder.window(output="one") as measured:
        serve(7)
    counts = {region.path: region.instances for region in measured.run.regions}
    with rangefinder.window("step/decode", instances=5, seconds=60) as second:
        serve(2000)
    window = rangefinder.window()
    window(serve)(3)
    runs = [window.run]
    window(serve)(4)
    runs.append(window.run)
print(counts)
print([run.region("server/step").instances for run in runs])
print({region.path: region.instances >= 5 for region in second.run.regions}[
    ("server", "step", "decode")])
try:
    with rangefinder.window(output="none", pid=4194305):
        pass
except rangefinder.RangefinderError as error:
    print(error.status)
"""


class Live(Test):
    def test_a_window_has_the_block(self):
        if not (BUILD / "librangefinder_inject.so").exists():
            self.skipTest("NOTHING IS TRACED: no librangefinder_inject.so beside the program")
        pathlib.Path("program.py").write_text(PROGRAM, encoding="utf-8")
        done = subprocess.run(
            [command.find_binary(), "run", "--", sys.executable, "program.py"],
            text=True, capture_output=True, encoding="utf-8", check=False,
            env={**os.environ, "RANGEFINDER_SOCKET_DIR": str(self.folder / "s"),
                 "PYTHONPATH": f"{self.folder}:{ROOT / 'python'}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        counts, calls, found, status = done.stdout.splitlines()
        self.assertEqual(calls, "[3, 4]")
        self.assertIn("('server', 'step'): 7", counts)
        self.assertIn("('server', 'step', 'decode'): 7", counts)
        self.assertEqual((found, status), ("True", "2"))

    def test_a_process_that_is_not_armed_is_refused(self):
        with self.assertRaisesRegex(rangefinder.RangefinderError,
                                    "rangefinder run"):
            with rangefinder.window(output="none", seconds=1):
                self.fail("it opened")

    def test_a_region_needs_a_number(self):
        with self.assertRaises(ValueError):
            rangefinder.window("decode")


if __name__ == "__main__":
    unittest.main()
