#!/bin/bash
. "$(dirname "$0")/common.sh"

# A pipe can be read once, so there is no run under the tracer before ncu's.
echo typed | profile -- cat > out
[ "$(grep -c '^typed$' out)" = 1 ]
has run/ncu/regions/report.md "standard input is a pipe"

# A file is read again from where it stood.
printf 'read before\ntyped\n' > input
{ read -r _; profile -- cat > out; } < input
[ "$(grep -c '^typed$' out)" = 2 ]
not grep -q 'read before' out
