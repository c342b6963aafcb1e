#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

# The kernels of a graph stand under its launch, in the regions that they were
# captured in; ranges around the whole capture say nothing of them.
"$rangefinder" discover hydra.run.dir="$t/run" -- "$ranges" graphs 4 > out 2> err
has out "decode" "graph launch" "layer0.mlp"
regions() {
  "$rangefinder" show run --format json "$@" > shown.json 2> err
  json shown.json 'sorted([["/".join(r["path"]), r["exclusive"]["kernel_count"], r["instances"]]
    for r in d["scopes"][0]["regions"] if r["inclusive"]["kernel_count"]])'
}
[ "$(regions)" = '[["decode", 0, 4], ["decode/graph launch", 4, 4], ["decode/graph launch/layer0.mlp", 8, 4], ["decode/graph launch/layer1.mlp", 8, 4], ["tail", 12, 4]]' ]
# A graph that was captured in one range stays where it is launched, with a note.
has shown.json "the graph launched in 'tail' was captured in 'warm-up/capture'"

[ "$(regions regions.graphs=launch)" = '[["decode", 20, 4], ["tail", 12, 4]]' ]
regions regions.graphs=capture > capture
has capture '["warm-up/capture", 16,' '["warm-up/capture/layer0.mlp", 8,'
status 2 "$rangefinder" show run regions.graphs=capure > out 2> err
has err "did you mean 'capture'"

# Nothing is lost or counted twice.
[ "$(json shown.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 32 ]

# What a region launched itself tells why it is slow: `decode` launches graphs all
# the time.
"$rangefinder" show regions.graphs=capture "$fixtures/cases/decode/graph.rftrace.zst" > out 2> err
not grep -q "^decode: host-bound" out
