#!/usr/bin/env python3
"""Times `ncu --import R --page raw --csv` against the same table by `rangefinder
show R --format csv`, the region report by `show R --format json`, and against
`rangefinder report R`, which writes every file; then each file alone.

    compare_import.py RANGEFINDER REPORT.ncu-rep FOLDER [ROUNDS [table]]

Interleaved rounds after one to warm the caches; medians of wall-clock time and
of peak memory, as wait4 gives it. Prints one JSON document, or the rows of a
table in Markdown.
"""

import json
import os
import shutil
import statistics
import sys
import time


def run(command):
    """Seconds and MiB at the peak of one command, its output thrown away."""
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(child, 0)
    seconds = time.monotonic() - start
    if status != 0:
        sys.exit(f"compare_import.py: {' '.join(command)}: "
                 f"status {os.waitstatus_to_exitcode(status)}")
    return seconds, usage.ru_maxrss / 1024


def print_table(result):
    """A row for each command; `ncu --import` is 1."""
    size = f"{result['report_bytes'] / 1e6:.0f} MB"
    for name, one in result.items():
        if not isinstance(one, dict):
            continue
        print(f"| {size} | {name} | {1000 * one['seconds']:.0f} "
              f"({1000 * one['seconds_min']:.0f} to "
              f"{1000 * one['seconds_max']:.0f}) | {one['peak_mib']} "
              f"| {one.get('times_faster', 1)} "
              f"| {one.get('memory_ratio', 1)} |")


def main():
    rangefinder, report, folder = sys.argv[1:4]
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    run_dir = os.path.join(folder, "compare")
    commands = {
        "ncu_import_csv": ["ncu", "--import", report, "--page", "raw",
                           "--csv"],
        "rangefinder_report": [rangefinder, "report", report,
                               f"hydra.run.dir={run_dir}"],
        "rangefinder_show_csv": [rangefinder, "show", report, "--format",
                                 "csv"],
        "rangefinder_show_json": [rangefinder, "show", report, "--format",
                                  "json"],
        "report_without_folders": [rangefinder, "report", report,
                                   f"hydra.run.dir={run_dir}",
                                   "report.max_folders=0"],
    }
    for name in ("md", "json", "html"):
        commands[f"report_{name}"] = [rangefinder, "report", report, "-o",
                                      run_dir, "--format", name]
    samples = {name: [] for name in commands}
    for round_number in range(rounds + 1):
        for name, command in commands.items():
            shutil.rmtree(run_dir, ignore_errors=True)
            sample = run(command)
            if round_number > 0:
                samples[name].append(sample)
    result = {"report_bytes": os.path.getsize(report), "rounds": rounds}
    for name, values in samples.items():
        result[name] = {
            "seconds": round(statistics.median(v[0] for v in values), 4),
            "seconds_min": round(min(v[0] for v in values), 4),
            "seconds_max": round(max(v[0] for v in values), 4),
            "peak_mib": round(statistics.median(v[1] for v in values), 1),
        }
    ncu = result["ncu_import_csv"]
    for name in list(commands)[1:]:
        ours = result[name]
        ours["times_faster"] = round(ncu["seconds"] / ours["seconds"], 1)
        ours["memory_ratio"] = round(ours["peak_mib"] / ncu["peak_mib"], 3)
    if sys.argv[5:] == ["table"]:
        print_table(result)
        return
    json.dump(result, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
