#!/bin/bash
# The table is as wide as the terminal at most, shows time, share and launches
# always, and counters as many as fit.
. "$(dirname "$0")/common.sh"

for width in 60 80 100 120 200; do
  for name in nested_basic multiproc range_ABprefill nested_full_A; do
    capture=$fixtures/$name.ncu-rep
    [ -e "$capture" ] || continue
    COLUMNS=$width "$rangefinder" show "$capture" > "$name.$width"
    python3 - "$name.$width" $width <<'PYTHON'
import sys, unicodedata
for line in open(sys.argv[1], encoding="utf-8"):
    assert len(line.rstrip("\n")) <= int(sys.argv[2]), line
PYTHON
    has "$name.$width" time launches A
  done
done
# Headings in two lines are no wider than the numbers.
has nested_basic.80 "43.81 %"
not grep -q "Hidden columns" nested_basic.120
# One line names the hidden columns and the option that shows them.
has nested_basic.60 "Hidden columns: " "--columns)"
# Ranges that were measured as a whole are in the same one table.
has range_ABprefill.100 "3 ranges measured as a whole"
[[ $(grep -c '^A  ' range_ABprefill.100) == 1 ]]
not grep -q "0 kernels\| 0 ns" range_ABprefill.100
# Findings come first, each with what to do.
[[ $(sed -n 1p nested_basic.100) == "B: compute-bound"* ]]
grep -q "^  to do: " nested_basic.100
