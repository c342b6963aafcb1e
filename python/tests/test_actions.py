"""Programs are profiled and files are written; errors say what happened."""

import contextlib
import io
import json
import os
import pathlib
import unittest

from common import FAKE_NCU, NESTED, RANKS, Test, quiet

import rangefinder

NCU = {"pipeline.ncu.enable": True, "pipeline.ncu.path": FAKE_NCU}


class Profile(Test):
    def test_a_program_under_ncu(self):
        with quiet():
            run = rangefinder.profile(["sh", "-c", "echo hi"], output="run", **NCU)
        self.assertEqual(run.scope.kernel_count, 28)
        self.assertEqual(run["A::A1"][0].launches, 3)
        self.assertEqual([pathlib.Path(path).name for path in run.paths], ["run"])

    def test_the_programs_words_arrive_as_they_are(self):
        words = ["a b", "'", '"', "$(x)", "--gate", "a=b", "*", "", ":::", "--"]
        self.environment(FAKE_NCU_ARGV=self.folder / "argv")
        with quiet():
            rangefinder.profile(["echo", *words], output="run",
                                **NCU, pipeline__ncu__ncu_cli__nvtx={
                                    "include": ["A;B", "x'y"]})
        calls = [json.loads(line) for line in
                 pathlib.Path("argv").read_text().splitlines()]
        self.assertEqual(calls[-1][-len(words) - 1:], ["echo", *words])
        self.assertIn("x'y", " ".join(calls[-1]))

    def test_a_text_is_split_without_a_shell(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            rangefinder.profile("echo '$HOME  x' ';' `id`", output="run", **NCU)
        self.assertIn("$HOME  x ; `id`", out.getvalue())
        for nothing in ("", []):
            with self.assertRaises(ValueError):
                rangefinder.profile(nothing)

    def test_two_runs_have_folders_of_their_own(self):
        with quiet():
            paths = {rangefinder.profile("echo", **NCU).paths for _ in range(2)}
        self.assertEqual(len(paths), 2)
        for wrong in ({"hydra.run.dir": "x"}, {"hydra": {"run": {"dir": "x"}}},
                      {"words": ["+hydra.run.dir=x"]}):
            with self.assertRaisesRegex(ValueError, "output"):
                rangefinder.profile("echo", **wrong)
        self.assertEqual(len(list(pathlib.Path("tmp/profile-output").iterdir())), 2)

    def test_without_a_gpu_the_error_says_so(self):
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("NOT TESTED: what is said without a GPU; there is one")
        with quiet(), self.assertRaises(rangefinder.NothingMeasured) as caught:
            rangefinder.profile("echo hi", output="run")
        self.assertIn("neither NVTX nor CUDA", str(caught.exception))
        self.assertIn("GPU: none", str(caught.exception))
        self.assertTrue((caught.exception.path / "ncu/regions/report.md").exists())

    def test_without_ncu_the_error_says_how_to_get_it(self):
        with quiet(), self.assertRaises(rangefinder.RangefinderError) as caught:
            rangefinder.profile("echo hi", output="run", **{
                "pipeline.ncu.enable": True, "pipeline.ncu.path": "/no/ncu"})
        self.assertEqual(caught.exception.status, 4)
        self.assertIn("/no/ncu", caught.exception.message)

    def test_a_program_that_fails_is_status_3(self):
        with quiet(), self.assertRaises(rangefinder.RangefinderError) as caught:
            rangefinder.profile(["sh", "-c", "exit 7"], output="run")
        self.assertEqual(caught.exception.status, 3)
        self.assertIn("the profiled program failed", str(caught.exception))

    def test_what_the_program_prints_is_shown_on_request(self):
        for echo, seen in ((True, True), (False, False)):
            out = io.StringIO()
            with quiet(), contextlib.redirect_stdout(out):
                rangefinder.profile("echo from the program", echo=echo,
                                    output=f"run{echo}", **NCU)
            self.assertEqual("from the program" in out.getvalue(), seen)


class Compare(Test):
    def test_two_programs_in_turn(self):
        diff = rangefinder.compare("echo a", "echo b", runs=2, **NCU)
        self.assertEqual(len(diff.document["base"]["runs"]), 2)
        self.assertEqual(diff["A"].verdict, "SAME")
        self.assertIn("&lt;html", diff.page()._repr_html_())
        with self.assertRaises(ValueError):
            rangefinder.compare(["echo", ":::"], "echo b", **NCU)

    def test_one_program_in_two_ways(self):
        diff = rangefinder.compare("echo a", runs=1, **NCU,
                                   words=["--new-env", "X=a b"])
        self.assertTrue(diff.document["comparable"])


class Files(Test):
    def test_report_returns_its_folder(self):
        folder = rangefinder.report(NESTED, output="out", formats=["json", "md"])
        self.assertEqual(sorted(path.name for path in folder.glob("*.*")),
                         ["report.json", "report.md"])
        self.assertEqual(len(rangefinder.load("out").regions), 15)
        with self.assertRaisesRegex(ValueError, "output"):
            rangefinder.report(NESTED)

    def test_report_of_a_run_directory_is_in_it(self):
        with quiet():
            rangefinder.profile("echo", output="run", **NCU)
        page = rangefinder.report("run") / "report.html"
        page.unlink()
        self.assertEqual(rangefinder.report("run", formats=["html"]) / "report.html",
                         page)
        self.assertTrue(page.exists())

    def test_summaries_are_read_as_runs(self):
        files = [rangefinder.summarize(trace, output=f"{rank}.rfsum")
                 for rank, trace in enumerate(RANKS)]
        self.assertEqual([rank.rank for rank in rangefinder.load(*files).ranks],
                         [0, 1])
        with self.assertRaises(FileNotFoundError):
            rangefinder.summarize("nope", output="x")


if __name__ == "__main__":
    unittest.main()
