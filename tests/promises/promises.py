#!/usr/bin/env python3
"""Tries the promises of the specification literally, one command a row.

    promises.py              prints each row that fails; status 1 if any does
    promises.py --markdown   prints the tables, too
    promises.py --update     writes the tables into docs/promises.md
    promises.py --only TEXT  only rows whose promise or command contains TEXT

A row of this list that docs/promises.md lacks is a failure, too.

Each command runs in a fresh folder that holds the captures of tests/fixtures and
small exports of Nsight Systems. `ncu` and `nsys` are the stand-ins of
tests/fake_ncu and tests/fake_nsys. $RANGEFINDER is the binary,
$RANGEFINDER_BUILD the folder of `inject_ranges`. The rows are in rows.py.
"""
import argparse
import csv
import io
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import rows  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/promises.md"
MARK = "<!-- generated: tests/promises/promises.py --update writes what follows -->\n"
FIXTURES = ROOT / "tests/fixtures"
BINARY = pathlib.Path(os.environ.get(
    "RANGEFINDER", ROOT / "build/release/rangefinder")).resolve()
BUILD = pathlib.Path(os.environ.get("RANGEFINDER_BUILD", BINARY.parent)).resolve()


def nsys_export(path, ranges):
    """An export of Nsight Systems: one process, `ranges` (name, start, end) on one
    thread, and in the middle of each a launch whose kernel takes 100 ns."""
    base = sqlite3.connect(path)
    base.executescript("""
      CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
      INSERT INTO StringIds VALUES (1, 'gemm(float *)'), (2, 'gemm');
      CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId,
        streamId, correlationId, globalPid, demangledName, shortName,
        mangledName, gridX, gridY, gridZ, blockX, blockY, blockZ);
      CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid,
        correlationId);
      CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId, globalTid,
        domainId, category, color, uint64Value, doubleValue);
      CREATE TABLE PROCESSES (globalPid, pid, name);""")
    process, thread = (1 << 48) + (7 << 24), (1 << 48) + (7 << 24) + 11
    base.execute("INSERT INTO PROCESSES VALUES (?, 7, '/bin/app')", (process,))
    for call, (name, start, end) in enumerate(ranges, 1):
        base.execute("INSERT INTO NVTX_EVENTS VALUES "
                     "(?, ?, 59, ?, NULL, ?, 0, 0, 0, NULL, NULL)",
                     (start, end, name, thread))
        launch = (start + end) // 2
        base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?)",
                     (launch, launch + 1, thread, call))
        base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                     "(?, ?, 0, 1, 7, ?, ?, 1, 2, NULL, 16, 1, 1, 256, 1, 1)",
                     (launch + 2, launch + 102, call, process))
    base.commit()
    base.close()


BIDI = "\u202ebidi\x1b[31m"
HOSTILE = "</script><b>|`x`|\n../../out, \"q\" =cmd()"


def make_exports(folder):
    """Exports of Nsight Systems, for every command."""
    folder.mkdir()
    nsys_export(folder / "steps.sqlite",
                [(f"step_{i}", 1000 * i, 1000 * i + 900) for i in range(1, 5)])
    nsys_export(folder / "hostile.sqlite",
                [(HOSTILE, 1000, 9000), ("=1+1", 2000, 3000)])
    nsys_export(folder / "wide.sqlite",
                [("outer", 1000, 90000), ("outer", 2000, 30000), ("x" * 300, 40000, 50000)])
    for count in (7, 8):
        nsys_export(folder / f"decode{count}.sqlite",
                    [(f"decode_{i}", 1000 * i, 1000 * i + 900) for i in range(count)])
    nsys_export(folder / "odd.sqlite",
                [("", 1000, 2000), ("open", 3000, 9000), ("x", 4000, 6000),
                 ("y", 5000, 8000), (BIDI, 10000, 11000), ("empty", 20000, 30000)])
    with sqlite3.connect(folder / "odd.sqlite") as base:
        base.execute("UPDATE NVTX_EVENTS SET end = NULL WHERE text = 'open'")
        base.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId = 6")
    base.close()


