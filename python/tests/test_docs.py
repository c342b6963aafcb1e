"""The Python blocks of docs/python.md run, and their names are there."""

import re
import shutil
import unittest

from common import ROOT, SAMPLED, Test, has, quiet

import rangefinder


class Docs(Test):
    @unittest.skipUnless(has("pandas") and has("matplotlib"), "THE DOCUMENTED PLOT IS NOT DRAWN: no pandas or matplotlib")
    def test_every_block_runs(self):
        self.environment(MPLBACKEND="agg", MPLCONFIGDIR=self.folder)
        (self.folder / "RUN").mkdir()
        shutil.copy(SAMPLED, self.folder / "RUN")
        page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"(<!-- not run: needs a GPU -->\n)?```python\n(.*?)```", page,
                            re.DOTALL)
        names, ran = {}, 0
        for needs_gpu, block in blocks:
            code = compile(block, "docs/python.md", "exec")
            if not needs_gpu:
                with quiet():
                    exec(code, names)
                ran += 1
        self.assertEqual(ran, 4)
        for name in set(re.findall(r"rangefinder\.(\w+)\(", page)):
            self.assertTrue(hasattr(rangefinder, name), name)
        for kind in ("Run", "Region", "Value", "Cause"):
            row = re.search(rf"^\| `{kind}` \|.*", page, re.MULTILINE)[0]
            example = {"Run": names["run"], "Region": names["region"],
                       "Value": names["value"], "Cause": names["cause"]}[kind]
            for member in re.findall(r"`([a-z]\w*)`", row):
                self.assertTrue(hasattr(example, member), f"{kind}.{member}")


if __name__ == "__main__":
    unittest.main()
