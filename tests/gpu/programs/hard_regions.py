"""Whether the estimates of a program's regions are what exact counts allow.

    hard_regions.py REPORT.json

Prints a row a region and metric of `capture.check`, and fails where an estimate
is neither within 5 % of the exact count, nor within 1 % of that of the region
around it, nor within the 95 % of both. Bytes written and cycles are left out: a
counted instance begins and ends with an idle GPU.
"""
import json
import sys

METRICS = ("sm__inst_executed.sum", "lts__t_sectors.sum",
           "dram__bytes_read.sum", "sm__pipe_tensor_cycles_active.avg")

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
    good = (abs(off) <= 0.05 * row["exact"] or abs(off) <= 0.01 * around
            or row["agrees"])
    wrong += not good
    print(f"{region:<20} {metric:<34} {row['estimate']:>12.5g} "
          f"+-{row['standard_error']:<9.2g} {row['exact']:>12.5g} "
          f"{100 * off / row['exact']:+7.2f} % {row['instances']:>6} "
          f"{'' if good else 'WRONG'}")
print(len(rows), "pairs,", wrong, "wrong")
sys.exit(wrong > 0 or not rows)
