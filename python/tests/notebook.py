"""The magics, and the notebook of examples/, by Debian's IPython and nbconvert."""

import importlib.util
import os
import pathlib
import sys
import unittest

from common import FAKE_NCU, NESTED, ROOT, Test, quiet

import rangefinder

NEEDED = ("IPython", "nbconvert", "nbformat", "ipykernel", "pandas", "matplotlib")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]


class Magics(Test):
    def setUp(self):
        super().setUp()
        self.environment(HOME=self.folder, IPYTHONDIR=self.folder / "ipython")
        from IPython.core.interactiveshell import InteractiveShell
        self.shell = InteractiveShell()
        self.addCleanup(self.shell.history_manager.end_session)
        self.shell.run_line_magic("load_ext", "rangefinder")

    def test_a_cell_is_profiled_as_a_program(self):
        with quiet():
            run = self.shell.run_cell_magic(
                "rangefinder", "pipeline.ncu.enable=true "
                f"pipeline.ncu.path={FAKE_NCU}",
                "import pathlib, sys\n"
                "pathlib.Path('here').write_text(sys.executable + ' ☃')\n")
        self.assertEqual(run.scope.kernel_count, 28)
        self.assertEqual(pathlib.Path("here").read_text(encoding="utf-8"),
                         sys.executable + " ☃")

    def test_an_error_in_a_cell_is_an_error(self):
        with quiet(), self.assertRaises(rangefinder.RangefinderError) as caught:
            self.shell.run_cell_magic("rangefinder", "", "raise SystemExit(3)")
        self.assertEqual(caught.exception.status, 3)

    def test_lines_load_and_compare(self):
        diff = self.shell.run_line_magic("rangefinder", f"diff {NESTED} {NESTED}")
        self.assertIsInstance(diff, rangefinder.Diff)
        run = self.shell.run_line_magic("rangefinder", f"load '{NESTED}'")
        self.assertEqual(len(run.regions), 15)
        for line in ("", "diff a", "show x", "load"):
            with self.assertRaisesRegex(ValueError, "usage"):
                self.shell.run_line_magic("rangefinder", line)


class Notebook(Test):
    def test_five_cells_from_load_to_a_plot_with_error_bars(self):
        import nbformat
        from nbconvert.preprocessors import ExecutePreprocessor
        self.environment(HOME=self.folder, PYTHONPATH=ROOT / "python",
                         RANGEFINDER=os.path.realpath(os.environ["RANGEFINDER"]))
        file = ROOT / "examples" / "notebook" / "regions.ipynb"
        notebook = nbformat.read(file, as_version=4)
        ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(
            notebook, {"metadata": {"path": str(file.parent)}})
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        shown = [{kind for output in cell.outputs
                  for kind in output.get("data", {})} for cell in cells]
        self.assertEqual(len(cells), 5)
        self.assertTrue(all("text/html" in shown[n] for n in (0, 1, 2, 4)), shown)
        self.assertIn("image/png", shown[3])
        self.assertIn("yerr=", cells[3].source)


if __name__ == "__main__":
    if MISSING:
        print(f"SKIPPED: no package {', '.join(MISSING)}", file=sys.stderr)
        sys.exit(77)
    unittest.main()
