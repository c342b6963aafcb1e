#!/bin/bash
# A run directory of somebody else's is reported into, and nowhere else.
. "$(dirname "$0")/common.sh"

mkdir -p home/regions run/ncu
cp "$fixtures/nested_basic.ncu-rep" run/ncu/
echo mine | tee home/report.md home/regions/report.md > home/notes

ln -s "$t/home/regions" run/ncu/regions
status 7 "$rangefinder" report run > out 2> err
has err "run/ncu/regions: is a symbolic link"

# A region's own folder.
rm run/ncu/regions
mkdir run/ncu/regions
ln -s "$t/home/regions" run/ncu/regions/A
status 7 "$rangefinder" report run > out 2> err
has err "run/ncu/regions/A: is a symbolic link"

# A link in the place of a file is replaced, and not its target.
rm run/ncu/regions/A
ln -sf "$t/home/report.md" run/report.md
"$rangefinder" report run > out 2> err
[ ! -L run/report.md ]
grep -qF '# ' run/report.md

# The same for files that a run writes.
mkdir started
ln -s "$t/home" started/trace
status 7 "$rangefinder" discover hydra.run.dir="$t/started" -- true > out 2> err
has err "started/trace: is a symbolic link"
mkdir profiled
ln -s "$t/home" profiled/ncu
status 7 "$rangefinder" profile hydra.run.dir="$t/profiled" \
  pipeline.ncu.enable=true -- true > out 2> err
has err "profiled/ncu: is a symbolic link"

cmp home/notes home/report.md
cmp home/notes home/regions/report.md
[ "$(find home | wc -l)" = 5 ]
