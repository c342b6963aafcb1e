#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

# The baseline run sees all regions, and ncu is asked for one: tables, folders,
# times and totals are of this one, and one line has the rest of the run.
profile pipeline.ncu.ncu_cli.nvtx.include=A -- "$ranges" nested 3 > out 2> err
report=run/ncu/regions/report.json
[ "$(json $report '[r["path"] for r in d["scopes"][0]["regions"]]')" = '[["A"], ["A", "A::A1"]]' ]
[ "$(json $report 'd["scopes"][0]["totals"]["kernel_count"]')" = 6 ]
[ "$(json $report 'd["scopes"][0]["times"]["gpu"]["kernel_count"]')" = 18 ]
[ "$(json $report '[d["rest"]["kernel_count"], round(d["rest"]["share"], 3)]')" = '[8, 0.308]' ]
[ "$(json $report 'd["scopes"][0]["regions"][0]["selection"]["include_patterns"]')" = '["A"]' ]
(cd run/ncu/regions && [ "$(echo */)" = "A/ A__A1/" ])
for file in out run/report.md run/ncu/regions/report.md; do
  has $file "The rest of the run: 8 launches, 8.00 µs of GPU time, 30.8 %."
done
not grep -qE '\(unattributed\)|decode|^idle|^. idle|"idle"|›.idle' out run/report.md \
  run/kernels.md run/ncu/raw.csv run/ncu/regions/report.md run/ncu/regions/A/report.md \
  $report

# All of it is there on request, and again with the run's own settings.
"$rangefinder" show --format json run regions.only=false > all.json
[ "$(json all.json '[len(d["scopes"][0]["regions"]) > 9, "rest" in d]')" = '[true, false]' ]
"$rangefinder" show --format json run regions.only=auto > again.json
[ "$(json again.json 'len(d["scopes"][0]["regions"])')" = 2 ]
"$rangefinder" show --format json run regions.include=B > b.json
[ "$(json b.json '[r["path"] for r in d["scopes"][0]["regions"]]')" = '[["B"]]' ]

# ncu's own expressions choose, too.
rm -r run
profile pipeline.ncu.ncu_cli.nvtx.include=B/ pipeline.ncu.ncu_cli.nvtx.native=true \
  -- "$ranges" nested 3 > out 2> err
[ "$(json $report '[r["path"] for r in d["scopes"][0]["regions"]]')" = '[["B"]]' ]

status 2 "$rangefinder" show run regions.only=perhaps 2> err
has err "regions.only: expected auto, true or false"
