#!/bin/bash
. "$(dirname "$0")/common.sh"

status 2 profile -- ./no-such-program > out 2> err
has err "./no-such-program"
mkdir folder
for command in profile discover run; do
  status 2 "$rangefinder" $command -- ./folder > out 2> err
  has err "there is no program ./folder" "it is a folder"
done
