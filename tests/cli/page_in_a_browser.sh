#!/bin/bash
. "$(dirname "$0")/common.sh"

# Pages in headless Chromium: rows by the screen and not by the region, nothing
# cut, keys, the timeline and its spans, the ranks of a job. Times are printed, and never judged.
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
if [ -e "$export_of_pytorch" ]; then
  captures+=("$export_of_pytorch")
else
  left_out "the page of an export of PyTorch: no $export_of_pytorch"
fi
from_text=${RANGEFINDER_BUILD:-$source_dir/build/release}/trace_from_text
if [ -x "$from_text" ]; then
  python3 "$source_dir/tests/cli/sampled_program.py" 30 50 | "$from_text" > sampled.rftrace
  captures+=(sampled.rftrace)
else
  left_out "pages of traces: no $from_text"
fi

# With every name a region, which is the most that a page may have to show.
pages=()
for capture in "${captures[@]}"; do
  name=$(basename "$capture").run
  "$rangefinder" report "$capture" 'report.formats=[html]' \
    regions.merge.auto=false hydra.run.dir="$t/$name" > out 2> err
  pages+=("$t/$name/ncu/regions/report.html")
done
if [ -x "$from_text" ]; then
  mkdir traces
  python3 "$source_dir/tests/cli/job_of_ranks.py" "$from_text" traces 40 10 30
  "$rangefinder" report traces/*.rftrace 'report.formats=[html]' \
    hydra.run.dir="$t/job.run" > out 2> err
  pages+=("$t/job.run/ncu/regions/report.html")
fi
node "$source_dir/web/test/browser/page.mjs" "${pages[@]}" | tee times
[ ! -e sampled.rftrace ] || has times "draws counters:"
[ ! -e traces ] || has times "job.run:" "shows Ranks (40): drawn after" "rank 2"
has times "many.sqlite.run:" "opened in" "scrolls: frames" "zooms the timeline: frames"
