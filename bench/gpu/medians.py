"""Compares runs side by side.

    medians.py BASE UNITS < "NAME BENCH seconds seconds ..." lines

For every name: the median and minimum of its seconds, and how much each differs
from BASE's in percent. UNITS: units of work per run; unless it is 0, also the
extra nanoseconds per unit, by the medians.
"""
import statistics
import sys

base, units = sys.argv[1], float(sys.argv[2])
seconds = {}
for line in sys.stdin:
    words = line.split()
    if len(words) > 2 and words[1] == "BENCH":
        seconds.setdefault(words[0], []).extend(map(float, words[2:]))
if base not in seconds:
    sys.exit("no run of " + base)
middle = {name: statistics.median(all) for name, all in seconds.items()}
least = {name: min(all) for name, all in seconds.items()}
print(f"{'mode':<22} {'runs':>4} {'median_s':>9} {'min_s':>9} "
      f"{'median':>8} {'min':>8}" + ("  ns/unit" if units else ""))
for name, all in seconds.items():
    extra = middle[name] - middle[base]
    print(f"{name:<22} {len(all):>4} {middle[name]:>9.4f} {least[name]:>9.4f} "
          f"{100 * (middle[name] / middle[base] - 1):>+7.2f}% "
          f"{100 * (least[name] / least[base] - 1):>+7.2f}%" +
          (f"  {extra / units * 1e9:>+7.1f}" if units else ""))
