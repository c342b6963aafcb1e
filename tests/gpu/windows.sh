#!/usr/bin/env bash
# Windows in armed programs (docs/live.md): their reports are right, asleep costs
# next to nothing, opening and closing hold no thread, memory stays flat, exact
# counts are those of `profile`.
#
#   windows.sh [--parts exact,decode,pairs,throughput,gaps] [--modes eager,graph]
#              [--arms light,graphs] [--pairs N] [--windows N] [--gap-windows N]
#
# Takes about 17 minutes, of it one for `exact` and four for each mode of
# `throughput`. `decode` and `throughput` need PyTorch and transformers. Prints its
# figures, and writes them to OUT/figures.txt.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need nvcc python3
prepare
for name in armed_gaps armed_loop; do
  nvcc -O2 -std=c++17 -arch=native -o "$out/$name" "$here/programs/$name.cu" || skip "nvcc could not build $name.cu"
done
python3 "$here/programs/windows.py" "$rangefinder" "$out" "$@"
