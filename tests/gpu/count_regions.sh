#!/bin/bash
# Mode count of the injection library on a real GPU: instructions of nested
# regions, from one run, equal to ncu's to the digit; every 8th decode of a
# PyTorch program, and what that costs; a program that captures a graph; one that
# is killed; counters that do not exist.
#
#   ROUNDS=3 STEPS=64 count_regions.sh
. "$(dirname "$0")/programs/tracing.sh"
compile trace_nested
compile trace_launches
nvcc -O2 -std=c++17 -arch=native -I "$root/examples" -o "$work/nested" \
  "$root/examples/nested_regions.cu" > "$work/nvcc.log" 2>&1 ||
  { cat "$work/nvcc.log"; skip "nvcc could not build nested_regions.cu"; }
rounds=${ROUNDS:-3}
steps=${STEPS:-64}
six=sm__inst_executed.sum,dram__bytes_read.sum,dram__bytes_write.sum
six=$six,sm__cycles_active.avg,lts__t_sectors.sum
six=$six,sm__pipe_tensor_cycles_active.avg

# plan NAME ROW...: a plan of these rows, numbers and path separated by spaces
# and '|': "0 1 0 0 1 split||A||A1" is A1 of no domain in A of no domain.
plan() {
  local file=$work/$1.plan row
  shift
  printf 'rangefinder-count\t1\n' > "$file"
  for row; do
    if [[ $row == *'|'* ]]; then
      printf 'row\t%s\t%s\n' "$(tr ' ' '\t' <<< "${row%%|*}")" \
        "$(tr '|' '\t' <<< "${row#*|}")" >> "$file"
    else
      tr ' ' '\t' <<< "$row" >> "$file"
    fi
  done
  export RANGEFINDER_INJECT_COUNT_PLAN=$file
}

# counted FOLDER PROGRAM...: under the plan; its summary in FOLDER.summary.
counted() {
  local folder=$1 status
  traced count "$@"
  status=$?
  "$summary" "$folder" > "$folder.summary" 2>&1
  return $status
}

value() {  # value METRIC REGION FILE: the mean of an instance
  grep -F "counted: $2 |" "$3" | grep -oE "[ ]$1=[0-9.e+]+" | cut -d= -f2
}

export RANGEFINDER_INJECT_METRICS=$six
echo "--- nested regions of one program, one run"
plan nested '0 1 0 0 1 split||A' '0 1 0 0 1 whole||A||A::A1' \
  '0 1 0 0 1 whole||B' '0 1 0 0 1 split|LLM|prefill' \
  '0 1 0 0 1 whole|LLM|prefill|LLM|attn' '0 1 0 0 1 whole|LLM|decode_0' \
  '0 1 0 0 1 whole||T0' '0 1 0 0 1 whole||T1' '0 1 0 0 1 whole||empty' \
  '0 1 0 0 1 whole||weird/na me,[x]@y*' '0 1 0 0 1 whole||S1'
cat "$RANGEFINDER_INJECT_COUNT_PLAN"
"$work/nested" > "$work/bare" 2> "$work/bare.errors"
bare_status=$?
counted "$work/nested.trace" "$work/nested" > "$work/out" 2> "$work/errors"
status=$?
[ $status -eq $bare_status ]; check "the exit status is the program's" $?
cmp "$work/bare" "$work/out"; check "its output" $?
cmp "$work/bare.errors" "$work/errors"; check "its errors" $?
cut -c1-600 "$work/nested.trace.summary"
expect "A is counted" "$work/nested.trace.summary" '^counted: A [|] instances=1 '
# A region of no kernels has no instructions.
expect "empty counts none" "$work/nested.trace.summary" \
  '^counted: empty [|] instances=1 sm__inst_executed.sum=0( |$)'

if command -v ncu > /dev/null; then
  for region in A A::A1 B; do
    include=$region/
    [ $region = A::A1 ] && include=A/A::A1/
    ncu --replay-mode app-range --nvtx --nvtx-include "$include" --csv \
      --page raw --metrics sm__inst_executed.sum "$work/nested" \
      > "$work/ncu.csv" 2> "$work/ncu.err"
    truth=$(python3 - "$work/ncu.csv" << 'P'
import csv, sys
rows = [r for r in csv.reader(open(sys.argv[1])) if len(r) > 3]
heads = [i for i, r in enumerate(rows) if "sm__inst_executed.sum" in r]
if heads:
    column = rows[heads[0]].index("sm__inst_executed.sum")
    values = [r[column].replace(",", "") for r in rows[heads[0] + 2:]]
    print(sum(int(float(v)) for v in values if v))
P
)
    path=$region
    [ $region = A::A1 ] && path='A / A::A1'
    got=$(value sm__inst_executed.sum "$path" "$work/nested.trace.summary")
    echo "$region: counted $got, ncu's app-range $truth"
    [ -n "$truth" ] && python3 -c \
      "import sys; sys.exit(float('$got' or 'nan') != float('$truth'))"
    check "instructions of $region are ncu's to the digit" $?
    [ -n "$truth" ] || head -20 "$work/ncu.csv" "$work/ncu.err"
  done
else
  echo "NOT CHECKED: instructions against ncu, which is not installed"
fi

echo "--- the same, several passes"
RANGEFINDER_INJECT_METRICS=$six,lts__t_sectors_op_read_lookup_hit.sum \
  counted "$work/passes" "$work/nested" > /dev/null
check "several passes" $?
cut -c1-400 "$work/passes.summary"

echo "--- a captured graph"
plan graphs '0 1 0 0 1 whole||capture' '0 1 0 0 1 whole||replay'
counted "$work/graphs" "$work/trace_nested" graphs > "$work/out" 2>&1
check "a program that captures a graph goes on" $?
cat "$work/out"
cut -c1-600 "$work/graphs.summary"
expect "its launches are counted" "$work/graphs.summary" \
  '^counted: replay [|] instances=3 '
expect_not "its capture is" "$work/graphs.summary" '^counted: capture'
expect "which is said" "$work/graphs.summary" 'a stream was being captured'

echo "--- a program that is killed"
plan killed 'ranges 64' '0 100 0 0 1 whole||ten kernels'
counted "$work/killed" timeout -s KILL 8 "$work/trace_launches" 400 200000 \
  > /dev/null 2>&1
cut -c1-600 "$work/killed.summary"
expect "a killed program leaves its counts" "$work/killed.summary" \
  '^counted: ten kernels [|] instances=[1-9][0-9]'
nvidia-smi --query-gpu=name --format=csv,noheader > /dev/null
counted "$work/after" "$work/trace_launches" 1 20000 > /dev/null
expect "and the next one can count" "$work/after.summary" \
  '^counted: ten kernels [|] instances='

echo "--- what cannot be counted harms nobody"
RANGEFINDER_INJECT_METRICS=no__such_metric.sum \
  counted "$work/unknown" "$work/trace_launches" 1 1000 > /dev/null
check "an unknown metric" $?
expect "is named" "$work/unknown.summary" 'no metric no__such_metric.sum'
RANGEFINDER_INJECT_COUNT_PLAN=/nonexistent \
  counted "$work/noplan" "$work/trace_launches" 1 1000 > /dev/null
check "a plan that is not there" $?
expect "is said" "$work/noplan.summary" 'the file cannot be read'

if has_torch transformers; then
  echo "--- every 8th decode of llm_bench"
  plan decode "2 8 0 0 1 whole||decode" "1 1 0 0 1 whole||prefill"
  for round in $(seq "$rounds"); do
    python3 "$here/llm_bench.py" plain "$steps" 3 | sed "s/^/bare    $round /"
    counted "$work/llm" python3 "$here/llm_bench.py" plain "$steps" 3 \
      > "$work/out" 2> "$work/errors"
    check "llm_bench, round $round" $?
    sed "s/^/counted $round /" "$work/out"
    head -5 "$work/errors"
  done
  cut -c1-700 "$work/llm.summary"
  decodes=$(((steps * 4 - 2 + 7) / 8))
  expect "every 8th decode is counted" "$work/llm.summary" \
    "^counted: decode [|] instances=$decodes "
  plan levels "2 8 0 0 2 whole||decode" \
    "2 4 0 1 2 whole||decode||layer0.mlp" "2 4 0 1 2 whole||decode||layer0.attn"
  counted "$work/levels" python3 "$here/llm_bench.py" plain "$steps" 3
  check "levels that take turns" $?
  cut -c1-700 "$work/levels.summary"
  expect "layers are counted beside decodes" "$work/levels.summary" \
    '^counted: decode / layer0.mlp [|] instances=[1-9]'
else
  echo "NOT CHECKED: llm_bench: no PyTorch with CUDA and transformers"
fi
done_now "$work/nested.trace.summary"
