#!/bin/bash
. "$(dirname "$0")/common.sh"

for format in table md json csv folded; do
  status 7 "$rangefinder" show --format $format "$fixtures/nested_basic.ncu-rep" \
    > /dev/full 2> err
  has err "standard output: No space left on device"
done
for words in "" --help --version "show --help" "help show" "show --version"; do
  status 7 "$rangefinder" $words > /dev/full 2> err
  has err "standard output: No space left on device"
done
# Before what it found: profiling may not work here.
status 7 "$rangefinder" doctor > /dev/full 2> err
has err "standard output: No space left on device"
status 7 "$rangefinder" mcp "$t" > /dev/full 2> err <<< '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
has err "standard output: No space left on device"
# A reader that has enough is no failure to tell anyone.
"$rangefinder" show --format json "$fixtures/nested_basic.ncu-rep" 2> err | head -c 100 > out || true
[ ! -s err ] || not grep -q rangefinder: err
