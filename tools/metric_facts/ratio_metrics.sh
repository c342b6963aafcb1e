#!/bin/bash
# Prints every ratio of a GH100 whose inputs are known, as ncu is asked for it,
# and the inputs: what tests/gpu/rollup_captures.sh measures.
here=$(cd "$(dirname "$0")" && pwd)
zstd -dc "$here/../../src/profile/metric_facts.txt.zst" | awk -F'\t' '
  NR == 1 { n = split($0, chips, " "); for (i = 1; i <= n; ++i)
              if (chips[i] == "GH100") bit = i - 1; next }
  $2 == "R" && $4 != "" && $1 !~ /\./ {
    # The bit of the chip in a mask of hexadecimal digits.
    digit = substr($5, length($5) - int(bit / 4), 1)
    value = index("0123456789abcdef", digit) - 1
    if (int(value / 2 ^ (bit % 4)) % 2 == 0) next
    print $1 ($3 == "" && $1 ~ /rate$|uniform$/ ? ".pct" : ".ratio")
    split($4, input, "/")
    print input[1] ".sum"
    print input[2] ".sum"
  }
  END { print "gpu__time_duration.sum" }' | sort -u
