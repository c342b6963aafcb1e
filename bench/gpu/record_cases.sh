#!/usr/bin/env bash
# Records the gallery of cases on a GPU: the programs of examples/cases under
# `profile` and `compare`. OUT gets, for each case, CASE.tar.gz with its traces,
# the output, and the machine.
#
#   RANGEFINDER=... OUT=... CASES="decode loader experts compiler regression"
#
# About 150 s. `experts` needs two GPUs with NCCL, and is left out without.
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/gpu/programs/machine.sh"
set -uo pipefail
need python3
prepare
need_torch
cd "$root/examples/cases" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NCCL_NVLS_ENABLE=0  # no multicast
export NCCL_SOCKET_IFNAME=lo  # one host
export TRITON_CACHE_DIR=$work/triton TORCHINDUCTOR_CACHE_DIR=$work/inductor
failed=0
quick=('report.formats=[json]')
[[ -n ${CASES+set} ]] || CASES="decode loader experts compiler regression"

# timed NAME STATUS COMMAND...: writes the command's output to NAME.txt; another exit
# status than STATUS counts as a failure.
timed() {
  local name=$1 want=$2 got=0 start=$EPOCHREALTIME
  shift 2
  timeout -k 10 "${LIMIT:-90}" "$@" > "$case/$name.txt" 2> "$case/$name.err" || got=$?
  python3 -c "print('%-24s %6.1f s  status %d' % \
    ('$name', $EPOCHREALTIME - $start, $got))"
  [[ $got = "$want" ]] && return
  echo "FAILED  $name: $got, not $want"
  tail -5 "$case/$name.err"
  failed=$((failed + 1))
}
# traces RUN NAME [RANKS]: copies the oldest traces of the run, one for each rank.
# Newer traces are of a second start of the program, which only counts.
traces() {
  local trace rank=0
  find "$1/trace" -name '*.rftrace' -printf '%T@ %p\n' | sort -n | cut -d' ' -f2 |
    sed -n "1,${3:-1}p" | while read -r trace; do
      cp "$trace" "$case/$2${3:+.$rank}.rftrace"
      rank=$((rank + 1))
    done
  compgen -G "$case/$2*.rftrace" > /dev/null && return
  echo "FAILED  $2: no trace"
  failed=$((failed + 1))
}
profiled() {  # profiled NAME PROGRAM...
  local name=$1
  shift
  timed "$name" 0 "$rangefinder" profile "${quick[@]}" \
    hydra.run.dir="$work/$name" -- "$@"
  traces "$work/$name" "$name"
}

for one in $CASES; do
  case=$work/$one
  mkdir -p "$case"
  start=$SECONDS
  case $one in
    decode)
      profiled eager python3 decode.py
      profiled graph python3 decode.py --graph
      ;;
    loader)
      profiled pageable python3 loader.py
      profiled pinned python3 loader.py --pinned
      ;;
    experts)
      if [[ $(nvidia-smi -L | grep -c '^GPU') -lt 2 ]]; then
        echo "LEFT OUT: experts: fewer than two GPUs"
        continue
      fi
      for name in skewed balanced; do
        option=()
        [[ $name = skewed ]] || option=(--balanced)
        timed $name 0 python3 -m torch.distributed.run --standalone \
          --nproc-per-node=2 --no-python "$rangefinder" profile "${quick[@]}" \
          hydra.run.dir="$work/$name" -- python3 experts.py "${option[@]}"
        traces "$work/$name" $name 2
      done
      ;;
    compiler)
      # An update may replace a kernel in two ways: by another kind of kernel for
      # the same operation, and by another assembly of the same kernel.
      profiled persistent python3 compiled.py
      profiled looped python3 compiled.py --looped
      profiled own_ptxas python3 handwritten.py
      ptxas=$(command -v ptxas) &&
        TRITON_PTXAS_PATH=$ptxas profiled cuda_ptxas python3 handwritten.py
      {
        find "$(python3 -c 'import triton; print(triton.__path__[0])')" \
          -name 'ptxas*' -type f -executable -exec {} --version \;
        [[ -z $ptxas ]] || "$ptxas" --version
      } 2>&1 | grep release > "$case/ptxas.txt"
      ;;
    regression)
      LIMIT=150 timed compare 8 "$rangefinder" compare --gate --runs 5 "${quick[@]}" \
        hydra.run.dir="$work/compare" -- python3 serve.py \
        ::: python3 serve.py --tidy
      for run in "$work"/compare/{base,new}-[1-5]; do
        traces "$run" "$(basename "$run")"
      done
      ;;
    *) echo "no case $one" && failed=$((failed + 1)) && continue ;;
  esac
  {
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sort | uniq -c
    nvcc --version 2> /dev/null | grep release
    python3 -c 'import torch, triton; print("PyTorch", torch.__version__, "Triton",
      triton.__version__, "CUDA", torch.version.cuda)'
    "$rangefinder" --version
  } > "$case/machine.txt" 2>&1
  tar -C "$work" -czf "$out/$one.tar.gz" "$one"
  echo "$one: $((SECONDS - start)) s, $(stat -c %s "$out/$one.tar.gz") bytes"
  (cd "$case" && stat -c '    %s %n' -- *)
done
[[ $failed = 0 ]] && echo "all ok" || echo "$failed failed"
exit $((failed > 0))
