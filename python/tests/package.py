"""All tests of the package but the notebook's: package.py [NAME…]"""

import pathlib
import sys
import unittest

folder = str(pathlib.Path(__file__).resolve().parent)
sys.path.insert(0, folder)


class Result(unittest.TextTestResult):
    """Names each test that was skipped, and says why."""

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"\nNOT RUN: {test.id()}: {reason}", file=sys.stderr)


unittest.main(module=None, testRunner=unittest.TextTestRunner(resultclass=Result),
              argv=[sys.argv[0], *(sys.argv[1:] or ["discover", "-s", folder])])
