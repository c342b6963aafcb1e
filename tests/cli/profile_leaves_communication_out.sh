#!/bin/bash
. "$(dirname "$0")/common.sh"

FAKE_NCU_FAIL=hang status 4 profile pipeline.trace.enable=false \
  pipeline.ncu.hang_timeout=1 -- sleep 60 > out 2> err
has err ncclDevKernel_AllReduce "pipeline.ncu.exclude_communication=true"
FAKE_NCU_FAIL=hang profile pipeline.ncu.exclude_communication=true -- true \
  > out 2> err
