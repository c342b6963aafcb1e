"""What the tests share: the program, recorded runs, and a folder that goes."""

import contextlib
import os
import pathlib
import shutil
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
FAKE_NCU = ROOT / "tests" / "fake_ncu" / "ncu"
BUILD = pathlib.Path(os.environ.get("RANGEFINDER_BUILD",
                                    ROOT / "build" / "release"))
os.environ.setdefault("RANGEFINDER", str(BUILD / "rangefinder"))
for name in ("NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH", "RANK",
             "LOCAL_RANK", "WORLD_SIZE", "SLURM_PROCID"):
    os.environ.pop(name, None)
sys.path.insert(0, str(ROOT / "python"))

NESTED = FIXTURES / "nested_basic.ncu-rep"
SAMPLED = FIXTURES / "llm_sampled.rftrace.zst"
RANKS = [FIXTURES / f"nccl_rank{rank}.rftrace.zst" for rank in (0, 1)]


def has(module):
    try:
        __import__(module)
    except ImportError:
        return False
    return True


class Test(unittest.TestCase):
    """A test in a folder of its own, which is the current one."""

    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rangefinder."))
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def environment(self, **variables):
        """Sets variables; None removes one. Until the end of the test."""
        patch = mock.patch.dict(os.environ)
        patch.start()
        self.addCleanup(patch.stop)
        for variable, value in variables.items():
            if value is None:
                os.environ.pop(variable, None)
            else:
                os.environ[variable] = str(value)

    def program(self, text, name="rangefinder"):
        """A program of this text in the folder."""
        file = self.folder / name
        file.write_text(text)
        file.chmod(0o755)
        return file


@contextlib.contextmanager
def quiet():
    with open(os.devnull, "w", encoding="utf-8") as nowhere, \
            contextlib.redirect_stdout(nowhere), \
            contextlib.redirect_stderr(nowhere):
        yield
