#!/usr/bin/env bash
# Fifteen regions of three programs, kernel by kernel and as a whole: all metrics
# of ncu's set `full` and of exact rollup that the program alone decides must be the
# same rolled up and measured; the others are printed. Both without flushing
# caches. Also ncu's own summary of the same kernels, for docs/measured.md.
#
#   RANGEFINDER  the binary (dist/rangefinder, else a build's)
#   OUT          where the captures go (a temporary folder)
#   PROGRAMS     some of: mix nested resnet (all)
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need ncu nvcc python3
prepare
begin=$SECONDS
failed=0

header() {  # FIXTURE: the first line of its raw.csv
  "$rangefinder" show --format csv "$root/tests/fixtures/$1" |
    sed -n '1s|\r||p'
}
header nested_full_A.ncu-repz > "$out/full.csv"
metrics=$(python3 "$here/compare_modes.py" metrics "$out/full.csv") || exit 1
ratios=$(header rollup/ratios.ncu-repz | tr ',' '\n' |
  grep -E '^[a-z0-9]+__[^.]*\.(sum|ratio|pct)$' | paste -sd,)
echo "$(tr ',' '\n' <<< "$metrics" | wc -l) metrics," \
  "$(tr ',' '\n' <<< "$ratios" | wc -l) for ratios"
# Range replay refuses metrics that are counted by patching instructions.
unpatched=$(tr ',' '\n' <<< "$metrics" |
  grep -vE 'sass|^(thread_)?inst_executed|^memory_' | paste -sd,)

measure() {  # NAME METRICS ARG...
  local name=$1 wanted=$2 from=$SECONDS status
  shift 2
  ncu --clock-control none --cache-control none --nvtx -f \
    --metrics "$wanted" -o "$out/$name" "$@" > "$out/$name.log" 2>&1
  status=$?
  [[ -f $out/$name.ncu-rep ]] || status=1
  echo "$name: status $status, $((SECONDS - from)) s, $(grep -o '[0-9]* passes' \
    "$out/$name.log" | sort | uniq -c | sort -rn | head -1 | xargs)"
  return $status
}
capture() {  # NAME METRICS ARG...
  local name=$1
  measure "$@" || { failed=1; tail -3 "$out/$name.log"; return; }
  "$rangefinder" show --format json "$out/$name.ncu-rep" \
    > "$out/$name.json" || failed=1
}

both() {  # NAME SOURCE RANGE...
  local name=$1 source=$2 range include=()
  shift 2
  nvcc -arch=native -O2 -std=c++17 -I"$root/examples" -o "$out/$name.program" \
    "$root/$source" -ldl || exit 1
  for range; do include+=(--nvtx-include "$range/"); done
  capture "$name.kernel" "$metrics" "${include[@]}" "$out/$name.program"
  capture "$name.range" "$unpatched" --replay-mode app-range "${include[@]}" \
    "$out/$name.program"
}

programs=${PROGRAMS:-mix nested resnet}
for program in $programs; do
  case $program in
    mix) both mix tests/gpu/programs/rollup_mix.cu copy gather shared atomics \
           divergent half double tensor spill ;;
    nested) both nested examples/nested_regions.cu A B ;;
    resnet) both resnet examples/shallow_resnet.cu stem block_0 block_1 head ;;
  esac
done

# The unweighted mean of each metric over these kernels, by ncu.
measure ratios "$ratios" "$out/mix.program" || failed=1
for name in ratios mix.kernel resnet.kernel; do
  [[ -f $out/$name.ncu-rep ]] || continue
  ncu --import "$out/$name.ncu-rep" --csv --page raw --print-units base \
    --print-fp --print-summary per-nvtx > "$out/$name.summary.csv" \
    2>> "$out/$name.log" || failed=1
done
# One archive: fewer files to carry back.
(cd "$out" && tar -czf rollup_modes.tgz ./*.ncu-rep ./*.csv ./*.log)

read -ra names <<< "$programs"
python3 "$here/compare_modes.py" compare "$out" "${names[@]}" || failed=1
echo "$([[ $failed == 0 ]] && echo ok || echo FAIL) rollup_modes," \
  "$((SECONDS - begin)) s"
exit $failed
