#!/bin/bash
. "$(dirname "$0")/common.sh"

FAKE_NCU_FAIL=no_kernels profile -- true > out 2> err
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 0 ]
has run/ncu/regions/report.md "measured no kernels"
