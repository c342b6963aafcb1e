#!/bin/bash
# What is wrong with an input decides the exit status.
. "$(dirname "$0")/common.sh"
cd "$t"

expect() {
  local want=$1 status=0
  shift
  "$@" > out 2> err || status=$?
  [[ $status == "$want" ]] || { echo "$* gave $status, not $want"; cat err; exit 1; }
}

printf '' > empty.ncu-rep
head -c 5000 /dev/urandom > random.ncu-rep
printf 'not a zstd stream' > broken.ncu-repz
head -c 700 "$fixtures/graph_graph.ncu-rep" > nothing_left.ncu-rep
head -c 36000 "$fixtures/nested_basic.ncu-rep" > cut.ncu-rep
mkdir nothing

for file in empty random nothing_left; do
  expect 5 "$rangefinder" show $file.ncu-rep
  grep -q "$file.ncu-rep" err
done
expect 5 "$rangefinder" show broken.ncu-repz
expect 7 "$rangefinder" show missing.ncu-rep
grep -q 'no such file' err
expect 2 "$rangefinder" show nothing
expect 2 "$rangefinder" show
expect 2 "$rangefinder" show --no-such-flag cut.ncu-rep
expect 2 "$rangefinder" nosuchcommand
expect 2 "$rangefinder" show "$fixtures/graph_graph.ncu-rep" 'regions.include=[regex:(]'

# Selecting nothing is an answer.
expect 0 "$rangefinder" show "$fixtures/graph_graph.ncu-rep" 'regions.include=[nosuch]'
grep -q 'matches nothing' out

# Half a capture gives half a report, and says so.
head -c 700000 "$fixtures/nested_basic.ncu-rep" > half.ncu-rep
expect 0 "$rangefinder" show half.ncu-rep
grep -q 'data loss: the file is truncated' out
