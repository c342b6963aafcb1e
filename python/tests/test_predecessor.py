"""The predecessor's names give its users what they gave, from our files."""

import json
import unittest

from common import FAKE_NCU, NESTED, Test, quiet

import rangefinder
from rangefinder.predecessor import (Artifacts, assemble_region_reports,
                                     build_ncu_cmd, export_region_reports)


class Predecessor(Test):
    def run_directory(self):
        with quiet():
            rangefinder.profile("echo", output="run", **{
                "pipeline.ncu.enable": True, "pipeline.ncu.path": FAKE_NCU})
        return Artifacts.from_root("run")

    def test_the_command_of_ncu(self):
        command = build_ncu_cmd(
            "out/run", ["./app", "a b", "--gate"], nvtx_expr="LLM@*",
            kernel_regex="regex:.*matmul.*", csv_log="out/log.csv",
            sections=["SpeedOfLight"], metrics="gpu__time_duration.sum",
            force_overwrite=True)
        text = " ".join(command)
        self.assertEqual(command[0], "ncu")
        self.assertEqual(command[-3:], ["./app", "a b", "--gate"])
        for part in ("--export out/run", "--csv --log-file out/log.csv",
                     "--nvtx --nvtx-include", "--kernel-name regex:.*matmul.*",
                     "--set roofline", "--section SpeedOfLight",
                     "--target-processes all", "--replay-mode kernel",
                     "--kernel-name-base demangled", "--force-overwrite",
                     "--metrics gpu__time_duration.sum"):
            self.assertIn(part, text)
        plain = " ".join(build_ncu_cmd("out/run", ["./app", "--force-overwrite"],
                                       use_nvtx=False, nvtx_expr="LLM@*",
                                       set_name=None))
        self.assertTrue(plain.endswith("./app --force-overwrite"))
        for part in ("--nvtx-include", "--log-file", "--metrics", "--set"):
            self.assertNotIn(part, plain)
        self.assertEqual(plain.count("--force-overwrite"), 1)

    def test_a_plan_without_one_command_is_an_error(self):
        for plan in ("nothing", "   $ ncu --export a x\n   $ ncu --export b x"):
            self.environment(RANGEFINDER=self.program(
                f"#!/bin/sh\necho '{plan}'\n"))
            with self.assertRaisesRegex(rangefinder.RangefinderError, "this plan"):
                build_ncu_cmd("out/run", ["./app"])

    def test_region_reports_are_those_of_the_run(self):
        artifacts = self.run_directory()
        reports = assemble_region_reports(artifacts)
        inner = next(r for r in reports if r.region.name == "A::A1")
        self.assertEqual((inner.region.parent, inner.region.depth,
                          inner.kernel_count), ("A", 1, 3))
        self.assertAlmostEqual(inner.total_ms, 0.039616)
        self.assertEqual([r.region for r in assemble_region_reports(NESTED)],
                         [r.region for r in reports])
        device = assemble_region_reports(artifacts, device="cuda:0")
        self.assertEqual(len(device), len(reports))
        for wrong in ({"device": "cuda:7"}, {"process": "1"}):
            with self.assertRaisesRegex(KeyError, "there are: aggregate"):
                assemble_region_reports(artifacts, **wrong)

    def test_reports_are_written_again(self):
        artifacts = self.run_directory()
        for path in export_region_reports(artifacts,
                                          assemble_region_reports(artifacts)):
            self.assertTrue(path.exists())
            self.assertEqual(path.parent, artifacts.out_dir("ncu") / "regions")
        self.assertTrue(artifacts.path("ncu/regions/report.md").read_text()
                        .startswith("# NCU Region Reports"))

    def test_the_manifest_is_whole_or_named(self):
        artifacts = self.run_directory()
        self.assertEqual(artifacts.manifest["runs"][0]["mode"], "kernel")
        file = artifacts.path("ncu/manifest.json")
        text = file.read_text()
        for wrong in (text[:200], "{}", json.dumps({"schema": "x"}), "\xff", ""):
            file.write_text(wrong, encoding="latin-1")
            with self.assertRaisesRegex(rangefinder.FormatError, str(file)):
                _ = artifacts.manifest


if __name__ == "__main__":
    unittest.main()
