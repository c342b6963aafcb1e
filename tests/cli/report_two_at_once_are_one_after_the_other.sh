#!/bin/bash
# Two reports into one run directory: the second waits, and none is mixed.
. "$(dirname "$0")/common.sh"

mkdir -p run/ncu/regions
cp "$fixtures/nested_basic.ncu-rep" run/ncu/
# Somebody is writing a report.
flock run/ncu/regions sh -c 'touch held; while [ ! -e go ]; do sleep 0.1; done' &
while [ ! -e held ]; do sleep 0.1; done
"$rangefinder" report run regions.include='[A]' > out1 2> err1 &
for _ in $(seq 100); do
  if grep -q -- "-> FLOCK.*:$(stat -c %i run/ncu/regions) " /proc/locks; then break; fi
  sleep 0.05
done
[ ! -e run/ncu/regions/report.json ]
touch go
wait
[ -s run/ncu/regions/report.json ]

# Many at once: all files are from one of them.
for include in A B A B A B; do
  "$rangefinder" report run "regions.include=[$include]" > /dev/null 2>> err &
done
wait
of_all=$(json run/ncu/regions/report.json '[r["path"][0] for r in d["scopes"][0]["regions"] if r["path"]][0]')
for file in run/ncu/regions/*/report.json; do
  [[ $file == run/ncu/regions/"$of_all"* || $file == */unattributed/* ]]
done
has run/ncu/regions/report.md "$of_all"
