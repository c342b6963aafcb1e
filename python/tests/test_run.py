"""A run in Python says what the program says."""

import functools
import json
import math
import os
import sqlite3
import unittest

from common import NESTED, RANKS, SAMPLED, Test, has

import rangefinder
from rangefinder import command


@functools.lru_cache(maxsize=None)
def sampled():
    """The run of SAMPLED, loaded once."""
    return rangefinder.load(SAMPLED)


def document_of(*paths):
    return json.loads(command.call(
        ["show", "--quiet", "--format", "json", *map(str, paths)]))


class Objects(Test):
    @classmethod
    def setUpClass(cls):
        cls.run_ = sampled()
        cls.entries = document_of(SAMPLED)["scopes"][0]["regions"]

    def test_each_number_is_that_of_the_report(self):
        self.assertEqual([r.path for r in self.run_.regions],
                         [tuple(e["path"]) for e in self.entries])
        for region, entry in zip(self.run_.regions, self.entries):
            self.assertEqual(region.gpu_time_ns, entry["summary"]["gpu_time_ns"])
            self.assertEqual(region.own_gpu_time_ns,
                             entry["summary"]["own_gpu_time_ns"])
            self.assertEqual(region.launches, entry["summary"]["launches"])
            times = entry.get("times")
            if times and times["cpu_ns"]["instances"]:
                self.assertEqual(region.wall_ns, times["cpu_ns"]["total"])
                self.assertEqual(sum(region.wall_parts_ns.values()),
                                 region.wall_ns)
            for name, cell in entry["inclusive"]["metrics"].items():
                value = region.metrics[name]
                self.assertEqual(
                    (value.value, value.unit, value.how, value.standard_error,
                     value.low, value.high),
                    (cell["value"], cell["unit"], cell["how"],
                     cell.get("standard_error"), cell.get("low"),
                     cell.get("high")))
            self.assertEqual(sum(k.own_calls for k in region.kernels),
                             entry["exclusive"]["kernel_count"])

    def test_a_scope_with_names_and_amounts_alone_is_completed(self):
        document = document_of(SAMPLED)
        scope = document["scopes"][1]
        scope["same_as"] = "aggregate"
        scope["regions"] = [
            {key: row[key] for key in ("id", "path", "process", "inclusive")}
            for row in scope["regions"]]
        run = rangefinder.run.Run([SAMPLED], document)
        for mine, whole in zip(run.scopes[scope["scope"]].regions, run.regions):
            self.assertEqual((mine.path, mine.wall_ns, mine.kernels),
                             (whole.path, whole.wall_ns, whole.kernels))
            self.assertEqual(mine.document["process"], scope["process"])

    def test_causes_have_id_certainty_and_savings(self):
        first = self.run_.causes[0]
        self.assertEqual((first.kind, first.certain, len(self.run_.causes)),
                         ("warm_up", True, 3))
        self.assertGreater(first.saves_ns, 9e8)
        self.assertAlmostEqual(first.share, 0.336, places=3)
        decode = self.run_.region("decode")
        self.assertEqual(decode.cause.region_id, decode.id)
        self.assertIn("at stake", self.run_.explain())

    def test_a_pattern_is_matched_by_the_program(self):
        found = self.run_["decode/*.mlp"]
        self.assertEqual(sorted(map(str, found)),
                         [f"decode/layer{n}.mlp" for n in range(8)])
        self.assertEqual(len({*self.run_["layer*.mlp"], *found}), 16)
        selected = rangefinder.load(SAMPLED, **{"regions.include": ["prefill"]})
        for pattern in ("prefill", "regex:^prefill$"):
            self.assertEqual([r.path for r in self.run_[pattern]],
                             [r.path for r in selected.regions])
        self.assertEqual(self.run_["(unattributed)"][0].path, ())
        for pattern, reason in (("nope", "no range is called"), ("-x", "no range"),
                                ("--native", "no range"), ("--", "no range"),
                                ("regex:(", "missing"),
                                ("", "empty pattern")):
            with self.assertRaisesRegex(KeyError, reason):
                self.run_[pattern]
        self.assertEqual(self.run_.region(("decode", "layer0.mlp")),
                         self.run_.region("decode/layer0.mlp"))
        with self.assertRaises(KeyError):
            self.run_.region("layer0.mlp")

    def test_a_kernel_says_where_it_comes_from_or_why_not(self):
        document = document_of(SAMPLED)
        entries = document["scopes"][0]["regions"][0]["kernels"]
        entries[0].update(source=["add"], source_lines=["a.cu:17"],
                          model_lines=["net.py:7"])
        entries[1]["source_unknown"] = "no line table"
        run = rangefinder.Run([SAMPLED], document)
        known, unknown, other = run.regions[0].kernels[:3]
        self.assertEqual((known.source, known.source_lines, known.model_lines,
                          known.source_unknown),
                         (["add"], ["a.cu:17"], ["net.py:7"], None))
        self.assertEqual((unknown.source_lines, unknown.source_unknown),
                         ((), "no line table"))
        self.assertIsNone(other.source_unknown)

    def test_what_is_absent_is_none_with_a_reason(self):
        run = rangefinder.load(NESTED)
        for region in run.regions:
            self.assertIsNone(region.wall_ns)
            self.assertIn("no times of ranges", region.reason)
        absent = rangefinder.Value(None, "%", "absent", reason="not collected")
        self.assertTrue(math.isnan(float(absent)))
        self.assertEqual(str(absent), "–")
        ranges = rangefinder.load(NESTED.parent / "range_ABprefill.ncu-rep")
        self.assertIsNone(ranges.scope.gpu_time_ns)
        self.assertTrue(ranges.scope.reason)

    def test_a_selection_is_that_of_the_configuration(self):
        run = rangefinder.load(SAMPLED, regions={"include": ["decode/*.mlp"]})
        self.assertEqual({r.name for r in run.regions if r.depth},
                         {f"layer{n}.mlp" for n in range(8)})
        self.assertEqual({row.run for row in run.rows("regions")},
                         {run.rows("runs")[0].run})

    def test_ranks_say_who_is_late(self):
        run = rangefinder.load(*RANKS)
        self.assertEqual([r.rank for r in run.ranks], [0, 1])
        late = run.late_ranks[0]
        self.assertEqual((late.rank, late.path[-1], late.instances),
                         (1, "delayed", 40))
        self.assertEqual(len(run.rows("ranks")), 42)

    def test_numbers_have_their_error_and_unit(self):
        value = rangefinder.Value(6.4763, "%", "estimated", standard_error=0.0421)
        self.assertEqual(str(value), "6.476 ± 0.042 %")
        self.assertEqual(str(rangefinder.Value(4.1e9, "byte", "exact")),
                         "4.1 GB")
        self.assertEqual(str(rangefinder.Value(7, "", "bound", bound="upper")),
                         "≤ 7")
        self.assertEqual(str(rangefinder.Value(
            2e12, "byte/s", "estimated", standard_error=3e10)),
            "2.000 ± 0.030 TB/s")
        names = ["dram_bandwidth", "dram_bytes", "sm__inst_executed.sum",
                 "tensor_cycles", "dram_peak_share"]
        shown = command.call(["show", "--quiet", "--columns", ",".join(names),
                              "--expand", str(SAMPLED)]).decode()
        for path in ("decode", "prefill"):
            metrics = self.run_.region(path).metrics
            line = next(line for line in shown.splitlines()
                        if line.startswith(path + "  "))
            for name in names:
                self.assertIn(str(metrics[name]), line)

    def test_rows_are_objects_without_pandas(self):
        launches = self.run_.rows("launches")
        self.assertEqual(len(launches), 53632)
        self.assertEqual(sum(launch.duration_ns for launch in launches),
                         self.run_.scope.gpu_time_ns)
        self.assertEqual(launches[0].kernel.count("("),
                         launches[0].kernel.count(")"))
        self.assertEqual(self.run_.rows("ranks"), [])

    def test_a_run_is_found_where_the_folder_changes(self):
        os.chdir(NESTED.parent)
        run = rangefinder.load(NESTED.name)
        os.chdir(self.folder)
        self.assertEqual(len(run["A"]), 2)
        self.assertEqual(len(run.rows("launches")), 28)


