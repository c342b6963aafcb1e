#!/bin/bash
# The cost of each option of the tracer, against bare, A B A B: in a
# launch-bound program and in a PyTorch decode loop. The defaults in
# src/inject/process/tuning.h are chosen by its tables (docs/verification.md).
#
#   SECONDS_LAUNCHES=45 SECONDS_LLM=85 bench/gpu/trace_tune.sh
bench=$(cd "$(dirname "$0")" && pwd)
. "$bench/../../tests/gpu/programs/tracing.sh"
compile trace_launches
kernels=100000
choices=(
  "trace="
  "not-pinned=pinned=0"
  "flush-250=flush_ms=250"
  "flush-100=flush_ms=100"
  "flush-30=flush_ms=30"
  "flush-100-no-launches=flush_ms=100,launches=none"
)
# Measured before, and no better than the defaults; TUNE_ALL=1.
[ -z "${TUNE_ALL:-}" ] || choices+=(
  "no-flush=flush_ms=0"
  "no-launches=launches=none"
  "callbacks-alone=kernels=none,copies=0"
  "subscribed-alone=kernels=none,copies=0,launches=none"
  "no-copies=copies=0"
  "big-buffers=buffer_kib=16384,buffers=4"
  "small-buffers=buffer_kib=256,buffers=16"
)

one() {  # one NAME TUNE
  if [ "$1" = bare ]; then
    "$work/trace_launches" 3 $kernels
  else
    RANGEFINDER_INJECT_TUNE=$2 \
      traced "$([ "$1" = regions ] && echo regions || echo trace)" \
      "$work/t" "$work/trace_launches" 3 $kernels
  fi 2> /dev/null | sed "s/^/$1 /"
}
end=$((SECONDS + ${SECONDS_LAUNCHES:-45}))
forward=1
while [ $SECONDS -lt $end ]; do
  one bare
  one regions
  order=("${choices[@]}")
  if [ $forward = 0 ]; then
    mapfile -t order < <(printf '%s\n' "${choices[@]}" | tac)
  fi
  for choice in "${order[@]}"; do
    [ $SECONDS -lt $end ] && one "${choice%%=*}" "${choice#*=}"
  done
  one bare
  forward=$((1 - forward))
done > "$work/launches"
echo "launch-bound: $kernels kernels, a range around every ten"
python3 "$bench/medians.py" bare $kernels < "$work/launches"

python3 -c 'import torch, transformers' 2> /dev/null ||
  { echo "no PyTorch with transformers: no decode loop"; exit 0; }
rm -rf "$work/t"
echo "decode loop: 8-layer Llama, 64 steps"
python3 "$bench/llm_tune.py" "$library" "$work/t" "${SECONDS_LLM:-85}" 64 5 \
  regions= "${choices[@]}" > "$work/llm" 2> "$work/llm.err"
grep -v -i warning "$work/llm.err" | tail -5
python3 "$bench/medians.py" bare 22800 < "$work/llm"
