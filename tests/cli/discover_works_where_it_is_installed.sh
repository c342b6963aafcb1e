#!/bin/bash
# In a package the program is in bin and the injection library in
# lib/rangefinder: the program finds it there without being told.
. "$(dirname "$0")/common.sh"
needs_tracer
mkdir -p prefix/bin prefix/lib/rangefinder
cp "$rangefinder" prefix/bin/
cp "$RANGEFINDER_INJECT_LIBRARY" prefix/lib/rangefinder/
unset RANGEFINDER_INJECT_LIBRARY
prefix/bin/rangefinder discover hydra.run.dir="$t/run" -- "$ranges" gpu 5 > out
grep -q '^step ' out

rm -r prefix/lib
status=0
prefix/bin/rangefinder discover hydra.run.dir="$t/none" -- "$ranges" gpu 5 \
  > /dev/null 2> err || status=$?
[ "$status" -ne 0 ]
grep -q "was not found (looked in .*/prefix/bin, .*/prefix/lib/rangefinder)" err