class Html(Test):
    def test_run_and_region_are_small_tables(self):
        run = sampled()
        page = run._repr_html_()
        self.assertLess(len(page), 20000)
        for text in ("layer3.attn", "warm-up", "<table", "5 more"):
            self.assertIn(text, page)
        region = run.region("prefill")._repr_html_()
        self.assertIn("dram_bandwidth", region)
        self.assertIn("±", region)
        self.assertIn("layer0.mlp", run["*.mlp"]._repr_html_())

    def test_a_name_stays_text(self):
        text = command.call(["show", "--format", "json", str(NESTED)])
        name = '<script>alert(1)</script>"&'
        document = json.loads(text)
        for region in document["scopes"][0]["regions"]:
            region["name"], region["path"] = name, [name]
        document["notes"] = [{"severity": "info", "kind": "x", "text": name,
                              "where": "", "count": 1}]
        run = rangefinder.Run([f"{name}.ncu-rep"], document)
        for page in (run._repr_html_(), run.regions[0]._repr_html_()):
            self.assertNotIn("<script>", page)
            self.assertIn("&lt;script&gt;", page)

    def test_the_page_is_shown_in_a_frame_on_request(self):
        frame = rangefinder.load(NESTED).page(height=300)._repr_html_()
        self.assertTrue(frame.startswith('<iframe sandbox="allow-scripts"'))
        self.assertIn('height="300"', frame)
        self.assertNotIn("<html", frame)
        self.assertIn("&lt;html", frame)


