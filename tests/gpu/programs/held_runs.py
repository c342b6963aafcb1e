"""In how many runs of a program its regions' exact counts lie within the intervals of their estimates.

held_runs.py COUNTED.json SAMPLED.json...

All are report.json; COUNTED has exact counts. Prints a row for each region and metric. Ends with 1 unless each region's instructions
are held in 17 of 20 runs, or as large a part of them.
"""
import json
import math
import statistics
import sys

METRICS = ["sm__inst_executed.sum", "lts__t_sectors.sum", "sm__pipe_tensor_cycles_active.avg"]


def regions(path):
    return {tuple(region["path"]): region for region in json.load(open(path))["scopes"][0]["regions"]}


def main():
    counted, runs = regions(sys.argv[1]), [regions(path) for path in sys.argv[2:]]
    good = True
    for path, region in counted.items():
        for metric in METRICS if region["measured"] else []:
            measured = region["measured"][0]
            exact = measured["metrics"].get(metric, {}).get("value")
            cells = [(run[path]["inclusive"]["metrics"].get(metric), run[path]["instances"]) for run in runs if path in run]
            cells = [(cell, instances) for cell, instances in cells if cell and cell["value"] is not None]
            if not exact or not cells:
                continue
            # Some instances were counted, and instances differ.
            unsure = 1.96 * measured.get("standard_deviation", {}).get(metric, 0) / measured["instances"] ** 0.5
            held = sum(abs(cell["value"] / instances - exact) <= math.hypot(unsure, (cell["high"] - cell["low"]) / 2 / instances)
                       for cell, instances in cells)
            bounds = sum(cell.get("bound") == "upper" for cell, _ in cells)
            off = statistics.median(abs(cell["value"] / instances / exact - 1) for cell, instances in cells)
            good &= metric != METRICS[0] or held >= 0.85 * len(cells)
            print(f"  {'/'.join(path):<28} {metric:<36} held in {held:2} of {len(cells):2}, {len(runs) - len(cells)} absent, "
                  f"{bounds} upper bounds, off by {off:.2%} (median)")
    return 0 if good and runs else 1


sys.exit(main())
