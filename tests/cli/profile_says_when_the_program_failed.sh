#!/bin/bash
. "$(dirname "$0")/common.sh"

# A program that fails under the tracer may do so because of it, and if not, what
# it does until then is measured all the same.
FAKE_NCU_ARGV=$t/argv status 3 profile -- sh -c 'exit 5' > out 2> err
has err "code 5" "in its run under the tracer" "next:" pipeline.trace.enable=false
[ -e argv ]
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 24 ]
[ "$(json run/ncu/manifest.json 'd["trace"]["status"]')" = failed ]
[ "$(json run/ncu/manifest.json 'd["failure"]["code"]')" = target ]
has run/ncu/regions/report.md "the capture is not complete"
# Where the status says nothing, it is taken for none.
profile pipeline.ncu.ncu_cli.check_exit_code=false -- sh -c 'exit 0' > out 2> err

# Without the tracer it fails under ncu.
status 3 profile pipeline.trace.enable=false -- sh -c 'exit 5' > out 2> err
has err "code 5" "next:"
# Measurements before the failure are reported all the same, of the wanted regions.
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 24 ]