@unittest.skipUnless(has("pandas"), "NO TABLE IS TESTED: no pandas")
class Frames(Test):
    @classmethod
    def setUpClass(cls):
        cls.run_ = sampled()

    def test_each_table_has_units(self):
        units = self.run_.frame("regions").attrs["units"]
        self.assertEqual((units["gpu_ns"], units["share"], units["copy_bytes"]),
                         ("ns", "1", "byte"))
        for table in rangefinder.run.TABLES:
            frame = self.run_.frame(table)
            self.assertEqual(
                {column for column in frame if column.endswith("_ns")},
                {c for c, unit in frame.attrs["units"].items() if unit == "ns"})
        self.assertEqual(len(self.run_.frame("launches")), 53632)
        self.assertEqual(list(self.run_.frame("causes")["kind"]),
                         [cause.kind for cause in self.run_.causes])

    def test_scopes_are_not_mixed(self):
        frame = self.run_.frame("regions")
        self.assertEqual(set(frame["scope"]), {"aggregate"})
        self.assertEqual(frame["own_gpu_ns"].sum(), self.run_.scope.gpu_time_ns)
        other = list(self.run_.scopes)[1]
        self.assertEqual(set(self.run_.frame("regions", other)["scope"]), {other})
        with self.assertRaisesRegex(KeyError, "there are: aggregate"):
            self.run_.frame("regions", "nope")

    def test_a_metric_has_errors_and_its_unit(self):
        frame = self.run_.metric("dram_bandwidth")
        self.assertEqual(frame.attrs["units"]["standard_error"], "byte/s")
        for region in self.run_.regions:
            value = region.metrics.get("dram_bandwidth")
            if value is not None and value.value is not None:
                row = frame.loc[str(region)]
                self.assertEqual(row["value"], value.value)
                self.assertEqual(row["standard_error"], value.standard_error)
        exclusive = self.run_.metric("dram_bytes", part="exclusive")["value"]
        self.assertAlmostEqual(
            exclusive.sum() / float(self.run_.scope.metrics["dram_bytes"]), 1)
        with self.assertRaisesRegex(KeyError, "no metric"):
            self.run_.metric("nope")

    def test_what_is_absent_is_nan(self):
        frame = rangefinder.load(NESTED).frame("regions")
        self.assertTrue(frame["cpu_ns"].isna().all())
        self.assertEqual(frame["cpu_ns"].dtype.kind, "f")
        self.assertFalse(frame["gpu_ns"].isna().any())

    def test_an_unknown_table_is_refused(self):
        for name in ("nope", 'runs" --', "sqlite_master"):
            with self.assertRaisesRegex(KeyError, "there are"):
                self.run_.frame(name)

    def test_the_tables_are_those_of_the_program(self):
        (self.folder / "run.sqlite").write_bytes(command.call(
            ["show", "--format", "sqlite", str(SAMPLED)]))
        with sqlite3.connect("run.sqlite") as database:
            rows = database.execute("SELECT * FROM kernels WHERE scope='aggregate'")
            self.assertEqual([tuple(vars(row).values())
                              for row in self.run_.rows("kernels")],
                             rows.fetchall())


class Diffs(Test):
    def test_a_diff_is_that_of_the_program(self):
        other = NESTED.parent / "multiproc.ncu-rep"
        diff = rangefinder.diff(NESTED, other)
        whole = diff.regions[0]
        self.assertTrue(diff.document["comparable"])
        self.assertIsNone(diff.gate_passed)
        self.assertEqual(whole.document["parent"], None)
        self.assertEqual(diff["A/A::A1"].verdict, "AMBIGUOUS")
        self.assertAlmostEqual(diff["A/A::A1"].ratio, 1.9717, places=4)
        page = diff._repr_html_()
        self.assertIn("AMBIGUOUS", page)
        self.assertIn("fewer than 5 runs", page)
        self.assertTrue(diff.page()._repr_html_().startswith("<iframe sandbox"))

    def test_a_crossed_gate_is_an_answer(self):
        runs = [rangefinder.report(NESTED, output=f"base{n}") for n in range(2)]
        self.assertEqual(len(runs), 2)
        diff = rangefinder.diff(["base0", "base1"], ["base1", "base0"], gate=True)
        self.assertIsInstance(diff.gate_passed, bool)

    def test_what_cannot_be_compared_says_why(self):
        with self.assertRaises(rangefinder.RangefinderError) as caught:
            rangefinder.diff(NESTED, SAMPLED)
        self.assertEqual(caught.exception.status, 2)
        with self.assertRaises(ValueError):
            rangefinder.diff([], NESTED)

    @unittest.skipUnless(has("pandas"), "NO TABLE IS TESTED: no pandas")
    def test_a_frame_of_a_diff(self):
        diff = rangefinder.diff(NESTED, NESTED)
        frame = diff.frame()
        self.assertEqual(list(frame["verdict"]), [r.verdict for r in diff.regions])
        self.assertEqual(frame["ratio_low"].dtype.kind, "f")
        self.assertEqual(frame.attrs["units"]["base_median_ns"], "ns")


if __name__ == "__main__":
    unittest.main()
