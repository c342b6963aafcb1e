#!/bin/bash
# Brackets and braces of a word are the command's, wherever the word stands.
. "$(dirname "$0")/common.sh"
rep=$fixtures/nested_basic.ncu-rep

# The expression is a pattern in brackets, or has the start and end of ncu.
for expression in '[AB]' '[A,B]' '[A/*]' '{}' '[]'; do
  for native in '' --native; do
    status 0 "$rangefinder" filter $native -- "$expression" "$rep" > want
    "$rangefinder" filter "$expression" "$rep" $native | cmp want -
    "$rangefinder" filter $native "$expression" -- "$rep" | cmp want -
    "$rangefinder" filter "$expression" $native --scope thread "$rep" | cmp want -
  done
done
"$rangefinder" filter --native '[A/*]' "$rep" > out
has out "--nvtx-include '[A/*]'"
"$rangefinder" filter '[AB]' "$rep" > out
has out "selects   8 of 28 measurements, in 3 regions"

for word in '[x]' '[a,b]' '{}' '[]'; do
  status 7 "$rangefinder" show "$word" 2> err
  [[ $(< err) == "rangefinder: $word: no such file or folder" ]]
done
cp "$rep" '[a,b]'
"$rangefinder" show --top 4 '[a,b]' --flat > out
has out "(--top 4)"
"$rangefinder" show '[a,b]' --flat 'report.metrics=[]' --top 4 > out
has out "(--top 4)"
"$rangefinder" config device=cuda:3 -q 'regions.include=[A,B]' > out
has out "device: cuda:3" "- A" "- B"
