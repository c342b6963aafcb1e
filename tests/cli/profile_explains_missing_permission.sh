#!/bin/bash
. "$(dirname "$0")/common.sh"

FAKE_NCU_FAIL=permission status 4 profile pipeline.trace.enable=false -- sleep 5 > out 2> err
has err ERR_NVGPUCTRPERM "why:" "next:" NVreg_RestrictProfilingToAdminUsers=0
[ "$(json run/ncu/manifest.json 'd["failure"]["code"]')" = profiler ]