def link_inputs(folder, exports):
    """Puts the captures into the folder in which a command runs."""
    for file in (*FIXTURES.iterdir(), *exports.iterdir()):
        if file.suffix in (".ncu-rep", ".ncu-repz", ".zst", ".sqlite"):
            (folder / file.name).symlink_to(file)
    (folder / "options.tsv").symlink_to(ROOT / "tests/fake_ncu/options.tsv")


class Result:
    """The end of a command, and the names that a check can use."""

    def __init__(self, folder, status, out, err):
        self.folder = folder
        self.names = {
            "status": status, "out": out, "err": err,
            "text": self.text, "exists": self.exists, "load": self.load,
            "regions": regions, "region": region, "paths": paths,
            "conserved": conserved, "adds_up": adds_up, "rows": read_rows,
            "without_paths": without_paths, "files": self.files, "HOSTILE": HOSTILE, "BIDI": BIDI,
            "json": json,
        }

    def text(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def exists(self, *names):
        return all((self.folder / name).exists() for name in names)

    def load(self, name):
        return json.loads(self.text(name))

    def files(self, name="."):
        top = self.folder / name
        return sorted(str(path.relative_to(top)) for path in top.rglob("*")
                      if path.is_file() and not path.is_symlink())

    def holds(self, check):
        """Whether the expression holds. `d` is standard output as JSON."""
        if "d" in compile(check, "check", "eval").co_names:
            self.names["d"] = json.loads(self.names["out"])
        return bool(eval(check, dict(self.names)))  # pylint: disable=eval-used


def regions(document, scope=0):
    return document["scopes"][scope]["regions"]


def region(document, *path):
    return next(r for r in regions(document) if r["path"] == list(path))


def paths(document):
    return {" > ".join(r["path"]) for r in regions(document)}


def conserved(document):
    """Exclusive values of all regions add up to the totals of every scope."""
    return all(
        sum(r["exclusive"][key] or 0 for r in scope["regions"]) ==
        scope["totals"][key]
        for scope in document["scopes"] for key in ("kernel_count", "gpu_time_ns"))


def adds_up(document):
    """Own values + values of the children = inclusive values."""
    for scope in document["scopes"]:
        for r in scope["regions"]:
            for key in ("kernel_count", "gpu_time_ns"):
                children = sum(c["inclusive"][key] for c in scope["regions"]
                               if c["parent_id"] == r["id"])
                if r["exclusive"][key] + children != r["inclusive"][key]:
                    return False
    return True


def read_rows(text, delimiter=","):
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


def without_paths(document):
    """The document without the places of its own files."""
    for scope in document["scopes"]:
        scope["regions"] = [{key: value for key, value in r.items()
                             if not key.endswith("_path")} for r in scope["regions"]]
    return document


def make_programs(bin_folder):
    """A folder with the stand-ins, first in PATH."""
    bin_folder.mkdir()
    (bin_folder / "ncu").symlink_to(ROOT / "tests/fake_ncu/ncu")
    (bin_folder / "nsys").symlink_to(ROOT / "tests/fake_nsys/nsys")
    (bin_folder / "rangefinder").symlink_to(BINARY)
    validator = bin_folder / "validate_report"
    validator.write_text("#!/bin/sh\nfor python in python3 /usr/bin/python3; do\n"
                         "  $python -c 'import jsonschema' 2> /dev/null &&\n"
                         f"    exec $python '{ROOT}/tools/validate_report.py' \"$@\"\n"
                         "done\nexit 77\n")
    validator.chmod(0o755)
    return bin_folder


def environment(bin_folder):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("FAKE_", "NVTX_", "CUDA_INJECTION", "SLURM_",
                                    "OMPI_", "PMI_")) and
            name not in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "COLUMNS")}
    kept.setdefault("RANGEFINDER_INJECT_LIBRARY",
                    str(BINARY.parent / "librangefinder_inject.so"))
    return kept | {
        "PATH": f"{bin_folder}:{BUILD}:{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8", "FAKE_NCU_FIXTURES": str(FIXTURES),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def fault_of(row, done, folder):
    """None if the row holds after its command, else the reason why it does not."""
    out = done.stdout.decode("utf-8", "replace")
    err = done.stderr.decode("utf-8", "replace")
    if done.returncode == 77:
        return "needs python3-jsonschema"
    if done.returncode != row.status:
        return f"status {done.returncode}, not {row.status}: {err[-400:]}"
    try:
        if Result(folder, done.returncode, out, err).holds(row.check):
            return None
    except (KeyError, IndexError, StopIteration, ValueError, OSError, TypeError,
            NameError) as error:
        return f"{row.check}: {type(error).__name__}: {error}"
    return f"not so: {row.check}\n{out[:400]}\n{err[:400]}"


def run(group, exports, bin_folder):
    """Runs the command of the rows; the fault of each row, or None."""
    with tempfile.TemporaryDirectory(prefix="promise.") as name:
        folder = pathlib.Path(name)
        link_inputs(folder, exports)
        try:
            done = subprocess.run(
                ["bash", "-c", group[0].command], cwd=folder,
                env=environment(bin_folder), stdin=subprocess.DEVNULL,
                capture_output=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return ["no answer within 60 s"] * len(group)
        return [fault_of(row, done, folder) for row in group]


def missing(row):
    """The reason why this machine cannot run the row, or None."""
    if row.needs:
        return row.needs
    if "inject_ranges" in row.command and not (BUILD / "inject_ranges").exists():
        return "needs `inject_ranges` of a build"
    if "nobody" in row.command and os.geteuid() != 0:
        return "needs root, to give its rights up"
    return None


def line_of(row):
    """The row in Markdown, without its result."""
    fence = "``" if "`" in row.command else "`"
    command = row.command.replace("|", "\\|")
    return f"| {row.promise} | {fence}{command}{fence} | "


def tables(results):
    """The tables in Markdown, one a section, of (row, result)."""
    lines, section = [], None
    for row, result in results:
        if row.section != section:
            section = row.section
            lines += ["", f"## {section}. {rows.SECTIONS[section]}", "",
                      "| promise | command | result |", "|---|---|---|"]
        if result == "holds" and row.status:
            result = f"holds, status {row.status}"
        lines.append(f"{line_of(row)}{result} |")
    return "\n".join(lines) + "\n"


def try_all(wanted):
    """Yields each row with its result: `holds`, `needs …`, or None and the fault.
    Rows of one command share its run."""
    groups = {}
    for row in wanted:
        groups.setdefault(row.command, []).append(row)
    faults = {}
    with tempfile.TemporaryDirectory(prefix="promises.") as name:
        top = pathlib.Path(name)
        bin_folder = make_programs(top / "bin")
        make_exports(top / "exports")
        for row in wanted:
            result = missing(row)
            if result is None and row not in faults:
                group = groups[row.command]
                faults.update(zip(group, run(group, top / "exports", bin_folder)))
            fault = faults.get(row)
            if fault and fault.startswith("needs "):
                result, fault = fault, None
            yield row, result or (None if fault else "holds"), fault


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    # A shell that starts this in the background ignores Ctrl-C; commands do not.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    wanted = [row for row in rows.ROWS
              if options.only in f"{row.promise} {row.command}"]
    results, failed = [], 0
    for row, result, fault in try_all(wanted):
        results.append((row, result or "**fails**"))
        if fault:
            failed += 1
            print(f"{row.section}: {row.promise}\n"
                  f"  $ {row.command}\n  {fault}", file=sys.stderr)
    if options.markdown:
        print(tables(results))
    head, mark, table = PAGE.read_text(encoding="utf-8").partition(MARK)
    if options.update and not options.only:
        PAGE.write_text(head + mark + tables(results), encoding="utf-8")
    else:
        for row in wanted:
            if line_of(row) not in table:
                failed += 1
                print(f"docs/promises.md lacks: {row.promise}: promises.py --update "
                      "writes it", file=sys.stderr)
    held = sum(result == "holds" for _, result in results)
    print(f"{len(wanted)} rows: {held} hold, {failed} fail, "
          f"{sum(' ' in result for _, result in results)} not run here", file=sys.stderr)
    return 1 if failed or not held else 0


if __name__ == "__main__":
    sys.exit(main())
