#!/usr/bin/env bash
# Few ranges keep their names; a pattern makes them one region, whose members
# can still be chosen by their own names.
. "$(dirname "$0")/common.sh"

report="$fixtures/nested_basic.ncu-rep"
# "instances kernels names" of a region.
of() {
  python3 -c '
import json, sys
for region in json.load(open("out"))["scopes"][0]["regions"]:
    if region["path"] == [sys.argv[1]]:
        print(region["instances"], region["kernel_count"],
              *[m["name"] for m in region.get("merged", {"members": []})["members"]])
' "$1"
}

"$rangefinder" show "$report" --format json > out
[ "$(of LLM@decode_0)" = '1 2' ]
[ -z "$(of 'LLM@decode_*')" ]

"$rangefinder" show "$report" --format json 'regions.merge.patterns=decode_*' > out
[ "$(of 'LLM@decode_*')" = '3 6 decode_0 decode_1 decode_2' ]
[ -z "$(of LLM@decode_0)" ]
"$rangefinder" show "$report" --format md 'regions.merge.patterns=decode_*' \
  > md
grep -q '^3 names of ranges are merged here; the first is decode_0, the slowest decode_1.$' md

# Each by its own name, and how the value of all came about.
"$rangefinder" show "$report" 'regions.merge.patterns=decode_*' \
  --explain 'LLM@decode_*' gpu__time_duration.sum > out
grep -q '^3 names of ranges are merged here; the first is decode_0' out
grep -Eq '^decode_1 +1 +[0-9.]+ .s +2 ' out
grep -q '^  measurements: 6 with it, 0 without$' out

"$rangefinder" show "$report" --format json 'regions.merge.patterns=decode_*' \
  regions.include=decode_1 > out
[ "$(of 'LLM@decode_*')" = '1 2 decode_1' ]

# A pattern that is none.
status=0
"$rangefinder" show "$report" 'regions.merge.patterns="regex:("' 2> err || status=$?
[ "$status" = 2 ]
grep -q 'regions.merge.patterns' err
