#!/bin/bash
. "$(dirname "$0")/common.sh"

profile -- sh -c 'touch started; while [ ! -e go ]; do sleep 0.1; done' \
  > first.out 2> first.err &
while [ ! -e started ]; do sleep 0.1; done
status 2 profile -- true > out 2> err
has err "another capture is writing into" hydra.run.dir
touch go
wait %1
