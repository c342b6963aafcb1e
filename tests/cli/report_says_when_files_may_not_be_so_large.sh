#!/bin/bash
# A limit on the size of files is an error of the file that meets it.
. "$(dirname "$0")/common.sh"

limited() { (ulimit -f 4; "$rangefinder" "$@" > out 2> err); }
status 7 limited report "$fixtures/nested_basic.ncu-rep" hydra.run.dir="$t/run"
has err "$t/run/ncu/" "cannot write: File too large"
[ "$(find run -name '*.part')" = "" ]

needs_tracer
# A program that is run meets its limits as it does without Rangefinder.
program='ulimit -f 1; head -c 100000 /dev/zero > large'
bare=0
sh -c "$program" 2> /dev/null || bare=$?
status 3 "$rangefinder" discover hydra.run.dir="$t/found" -- sh -c "$program" > out 2> err
has err "ended with status $bare"
