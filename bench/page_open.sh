#!/bin/bash
# How long pages take to open, and frames while one scrolls and zooms, in
# headless Chromium: 10,000 regions with 100,000 kernels, 1,000 ranks with 200
# regions each, and what is given.
#   bench/page_open.sh [REPORT.HTML...]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
rangefinder=${RANGEFINDER:-$root/build/release/rangefinder}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$root/tests/cli/many_regions.py" "$folder/many.sqlite" 10000 100000
"$rangefinder" report "$folder/many.sqlite" 'report.formats=[html]' \
  hydra.run.dir="$folder/10000 regions" > "$folder/out" 2>&1
mkdir "$folder/traces"
python3 "$root/tests/cli/job_of_ranks.py" "$root/build/release/trace_from_text" \
  "$folder/traces" 1000 2 195
"$rangefinder" report "$folder"/traces/*.rftrace 'report.formats=[html]' \
  hydra.run.dir="$folder/1000 ranks" > "$folder/out" 2>&1
node "$root/web/test/browser/page.mjs" \
  "$folder/10000 regions/ncu/regions/report.html" \
  "$folder/1000 ranks/ncu/regions/report.html" "$@"
