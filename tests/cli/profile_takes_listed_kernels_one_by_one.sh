#!/bin/bash
. "$(dirname "$0")/common.sh"

"$rangefinder" kernels --format yaml "$fixtures/nested_basic.ncu-rep" > top.yaml
listed() { profile pipeline.ncu.kernel_config=top.yaml "$@" -- true; }
md5() { printf %s "$1" | md5sum | cut -d' ' -f1; }
burn=ncu/kernel_0001_$(md5 'void burn<(int)256>(int, float *)')
saxpy=ncu/kernel_0002_$(md5 'saxpy(int, float, const float *, float *)')
stencil=ncu/kernel_0003_$(md5 'stencil(int, const float *, float *)')
export FAKE_NCU_REPORT=$fixtures/nested_full_A.ncu-rep
zstd -q -d "$fixtures/nested_full_A.ncu-repz" -o "$t/full.ncu-rep" 2> /dev/null &&
  FAKE_NCU_REPORT=$t/full.ncu-rep
[ -e "$FAKE_NCU_REPORT" ] || FAKE_NCU_REPORT=$fixtures/nested_basic.ncu-rep

# One run a kernel, by its demangled name, after the warm-up.
FAKE_NCU_ARGV=$t/argv listed 'pipeline.ncu.kernel_sections=[SourceCounters]' \
  > out 2> err
has err "3 of 3 kernels measured"
python3 - argv << 'PY'
import json, sys
runs = [json.loads(line) for line in open(sys.argv[1])]
assert len(runs) == 3, runs
for argv in runs:
    option = lambda name: argv[argv.index(name) + 1]
    assert option("--kernel-name-base") == "demangled", argv
    assert option("--launch-skip") == "200", argv
    assert option("--launch-count") == "1", argv
    assert "--nvtx-include" not in argv, argv
    sections = [argv[i + 1] for i, word in enumerate(argv) if word == "--section"]
    assert sections == ["SpeedOfLight", "MemoryWorkloadAnalysis", "Occupancy",
                        "SchedulerStats", "SourceCounters"], sections
name = runs[0][runs[0].index("--kernel-name") + 1]
assert name == r"regex:^void\ burn<\(int\)256>\(int,\ float\ \*\)$", name
PY
for folder in "$burn" "$saxpy" "$stencil"; do
  for file in ncu.ncu-rep ncu.details.csv ncu.section_SpeedOfLight.csv \
    ncu.section_Occupancy.csv command.yaml ncu.log; do
    [ -s "run/$folder/$file" ] || { echo "no $folder/$file"; exit 1; }
  done
done
python3 - "run/$burn/ncu.section_SpeedOfLight.csv" << 'PY'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert {row["Section Name"] for row in rows} == {
    "GPU Speed Of Light Throughput"}, rows[0]
values = {row["Metric Name"]: row for row in rows if row["Metric Name"]}
assert values["Duration"]["Metric Unit"] == "ns", values["Duration"]
assert float(values["Duration"]["Metric Value"]) > 1000
PY
has "run/$burn/command.yaml" "rank: 1" "name: void burn<(int)256>(int, float *)" \
  "outcome: ok" "ncu: 2025.3.1.0"
# All of them together, now and again later.
[ "$(json run/ncu/manifest.json 'len(d["runs"])')" = 3 ]
cp run/ncu/regions/report.json before.json
"$rangefinder" report run > out
[ -s run/ncu/regions/report.md ]
[ "$(json before.json 'd["scopes"][0]["totals"]["kernel_count"]')" = \
  "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" ]

# Only the first of the list; ncu's own options win.
rm -rf run argv
FAKE_NCU_ARGV=$t/argv listed pipeline.ncu.kernel_top=1 \
  pipeline.ncu.ncu_cli.launch_skip=3 > out 2> err
[ "$(wc -l < argv)" = 1 ]
has argv '"--launch-skip", "3"'

# A kernel with too few launches is named, and is no failure.
rm -rf run
FAKE_NCU_LAUNCHES='{"void burn<(int)256>(int, float *)": 8,
  "saxpy(int, float, const float *, float *)": 300,
  "stencil(int, const float *, float *)": 200}' listed > out 2> err
has err "1 of 3 kernels measured" "kernel #1 void burn<(int)256>(int, float *): \
nothing was measured: the first 200 launches are skipped" \
  "pipeline.ncu.kernel_launch_skip=0"
[ -s "run/$saxpy/ncu.ncu-rep" ]
[ ! -e "run/$stencil/ncu.ncu-rep" ]

# A kernel that fails does not lose the others.
rm -rf run
FAKE_NCU_FAIL=unknown FAKE_NCU_FAIL_KERNEL=saxpy status 4 listed > out 2> err
has err "2 of 3 kernels measured" "kernel #2 saxpy"
[ -s "run/$stencil/ncu.ncu-rep" ]
has "run/$saxpy/command.yaml" "outcome: failed"
# A failure of every kernel is not tried for ever.
rm -rf run argv
FAKE_NCU_ARGV=$t/argv FAKE_NCU_FAIL=permission status 4 listed > out 2> err
[ "$(grep -c kernel-name argv)" = 2 ]

# Nothing runs for a list that is none.
echo 'kernels: 3' > top.yaml
status 5 listed > out 2> err
has err "top.yaml: no list of kernels" "rangefinder kernels --format yaml"
rm top.yaml
status 7 listed > out 2> err
status 2 profile pipeline.ncu.kernel_confg=x -- true > out 2> err
