"""The wheel works in an empty virtual environment, and is the same twice.

RANGEFINDER_WHEEL names a wheel to try instead of one of this build.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tarfile
import unittest
import zipfile

from common import BUILD, NESTED, ROOT, Test

import rangefinder

# Debian has modules of setuptools and venv without the packages that they need.
MISSING = [name for name in ("build", "setuptools", "wheel", "ensurepip")
           if importlib.util.find_spec(name) is None]
TRIAL = """
import pathlib, sys, rangefinder
from rangefinder import command
own = pathlib.Path(command.find_binary())
assert own.is_relative_to(sys.prefix), own
run = rangefinder.load(sys.argv[1])
assert len(run["A::A1"]) == 1
try:
    run.frame("regions")
except ImportError as error:
    assert "pandas" in str(error)
else:
    raise AssertionError("pandas in an empty environment")
ranges = rangefinder.profile(
    [sys.executable, "-c", "import rangefinder\\n"
     "with rangefinder.annotate('from python'): pass"],
    output="run", echo=False)
assert [region.name for region in ranges.regions] == ["from python"]
print("works")
"""


class Wheel(Test):
    def make(self, folder):
        library = BUILD / "librangefinder_inject.so"
        if not library.exists():
            self.skipTest(f"THE WHEEL IS NOT TESTED: no {library}")
        done = subprocess.run(
            [ROOT / "scripts" / "wheel.sh", os.environ["RANGEFINDER"], library,
             folder, ROOT / "SECURITY.md"], capture_output=True, text=True,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(pathlib.Path(folder).iterdir())

    @unittest.skipIf(MISSING, f"NO WHEEL IS TESTED: no package {MISSING}")
    def test_in_an_empty_environment(self):
        given = os.environ.get("RANGEFINDER_WHEEL")
        wheel = given or next(file for file in self.make("dist")
                              if file.suffix == ".whl")
        environment = {"HOME": str(self.folder), "PATH": "/usr/bin:/bin",
                       "LC_ALL": "C.UTF-8"}
        for command in (
                ["/usr/bin/python3" if os.path.exists("/usr/bin/python3")
                 else sys.executable, "-m", "venv", "venv"],
                ["venv/bin/pip", "install", "--quiet", "--no-index", "--no-deps",
                 "--disable-pip-version-check", wheel],
                ["venv/bin/rangefinder", "--version"],
                ["grep", "-q", "^name: rangefinder$",
                 "venv/share/skills/rangefinder/SKILL.md"],
                ["venv/bin/python", "-c", TRIAL, NESTED]):
            done = subprocess.run(command, capture_output=True, text=True,
                                  env=environment)
            self.assertEqual(done.returncode, 0,
                             f"{command}: {done.stdout}{done.stderr}")
        self.assertEqual(done.stdout, "works\n")

    @unittest.skipIf(MISSING, f"NO WHEEL IS TESTED: no package {MISSING}")
    def test_two_builds_are_equal(self):
        first, second = self.make("a"), self.make("b")
        self.assertEqual([file.read_bytes() for file in first],
                         [file.read_bytes() for file in second])
        source, wheel = first if first[0].suffix == ".gz" else first[::-1]
        self.assertRegex(wheel.name, r"^rangefinder-[\d.]+-py3-none-"
                         r"manylinux_2_\d+_(x86_64|aarch64)\.whl$")
        with zipfile.ZipFile(wheel) as archive:
            names = [name.rpartition("/")[2] for name in archive.namelist()]
        for name in ("rangefinder", "librangefinder_inject.so", "LICENSE",
                     "COPYING.libraries", "SKILL.md"):
            self.assertIn(name, names)
        with tarfile.open(source) as archive:
            names = archive.getnames()
        self.assertFalse([name for name in names if "/bin" in name])
        self.assertIn("rangefinder/py.typed",
                      [name.partition("/")[2] for name in names])

    def test_the_version_is_that_of_the_program(self):
        said = subprocess.run([os.environ["RANGEFINDER"], "--version"], text=True,
                              capture_output=True).stdout
        self.assertEqual(said.split()[1], rangefinder.__version__,
                         "python/rangefinder/__init__.py has another version")


if __name__ == "__main__":
    unittest.main()
