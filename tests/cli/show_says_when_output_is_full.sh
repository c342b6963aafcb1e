#!/bin/bash
. "$(dirname "$0")/common.sh"

for format in table md json csv folded; do
  status 7 "$rangefinder" show --format $format "$fixtures/nested_basic.ncu-rep" \
    > /dev/full 2> err
  has err "standard output: No space left on device"
done
# A reader that has enough is no failure to tell anyone.
"$rangefinder" show --format json "$fixtures/nested_basic.ncu-rep" 2> err | head -c 100 > out || true
[ ! -s err ] || not grep -q rangefinder: err
