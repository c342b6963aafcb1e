#!/bin/bash
. "$(dirname "$0")/common.sh"

status 3 profile -- sh -c 'exit 5' > out 2> err
has err "code 5" "next:"
# What was measured before is reported all the same.
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 28 ]
