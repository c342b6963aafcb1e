#!/bin/bash
. "$(dirname "$0")/common.sh"

profile -- sleep 3 > first.out 2> first.err &
sleep 1.5
status 2 profile -- true > out 2> err
has err "another capture is writing into" hydra.run.dir
wait %1
