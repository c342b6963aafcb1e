#!/usr/bin/env python3
"""Estimates of a captured graph's regions against exact counts of the same program run eagerly; prints a table.

graph_truth.py ESTIMATED.json COUNTED.json MEDIAN HIGH

Both are report.json. A region of the graph has one frame more, "graph launch". Ends with 1 unless the instructions of regions of 10 us
and more are off by MEDIAN percent or less in the median and HIGH or less at the 90th percentile, and 90 % of the exact counts are
within the intervals.
"""
import json
import sys

LEAST_NS = 10_000
METRICS = ["sm__inst_executed.sum", "sm__pipe_tensor_cycles_active.avg", "lts__t_sectors.sum", "dram__bytes_read.sum"]


def regions(path):
    return json.load(open(path))["scopes"][0]["regions"]


def main():
    estimated, counted = regions(sys.argv[1]), regions(sys.argv[2])
    exact = {tuple(region["path"]): region["measured"][0]["metrics"] for region in counted if region["measured"]}
    good = True
    for metric in METRICS:
        off, held, absent, seen = [], 0, 0, set()
        for region in sorted(estimated, key=lambda region: region["depth"]):
            path = tuple(part for part in region["path"] if part != "graph launch")
            known = exact.get(path, {}).get(metric, {}).get("value")
            instances = region["instances"]
            if not known or path in seen or region["inclusive"]["gpu_time_ns"] < LEAST_NS * instances:
                continue
            seen.add(path)
            cell = region["inclusive"]["metrics"][metric]
            if cell["value"] is None:
                absent += 1
                continue
            off.append(abs(cell["value"] / instances / known - 1))
            held += cell["low"] <= known * instances <= cell["high"]
        if not off:
            print(f"{metric}: no region to compare")
            good = False
            continue
        off.sort()
        median, high = off[len(off) // 2], off[int(0.9 * len(off))]
        print(f"{metric:36} {len(off):3} regions, off by {median:.2%} (median), {high:.2%} (90th percentile), "
              f"{off[-1]:.2%} (most); {held / len(off):.0%} within the interval, {absent} absent")
        if metric == METRICS[0]:
            good = median <= float(sys.argv[3]) / 100 and high <= float(sys.argv[4]) / 100 and held >= 0.9 * len(off)
    sys.exit(not good)


main()
