#!/bin/bash
. "$(dirname "$0")/common.sh"

# ncu's own lines go to its log, wherever the program writes.
profile -- sh -c 'echo to-out; echo to-err >&2' > out 2> err
has out to-out
has err to-err
not grep -q to-err out
not grep -q to-out err
not grep -q '==PROF==' out
not grep -q '==PROF==' err
has run/ncu/log.txt '==PROF== Connected'
