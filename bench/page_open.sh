#!/bin/bash
# How long pages take to open, and frames while one scrolls and zooms, in
# headless Chromium: 10,000 regions with 100,000 kernels, and what is given.
#   bench/page_open.sh [REPORT.HTML...]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
rangefinder=${RANGEFINDER:-$root/build/release/rangefinder}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$root/tests/cli/many_regions.py" "$folder/many.sqlite" 10000 100000
"$rangefinder" report "$folder/many.sqlite" 'report.formats=[html]' \
  hydra.run.dir="$folder/10000 regions" > "$folder/out" 2>&1
node "$root/web/test/browser/page.mjs" \
  "$folder/10000 regions/ncu/regions/report.html" "$@"
