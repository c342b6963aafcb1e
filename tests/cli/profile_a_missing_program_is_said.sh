#!/bin/bash
. "$(dirname "$0")/common.sh"

status 2 profile -- ./no-such-program > out 2> err
has err "./no-such-program"
