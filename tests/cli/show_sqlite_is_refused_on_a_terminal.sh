#!/bin/bash
# A database is bytes that no terminal can show: the message names a file.
. "$(dirname "$0")/common.sh"
needs_terminal

status=0
python3 - "$rangefinder" "$fixtures/multiproc.ncu-rep" > out << 'PY' || status=$?
import os
import pty
import sys

sys.exit(os.waitstatus_to_exitcode(
    pty.spawn([sys.argv[1], "show", sys.argv[2], "--format", "sqlite"])))
PY
[ $status = 2 ]
has out 'no terminal can show' 'run.sqlite'
not grep -q 'SQLite format' out
