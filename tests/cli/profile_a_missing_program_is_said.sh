#!/bin/bash
. "$(dirname "$0")/common.sh"

status 2 profile -- ./no-such-program > out 2> err
has err "./no-such-program"
mkdir folder
for command in profile discover run; do
  status 2 "$rangefinder" $command -- ./folder > out 2> err
  has err "there is no program ./folder" "it is a folder"
done
touch plain
for command in profile discover run; do
  status 2 "$rangefinder" $command -- ./plain > out 2> err
  has err "cannot run ./plain" "it is not executable"
done
status 3 "$rangefinder" discover -- sh -c 'kill -9 $$' > out 2> err
has err "the program was ended by signal 9 (Killed)"
status 3 "$rangefinder" discover -- sh -c 'exit 9' > out 2> err
has err "the program ended with status 9"
