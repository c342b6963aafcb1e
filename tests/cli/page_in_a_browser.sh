#!/bin/bash
. "$(dirname "$0")/common.sh"

# Pages in headless Chromium: rows by the screen and not by the region, nothing
# cut, keys, the timeline and its spans. Times are printed, and never judged.
command -v node > node || skip "node is not installed: no page is opened"
for browser in "${CHROMIUM:-chromium}" chromium-browser google-chrome; do
  command -v "$browser" > chromium && break
done
[ -s chromium ] || skip "chromium is not installed: no page is opened"
CHROMIUM=$(cat chromium)
export CHROMIUM

python3 "$source_dir/tests/cli/many_regions.py" many.sqlite 10000 100000
captures=("$fixtures/range_ABprefill.ncu-rep" "$fixtures/nested_basic.ncu-rep" many.sqlite)
export_of_pytorch=${RANGEFINDER_SHARED:-$source_dir/../shared}/nsys/h100_2gpu_1s.sqlite
[ ! -e "$export_of_pytorch" ] || captures+=("$export_of_pytorch")
from_text=${RANGEFINDER_BUILD:-$source_dir/build/release}/trace_from_text
if [ -x "$from_text" ]; then
  python3 "$source_dir/tests/cli/sampled_program.py" 30 50 | "$from_text" > sampled.rftrace
  captures+=(sampled.rftrace)
fi

# With every name a region, which is the most that a page may have to show.
pages=()
for capture in "${captures[@]}"; do
  name=$(basename "$capture").run
  "$rangefinder" report "$capture" 'report.formats=[html]' \
    regions.merge.auto=false hydra.run.dir="$t/$name" > out 2> err
  pages+=("$t/$name/ncu/regions/report.html")
done
node "$source_dir/web/test/browser/page.mjs" "${pages[@]}" | tee times
[ ! -e sampled.rftrace ] || has times "draws counters:"
has times "many.sqlite.run:" "opened in" "scrolls: frames" "zooms the timeline: frames"
