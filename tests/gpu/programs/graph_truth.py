#!/usr/bin/env python3
"""Estimates of a captured graph's regions against exact counts of the same program run eagerly; prints a table.

graph_truth.py ESTIMATED.json COUNTED.json MEDIAN HIGH

Both are report.json. A region of the graph has one frame more, "graph launch". Regions of 10 us and more count, of traffic those of
100 us. What is shown as an upper bound is no estimate, and counted apart. Ends with 1 unless their instructions and tensor cycles are off by MEDIAN percent or less in the median and HIGH or less at the
90th percentile, and 90 % of the exact counts are within the intervals. Regions of the prompt, which runs once or twice, have a line of
their own.
"""
import json
import sys

WORK = {"sm__inst_executed.sum": 10_000, "sm__pipe_tensor_cycles_active.avg": 10_000}  # ns
TRAFFIC = {"lts__t_sectors.sum": 100_000, "dram__bytes_read.sum": 100_000}


def regions(path):
    return json.load(open(path))["scopes"][0]["regions"]


def line(metric, group, which):
    """Prints one line; (median, 90th percentile, share held), or None without a region."""
    off, widths, held = sorted(group["off"]), sorted(group["widths"]), group["held"]
    rest = f"{group['bounds']} upper bounds ({group['bounds_held']} hold), {group['absent']} absent"
    if not off:
        print(f"{metric:36} no region {which} to compare, {rest}")
        return None
    median, high = off[len(off) // 2], off[int(0.9 * len(off))]
    print(f"{metric:36} {len(off):3} regions {which}, off by {median:.2%} (median), {high:.2%} (90th percentile), "
          f"{off[-1]:.2%} (most); {held / len(off):.0%} within the interval (±{widths[len(widths) // 2]:.2%}, median), {rest}")
    return median, high, held / len(off)


def main():
    estimated, counted = regions(sys.argv[1]), regions(sys.argv[2])
    exact = {tuple(region["path"]): region["measured"][0]["metrics"] for region in counted if region["measured"]}
    good = True
    for metric, least_ns in {**WORK, **TRAFFIC}.items():
        groups = {which: {"off": [], "widths": [], "held": 0, "bounds": 0, "bounds_held": 0, "absent": 0}
                  for which in ("of many instances", "of fewer than 10")}
        seen = set()
        for region in sorted(estimated, key=lambda region: region["depth"]):
            path = tuple(part for part in region["path"] if part != "graph launch")
            known = exact.get(path, {}).get(metric, {}).get("value")
            instances = region["instances"]
            # Where exact counts are beside the estimates, the region's own times have it.
            time_ns = region["inclusive"]["gpu_time_ns"] or region.get("times", {}).get("gpu_ns", {}).get("total", 0)
            if not known or path in seen or time_ns < least_ns * instances:
                continue
            seen.add(path)
            group = groups["of fewer than 10" if instances < 10 else "of many instances"]
            cell = region["inclusive"]["metrics"][metric]
            if cell["value"] is None:
                group["absent"] += 1
            elif cell.get("bound") == "upper":
                group["bounds"] += 1
                group["bounds_held"] += known * instances <= cell["high"]
            else:
                group["off"].append(abs(cell["value"] / instances / known - 1))
                group["widths"].append((cell["high"] - cell["low"]) / 2 / instances / known)
                group["held"] += cell["low"] <= known * instances <= cell["high"]
        figures = [line(metric, group, which) for which, group in groups.items()][0]
        if metric in WORK:
            good = (good and figures is not None and figures[0] <= float(sys.argv[3]) / 100 and
                    figures[1] <= float(sys.argv[4]) / 100 and figures[2] >= 0.9)
    sys.exit(not good)


main()
