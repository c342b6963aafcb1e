#!/bin/bash
. "$(dirname "$0")/common.sh"

for real in /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu; do
  [ -e "$real" ] && skip "this machine has an ncu in its usual place: $real"
done
rm bin/ncu
command -v ncu && skip "this machine has an ncu in PATH"
status 4 profile -- true > out 2> err
has err "Nsight Compute was not found" "pipeline.ncu.path"
