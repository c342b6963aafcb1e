#!/usr/bin/env python3
"""Which two counters does a ratio divide? Tried on what was measured.

    compare_quotients.py RAW.csv      raw.csv of kernels: ratios and counters

Prints, for every .ratio and .pct column, the forms that give its value in every
kernel: A/B, (A-B)/A and A/(A+B), of columns .sum of the same capture.
"""

import csv
import itertools
import sys


def main(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {}
    for name in list(rows[0])[12:]:
        try:
            columns[name] = [float(row[name]) for row in rows]
        except ValueError:
            continue
    counters = {n: v for n, v in columns.items() if n.endswith(".sum")}
    for ratio, values in columns.items():
        if not ratio.endswith((".ratio", ".pct")) or "peak_sustained" in ratio:
            continue
        scale = 100 if ratio.endswith(".pct") else 1
        if len(set(values)) == 1:
            print(f"{ratio}: {values[0]:g} in every kernel")
            continue
        found = []
        for (a, over), (b, under) in itertools.permutations(
                counters.items(), 2):
            for form, of in (("{}/{}", lambda x, y: x / y),
                             ("1-{1}/{0}", lambda x, y: (x - y) / x),
                             ("{0}/({0}+{1})", lambda x, y: x / (x + y))):
                try:
                    good = all(
                        abs(scale * of(x, y) - v) <= 1e-9 * abs(v)
                        for x, y, v in zip(over, under, values)
                        if not (v == 0 and y == 0))
                except ZeroDivisionError:
                    good = False
                if good:
                    found.append(form.format(a, b))
        text = ", ".join(found) or "no pair of these counters"
        print(f"{ratio}: {min(values):g} to {max(values):g}: {text}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(sys.argv[1])
