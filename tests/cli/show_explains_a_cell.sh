#!/usr/bin/env bash
# show --explain prints the rule and the arithmetic, of kernels rolled up and of
# ranges measured as a whole, with the user's own rules and formulas.
. "$(dirname "$0")/common.sh"

"$rangefinder" show "$fixtures/nested_basic.ncu-rep" --explain A \
  gpu__time_duration.sum > out
grep -qx '  rule: sum' out
grep -q '^  measurements: 6 with it, 0 without$' out

"$rangefinder" show "$fixtures/range_ABprefill.ncu-rep" --explain A \
  dram__bytes.sum > out
grep -qx 'measured as a whole, range replay' out
grep -q 'result: [0-9.]* byte, measured$' out

mkdir -p mine/derived mine/rollup
echo "kib: {unit: KiB, formula: 'dram__bytes.sum / 1024'}" > mine/derived/mine.yaml
echo "most: {match: 'dram__bytes*', rule: none}" > mine/rollup/mine.yaml
"$rangefinder" show "$fixtures/multiproc.ncu-rep" --config-dir mine \
  'derived=[default,mine]' --explain A kib > out
grep -qx '  formula: dram__bytes.sum / 1024' out
grep -q 'result: [0-9.]* KiB, exact$' out
"$rangefinder" show "$fixtures/multiproc.ncu-rep" --config-dir mine \
  rollup=mine --explain A dram__bytes.sum > out
grep -q "result: absent: left out by a rule of the user's" out

# A division by 0, always or in this region, is called so; not a missing metric.
cat > mine/derived/mine.yaml << 'E'
never: {formula: 1 / (gpu__time_duration.sum - gpu__time_duration.sum)}
local: {formula: gpu__time_duration.sum / sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed}
E
for metric in never local; do
  "$rangefinder" show "$fixtures/nested_basic.ncu-rep" --config-dir mine \
    'derived=[default,mine]' --explain A $metric > out
  has out "result: absent: division by 0 in the formula"
done
"$rangefinder" show "$fixtures/nested_basic.ncu-rep" --config-dir mine \
  'derived=[default,mine]' "report.metrics=[never]" > out
not grep -q "this capture has no" out

# A rule that is none: exit status 2, with key and place.
echo 'most: {match: x, rule: best}' > mine/rollup/mine.yaml
status=0
"$rangefinder" show "$fixtures/multiproc.ncu-rep" --config-dir mine \
  rollup=mine > out 2> err || status=$?
[ "$status" = 2 ]
grep -q '^rangefinder: rollup.most.rule: expected one of sum, mean' err
grep -q 'mine/rollup/mine.yaml:1:24' err

# How long to run for an estimate that is as certain as asked for.
"$rangefinder" show "$fixtures/llm_sampled.rftrace.zst" \
  pipeline.counters.precision=0.5% > out
grep -q 'less certain than ± 0.5 % (95 %)' out
"$rangefinder" show "$fixtures/llm_sampled.rftrace.zst" \
  pipeline.counters.precision=99% > out
status 1 grep -q 'less certain' out
