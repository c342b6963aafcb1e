"""Estimated counters of regions against measured ones, an instance each.

    estimate_truth.py ESTIMATED.json MEASURED.json

Both are report.json of the same program with the same regions, however often it
went through them. Prints a row a region and metric, and at the end, by how many
instances and how long ones a region has, how far apart they are and how often
the 95 % intervals hold the measured value.
"""
import json
import statistics
import sys

METRICS = ["sm__inst_executed.sum", "sm__pipe_tensor_cycles_active.avg",
           "lts__t_sectors.sum", "dram__bytes_read.sum",
           "dram__bytes_write.sum", "sm__cycles_active.avg"]
TRUE_UNDER_REPLAY = METRICS[:3]


def regions(path):
    scope = json.load(open(path))["scopes"][0]
    return {tuple(r["path"]): r for r in scope["regions"] if r["path"]}


estimated, measured = regions(sys.argv[1]), regions(sys.argv[2])
print(f"{'region':<28} {'inst.':>6} {'us':>8} {'metric':<34} {'estimate':>12} "
      f"{'error':>7} {'measured':>12} {'ratio':>8}")
groups = {}
for path, region in estimated.items():
    other = measured.get(path)
    if other is None or not region["instances"] or not other["instances"]:
        continue
    count = region["instances"]
    us = (region["inclusive"]["gpu_time_ns"] or 0) / count / 1e3
    for metric in METRICS:
        cell = region["inclusive"]["metrics"].get(metric)
        truth = other["inclusive"]["metrics"].get(metric)
        if not cell or not truth or truth["value"] is None:
            continue
        truth = truth["value"] / other["instances"]
        name = "/".join(path)[-28:]
        if cell["value"] is None:
            print(f"{name:<28} {count:>6} {us:>8.1f} {metric:<34} "
                  f"absent: {cell['reason']}")
            continue
        value, error = cell["value"] / count, cell["standard_error"] / count
        ratio = value / truth if truth else float("nan")
        print(f"{name:<28} {count:>6} {us:>8.1f} {metric:<34} {value:>12.5g} "
              f"{100 * error / value if value else 0:>6.2f}% {truth:>12.5g} "
              f"{ratio:>8.4f}")
        if metric not in TRUE_UNDER_REPLAY or not truth:
            continue
        kind = ("50 instances of 15 us and more" if count >= 50 and us >= 15
                else "4 instances of 40 us and more" if count >= 4 and us >= 40
                else "fewer or shorter")
        inside = cell["low"] / count <= truth <= cell["high"] / count
        groups.setdefault(kind, []).append((abs(ratio - 1), inside))
for kind, all_of_kind in groups.items():
    apart = [one[0] for one in all_of_kind]
    print(f"{kind}: {len(apart)} values that replay does not change, apart by "
          f"{100 * statistics.median(apart):.2f} % (median), "
          f"{100 * max(apart):.2f} % (most); the 95 % interval holds "
          f"{sum(one[1] for one in all_of_kind)} of them")
