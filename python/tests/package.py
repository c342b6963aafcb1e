"""All tests of the package but the notebook's: package.py [NAME…]"""

import pathlib
import sys
import unittest

folder = str(pathlib.Path(__file__).resolve().parent)
sys.path.insert(0, folder)
unittest.main(module=None, argv=[sys.argv[0], *(
    sys.argv[1:] or ["discover", "-s", folder])])
