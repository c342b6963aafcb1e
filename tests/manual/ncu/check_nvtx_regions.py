#!/usr/bin/env python3
"""Checks the two runs of manual_nvtx_regions.sh by their report.json.

    check_nvtx_regions.py --regions 'A;B;A::A1' --sections S,S RANGE KERNEL

RANGE was profiled in range replay, KERNEL kernel by kernel. One line a check;
status 1 when one failed.
"""
import argparse
import fnmatch
import json
import os
import sys

INST = "smsp__inst_executed.sum"

# Of examples/nested_regions.cu: kernels with the inner regions, and own ones.
KNOWN = {
    ("A",): (6, 3), ("A", "A::A1"): (3, 3), ("B",): (2, 2),
    ("LLM@prefill",): (3, 1), ("LLM@prefill", "LLM@attn"): (2, 2),
    ("LLM@decode_0",): (2, 2), ("LLM@decode_1",): (2, 2),
    ("LLM@decode_2",): (2, 2), ("S1",): (2, 1), ("T0",): (1, 1),
    ("T1",): (2, 2),
}

failures = 0


def check(ok, text, seen=""):
    global failures
    failures += not ok
    print(("ok   " if ok else "FAIL ") + text + (f": {seen}" if seen != "" else ""))


def report(run):
    path = os.path.join(run, "ncu", "regions", "report.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def meant(region, patterns):
    """Whether one of the user's patterns means this region."""
    if not region["path"]:
        return False
    last = region["path"][-1]
    return any(fnmatch.fnmatchcase(last if "@" in pattern else region["name"],
                                   pattern) for pattern in patterns)


def label(region):
    return " > ".join(region["path"]) or region["name"]


def check_whole(document, patterns, sections):
    """Each wanted region was measured once as a whole, with its sections."""
    scope = document["scopes"][0]
    measured = {}
    for region in scope["regions"]:
        wanted = meant(region, patterns)
        rows = [row for row in region["measured"] if row["mode"] == "range"]
        if not wanted:
            check(not rows, f"{label(region)} was not asked for", f"{len(rows)} results")
            continue
        values = [row["metrics"].get(INST, {}).get("value") for row in rows]
        check(len(rows) >= 1 and all(rows_ok(row) for row in rows),
              f"range: {label(region)} measured as a whole",
              f"{len(rows)} result(s), {INST} {values}")
        missing = [name for name in sections if not region["sections"].get(name)]
        check(not missing, f"range: {label(region)} has its sections",
              f"missing {missing}" if missing else ", ".join(sections))
        measured[tuple(region["path"])] = values
    for pattern in patterns:
        check(any(meant(region, [pattern]) for region in scope["regions"]),
              f"range: a region for {pattern}")
    return measured


def rows_ok(row):
    return row["gpu_time_ns"] > 0 and (row["metrics"].get(INST, {}).get("value") or 0) > 0


def check_kernels(document, patterns):
    """Counts as the source has them; totals are the sum of what is own."""
    counted = {}
    for scope in document["scopes"]:
        for key in ("kernel_count", "gpu_time_ns"):
            own = sum(region["exclusive"][key] for region in scope["regions"])
            total = scope["totals"][key]
            check(abs(own - total) <= 1e-9 * max(total, 1),
                  f"kernel: {scope['scope']}: own {key} adds up", f"{own} of {total}")
    scope = document["scopes"][0]
    inside = 0
    for region in scope["regions"]:
        path = tuple(region["path"])
        inclusive = region["inclusive"]["kernel_count"]
        if any(meant({"path": path[:n], "name": path[n - 1].split("@")[-1]}, patterns)
               for n in range(1, len(path) + 1)):
            inside += region["exclusive"]["kernel_count"]
        if not meant(region, patterns):
            continue
        counted[path] = region["inclusive"]["metrics"].get(INST, {}).get("value")
        if path in KNOWN:
            own = region["exclusive"]["kernel_count"]
            check((inclusive, own) == KNOWN[path], f"kernel: {label(region)} has its kernels",
                  f"{inclusive}, own {own}")
        else:
            check(inclusive > 0, f"kernel: {label(region)} has kernels", inclusive)
    check(inside == scope["totals"]["kernel_count"],
          "kernel: no kernel from outside the regions",
          f"{inside} of {scope['totals']['kernel_count']}")
    return counted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--regions", required=True)
    parser.add_argument("--sections", required=True)
    parser.add_argument("range")
    parser.add_argument("kernel")
    arguments = parser.parse_args()
    patterns = [p.strip() for p in arguments.regions.split(";") if p.strip()]
    sections = [s for s in arguments.sections.split(",") if s]
    measured, counted = {}, {}
    for run, what in ((arguments.range, "range"), (arguments.kernel, "kernel")):
        try:
            document = report(run)
        except (OSError, ValueError) as error:
            check(False, f"{what}: there is a report", error)
            continue
        check(document["schema"] == "rangefinder.report/2", f"{what}: the report's schema",
              document["schema"])
        first = open(os.path.join(run, "ncu", "regions", "report.md"),
                     encoding="utf-8").readline().strip()
        check(first == "# NCU Region Reports", f"{what}: the report's title", first)
        if what == "range":
            measured = check_whole(document, patterns, sections)
        else:
            counted = check_kernels(document, patterns)
    for path in sorted(set(measured) & set(counted)):
        whole = [value for value in measured[path] if value]
        ok = bool(whole) and counted[path] and abs(sum(whole) / counted[path] - 1) <= 1e-3
        check(bool(ok), f"instructions of {' > '.join(path)}: range against its kernels",
              f"{whole} against {counted[path]}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
