#!/bin/bash
# Makes src/profile/metric_facts.txt.zst again from the CUDA toolkit at $1
# (default: /usr/local/cuda). No GPU is needed. Further arguments are raw pages
# of GH100 captures that ncu printed as CSV: their ratios are recomputed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cuda=${1:-/usr/local/cuda}
shift || true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

${CXX:-g++} -std=c++20 -O1 -isystem "$cuda/include" "$here/dump.cc" -ldl \
    -o "$work/dump"
"$work/dump" "$cuda/lib64/libnvperf_host.so" > "$work/dump.txt"
python3 "$here/make_table.py" "$work/dump.txt" \
    --out "$here/../../src/profile/metric_facts.txt.zst" --check "$@"
