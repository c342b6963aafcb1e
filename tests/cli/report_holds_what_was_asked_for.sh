#!/bin/bash
. "$(dirname "$0")/common.sh"

# Without a word on sections and metrics a loose file is reported as a whole.
show() { "$rangefinder" show "$@" "$fixtures/nested_basic.ncu-rep"; }
show --format json > all.json 2> err
sections='sorted(d["sections"])'
rules='sorted({f["section"] for s in d["scopes"] for r in s["regions"] for f in r["findings"]})'
[ "$(json all.json "$sections")" = \
  '["LaunchStats", "Occupancy", "SpeedOfLight", "WorkloadDistribution"]' ]
[ "$(json all.json "$rules")" = '["Occupancy", "SpeedOfLight"]' ]
not has err "this capture has no"

# Named sections are the sections of the report, and so are their rules; a line
# says what the capture lacks, in every format.
asked=(pipeline.ncu.ncu_cli.sections=[Occupancy,SchedulerStats,Nope]
  pipeline.ncu.ncu_cli.metrics=[sm__throughput.avg.pct_of_peak_sustained_elapsed,dram__bytes.sum]
  report.metrics=[gpu__time_duration.sum,no_such_metric])
lacks=("sections: this capture has no section SchedulerStats or Nope"
  "ncu_cli.metrics: this capture has no metric dram__bytes.sum"
  "report.metrics: this capture has no metric no_such_metric")
for format in table md json; do
  show --format $format "${asked[@]}" > out."$format" 2> err
  tr -d '\\' < out.$format | tr -s ' \n' ' ' > plain
  has plain "${lacks[@]}"
done
show --format csv "${asked[@]}" > out.csv 2> err
has err "${lacks[@]}"
[ "$(json out.json "$sections")" = '["Occupancy"]' ]
[ "$(json out.json "$rules")" = '["Occupancy"]' ]
not grep -q "GPU Speed Of Light" out.md
[ "$(json out.json '[m for m in d["metrics"] if "throughput" in m and d["metrics"][m]["cells"] == "in_place"]')" = \
  '["sm__throughput.avg.pct_of_peak_sustained_elapsed"]' ]
"$rangefinder" report hydra.run.dir="$t/made" "${asked[@]}" "$fixtures/nested_basic.ncu-rep" \
  > out 2> err
tr -d '\\' < made/ncu/regions/report.md > plain
has plain "${lacks[@]}"
has made/ncu/regions/report.html "${lacks[@]}"
not grep -q "Speed Of Light" made/ncu/sections_report.txt made/ncu/regions/A/sections.txt

# A preset that is chosen asks, too, and so does a run directory.
show --format json profiling/ncu@pipeline.ncu=ncu.high > high.json 2> err
[ "$(json high.json "$sections")" = \
  '["LaunchStats", "Occupancy", "SpeedOfLight", "WorkloadDistribution"]' ]
has high.json "this capture has no section" "MemoryWorkloadAnalysis"
profile "pipeline.ncu.ncu_cli.sections=[SpeedOfLight,InstructionStats]" -- true > out 2> err
[ "$(json run/ncu/regions/report.json "$sections")" = '["SpeedOfLight"]' ]
[ "$(json run/ncu/regions/report.json "$rules")" = '["SpeedOfLight"]' ]
has run/report.md "this capture has no section InstructionStats"
