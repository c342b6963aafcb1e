#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

# The run of a program that calls neither CUDA nor NVTX has no capture.
"$rangefinder" profile hydra.run.dir="$t/run" -- true > out 2> err
"$rangefinder" show run > out 2> err
has out "called neither NVTX nor CUDA"
"$rangefinder" explain run > out 2> err
"$rangefinder" filter step run > out 2> err
has out "selects   0 of 0 measurements"
