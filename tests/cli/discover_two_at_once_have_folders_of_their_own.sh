#!/bin/bash
# Runs that begin in one second do not share a folder, and runs that are given
# one folder do not share it at one time.
. "$(dirname "$0")/common.sh"
needs_tracer

# As if the clock stood still: all of them want the same folder.
wish='hydra.run.dir=runs/${now:%Y}'
for i in 1 2 3 4; do
  "$rangefinder" discover "$wish" -- "$ranges" nested $i > out$i 2> err$i &
done
wait
year=$(ls runs | head -1)
[ "$(ls runs)" = "$(printf '%s\n' "$year" "${year}_1" "${year}_2" "${year}_3")" ]
for run in runs/*; do
  [ "$(find "$run/trace" -name '*.rftrace' | wc -l)" = 1 ]
  [ -s "$run/ncu/regions/report.json" ]
done
# Each says its own.
[ "$(cat out? | grep -o "runs/${year}[_0-9]*/" | sort)" = "$(printf '%s/\n' runs/*)" ]

# The same of reports of loose files.
"$rangefinder" report "$wish" "$fixtures/graph_graph.ncu-rep" > out 2> err
has out "runs/${year}_4/ncu/regions"

# Nothing begun leaves nothing.
status 2 "$rangefinder" profile "$wish" pipeline.ncu.enable=true -- nosuchprogram > out 2> err
[ ! -e "runs/${year}_5" ]

"$rangefinder" discover hydra.run.dir=run -- \
  sh -c 'touch started; while [ ! -e go ]; do sleep 0.1; done' > out1 2> err1 &
first=$!
while [ ! -e started ]; do sleep 0.1; done
status 2 "$rangefinder" discover hydra.run.dir=run -- touch run-twice > out 2> err
has err "another capture is writing into" hydra.run.dir
[ ! -e run-twice ]
touch go
wait "$first"
