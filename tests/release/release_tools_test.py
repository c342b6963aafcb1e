"""The bill of materials and the conda recipe of a release say what they must; skipped
tests say why."""

import copy
import datetime
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    yaml = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_spdx  # noqa: E402
import conda_recipe  # noqa: E402
import sbom  # noqa: E402
import skip_reasons  # noqa: E402

LINES = ["libc6\t2.31-13\tamd64\tglibc\t2.31-13",
         "libc6-dev\t2.31-13\tamd64\tglibc\t2.31-13",
         "libstdc++-12-dev\t12.2.0-14\tamd64\tgcc-12\t12.2.0-14",
         "zlib1g-dev\t1:1.2.13.dfsg-1+b1\tamd64\tzlib\t1:1.2.13.dfsg-1"]


LOG = """1/4 Testing: A.B  # GetParam() = "x"
1/4 Test: A.B  # GetParam() = "x"
Output:
[ RUN      ] A.B
a_test.cc:7: Skipped
NOT TESTED: no
device
[  SKIPPED ] A.B (0 ms)
<end of output>
2/4 Testing: cli.c
Output:
SKIPPED: no mount
<end of output>
3/4 Testing: cli.silent
Output:
<end of output>
4/4 Testing: D.E
Output:
[       OK ] D.E
<end of output>
"""


class Skips(unittest.TestCase):
    def test_reasons_are_those_of_the_log(self):
        self.assertEqual(skip_reasons.reasons(LOG), {
            'A.B  # GetParam() = "x"': "NOT TESTED: no device", "cli.c": "no mount"})

    def filtered(self, skipped):
        summary = ("75% tests passed, 0 tests failed out of 4\n\n"
                   f"The following tests did not run:\n\t  3 - {skipped} (Skipped)\n")
        with tempfile.NamedTemporaryFile("w") as log:
            log.write(LOG)
            log.flush()
            done = subprocess.run([ROOT / "tools" / "skip_reasons.py", log.name],
                                  input="4/4 Passed\n" + summary, capture_output=True,
                                  text=True)
        self.assertTrue(done.stdout.endswith(summary), "the last lines are ctest's")
        return done

    def test_they_stand_before_the_summary(self):
        done = self.filtered("cli.c")
        self.assertTrue(done.stdout.startswith("4/4 Passed\nskipped: cli.c: no mount\n"))
        self.assertEqual(done.returncode, 0)

    def test_a_skip_without_a_reason_fails(self):
        self.assertEqual(self.filtered("cli.silent").returncode, 1)


class Bill(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        folder = pathlib.Path(folder.name)
        for name in sbom.PROGRAMS:
            (folder / name).parent.mkdir(parents=True)
            (folder / name).write_text(name)
        (folder / "a.tar.gz").write_text("archive")
        self.document = sbom.document(
            folder / "a.tar.gz", "1.2.3", LINES, folder,
            datetime.datetime(2026, 1, 2, 3, 4, 5))

    def test_is_valid_and_names_what_is_linked(self):
        self.assertEqual(list(check_spdx.complaints(self.document)), [])
        self.assertEqual(
            [(relation["relationshipType"], relation["relatedSpdxElement"])
             for relation in self.document["relationships"]],
            [("DESCRIBES", "SPDXRef-Package-rangefinder"),
             ("CONTAINS", "SPDXRef-File-bin-rangefinder"),
             ("CONTAINS",
              "SPDXRef-File-lib-rangefinder-librangefinder-inject.so"),
             ("DYNAMIC_LINK", "SPDXRef-Package-libc6"),
             ("STATIC_LINK", "SPDXRef-Package-libstdc---12-dev"),
             ("STATIC_LINK", "SPDXRef-Package-zlib1g-dev")])
        self.assertEqual(
            self.document["packages"][-1]["externalRefs"][0]["referenceLocator"],
            "pkg:deb/debian/zlib1g-dev@1%3A1.2.13.dfsg-1%2Bb1?arch=amd64")
        self.assertEqual(self.document["creationInfo"]["created"],
                         "2026-01-02T03:04:05Z")

    def test_each_missing_field_is_found(self):
        for path in (["spdxVersion"], ["dataLicense"], ["SPDXID"], ["name"],
                     ["documentNamespace"], ["creationInfo", "created"],
                     ["creationInfo", "creators"], ["packages"], ["files"],
                     ["packages", 0, "SPDXID"], ["packages", 1, "name"],
                     ["packages", 2, "downloadLocation"],
                     ["packages", 2, "filesAnalyzed"],
                     ["files", 0, "checksums"], ["files", 0, "fileName"],
                     ["relationships", 0], ["relationships", 4]):
            broken = copy.deepcopy(self.document)
            inner = broken
            for key in path[:-1]:
                inner = inner[key]
            del inner[path[-1]]
            self.assertNotEqual(list(check_spdx.complaints(broken)), [], path)

    def test_what_is_there_twice_is_found(self):
        self.document["packages"].append(self.document["packages"][0])
        self.assertEqual(list(check_spdx.complaints(self.document)),
                         ["SPDXRef-Package-rangefinder is there twice"])


class Recipe(unittest.TestCase):
    @unittest.skipIf(yaml is None, "THE CONDA RECIPE IS NOT READ: no python3-yaml")
    def test_is_yaml_with_the_archive_of_each_processor(self):
        with tempfile.TemporaryDirectory() as folder:
            archives = []
            for machine in ("aarch64", "x86_64"):
                archives.append(pathlib.Path(folder) /
                                f"rangefinder-1.2.3-linux-{machine}.tar.gz")
                archives[-1].write_text(machine)
            text = conda_recipe.recipe("1.2.3", "2.31", archives)
        recipe = yaml.safe_load(text)
        self.assertEqual(recipe["package"],
                         {"name": "rangefinder", "version": "1.2.3"})
        self.assertEqual(recipe["requirements"], {"run": ["__glibc >=2.31"]})
        self.assertEqual(
            recipe["source"],
            [{"url": f"../rangefinder-1.2.3-linux-{machine}.tar.gz",
              "sha256": hashlib.sha256(machine.encode()).hexdigest()}
             for machine in ("aarch64", "x86_64")])
        # What conda-build keeps for one processor is whole YAML, too.
        kept = "\n".join(line for line in text.splitlines()
                         if "[aarch64]" not in line and "[not linux]" not in line)
        self.assertEqual(
            [one["url"] for one in yaml.safe_load(kept)["source"]],
            ["../rangefinder-1.2.3-linux-x86_64.tar.gz"])


if __name__ == "__main__":
    unittest.main()
