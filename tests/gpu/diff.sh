#!/usr/bin/env bash
# `compare` and `diff` on a real GPU: a program against itself is not called
# slower, and known changes of it are named: a kernel that works a tenth longer,
# one launch more, a region renamed, a kernel in two, twice the blocks, lower
# clocks (where they may be set: not here). Prints every table.
#
#   RANGEFINDER=... RANGEFINDER_INJECT_LIBRARY=... OUT=... SELVES=10 diff.sh
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
set -uo pipefail
need nvcc
prepare
nvcc -O2 -std=c++17 -arch=native -o "$out/steps" "$here/programs/steps.cu" -ldl ||
  skip "nvcc could not build steps.cu"
failed=0
fail() { echo "FAILED  $*"; failed=$((failed + 1)); }
plain=(pipeline.counters.enable=false 'report.formats=[json]')

compared() {  # compared NAME STATUS -- PROGRAM ::: PROGRAM
  local name=$1 want=$2 got=0
  shift 2
  "$rangefinder" compare --gate --runs 5 "${plain[@]}" \
    hydra.run.dir="$out/$name" "$@" > "$out/$name.txt" 2> "$out/$name.err" || got=$?
  echo "=== $name: exit status $got"
  cat "$out/$name.txt"
  [ "$got" = "$want" ] || { fail "$name: not $want"; tail -3 "$out/$name.err"; }
}
says() { grep -qF -- "$2" "$out/$1.txt" || fail "$1 does not say: $2"; }

wrong=0
for ((i = 1; i <= ${SELVES:-10}; ++i)); do
  "$rangefinder" compare --gate --runs 5 "${plain[@]}" hydra.run.dir="$out/self$i" \
    -- "$out/steps" ::: "$out/steps" > "$out/self$i.txt" 2> "$out/self$i.err"
  status=$?
  [ $status = 0 ] || { wrong=$((wrong + 1)); cat "$out/self$i.txt"; tail -2 "$out/self$i.err"; }
  sed -n 1p "$out/self$i.txt"
done
echo "against itself ${SELVES:-10} times: $wrong gates crossed"
[ $wrong = 0 ] || fail "a program is not slower than itself"

compared slow 8 -- "$out/steps" ::: "$out/steps" slow
says slow "SLOWER"
grep -qE 'per launch \+(9\.[5-9]|10\.[0-5])' "$out/slow.txt" ||
  fail "slow does not say: per launch +10 %"
compared extra 0 diff.gate.time=20% -- "$out/steps" ::: "$out/steps" extra
says extra "1 more launch per instance: add"
compared renamed 0 -- "$out/steps" ::: "$out/steps" renamed
says renamed "RENAMED"
says renamed "was run/step/mlp"
compared split 0 diff.gate.time=20% -- "$out/steps" ::: "$out/steps" split
says split "2 more launches per instance: gemm_half"
compared batch 8 -- "$out/steps" ::: "$out/steps" batch
says batch "grid (2112, 1, 1) → (4224, 1, 1)"
"$rangefinder" diff --only changed "$out"/slow/base-1 "$out"/slow/new-1 | head -12
echo "$failed failed"
exit $((failed > 0))
