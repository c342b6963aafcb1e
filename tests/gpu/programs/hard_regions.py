"""Whether the estimates of a program's regions are what exact counts allow.

    hard_regions.py REPORT.json

Prints a row a region and metric of `capture.check`, and fails where an estimate
is neither within 5 % of the exact count, nor within 1 % of that of the region
around it, nor within three standard errors of both. Bytes of memory do not fail:
a counted instance begins and ends with an idle GPU, and finds other caches.
"""
import json
import math
import sys

METRICS = ("sm__inst_executed.sum", "lts__t_sectors.sum",
           "dram__bytes_read.sum", "sm__pipe_tensor_cycles_active.avg")
SAME_WHEN_IDLE = set(METRICS) - {"dram__bytes_read.sum"}

rows = [row for row in json.load(open(sys.argv[1]))["capture"]["check"]
        if row["metric"] in METRICS and row["exact"]]
exact = {(row["region"], row["metric"]): row["exact"] for row in rows}
wrong = 0
for row in rows:
    region, metric = row["region"], row["metric"]
    if row["estimate"] is None:
        print(f"{region:<20} {metric:<34} absent")
        continue
    parent = region.rpartition("/")[0]
    around = exact.get((parent, metric), row["exact"])
    off = row["estimate"] - row["exact"]
    error = math.hypot(row["standard_error"], row["exact_standard_error"])
    good = (abs(off) <= 0.05 * row["exact"] or abs(off) <= 0.01 * around
            or abs(off) <= 3 * error)
    wrong += not good and metric in SAME_WHEN_IDLE
    print(f"{region:<20} {metric:<34} {row['estimate']:>12.5g} "
          f"+-{row['standard_error']:<9.2g} {row['exact']:>12.5g} "
          f"{100 * off / row['exact']:+7.2f} % {row['instances']:>6} "
          f"{'' if good else 'apart'}")
print(len(rows), "pairs,", wrong, "wrong, of counts that are the same when idle")
sys.exit(wrong > 0 or not rows)
