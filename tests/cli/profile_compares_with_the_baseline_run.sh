#!/bin/bash
# Replayed kernels stand beside those of the baseline run, and how long
# each run took; the same again from the artifacts alone.
. "$(dirname "$0")/common.sh"
needs_tracer

profile -- "$ranges" nested 3 > out 2> err
report=run/ncu/regions/report.json
[ "$(json $report '[r["name"] for r in d["capture"]["runs"]][0]')" = trace ]
[ "$(json $report '[r["mode"] for r in d["capture"]["runs"]]')" = '["trace", "kernel"]' ]
[ "$(json $report 'all(r["seconds"] > 0 and r["passes"] > 0 for r in d["capture"]["runs"])')" = true ]
[ "$(json $report 'd["capture"]["mode"]')" = kernel ]
[ "$(json $report 'd["scopes"][0]["traced"]["kernel_count"]')" = 26 ]
[ "$(json $report '[r["traced"]["kernel_count"] for r in d["scopes"][0]["regions"] if r["name"] == "A::A1"]')" != '[0]' ]
# A region of the baseline run alone has its times.
[ "$(json $report '[r["kernel_count"] for r in d["scopes"][0]["regions"] if r["name"] == "idle"]')" = '[0]' ]
[ "$(json $report '[r["times"]["instances"] for r in d["scopes"][0]["regions"] if r["name"] == "idle"]')" = '[3]' ]
has run/ncu/regions/report.md "## Baseline run and replay" "| region | wall |" "| GPU | share |" " | measured | under replay |"
python3 "$source_dir/tools/validate_report.py" $report || [ $? = 77 ]

cp $report before.json
SOURCE_DATE_EPOCH=$(date -d "$(json $report 'd["generated_at"]')" +%s) \
  "$rangefinder" report "$t/run" > out 2> err
cmp before.json $report
