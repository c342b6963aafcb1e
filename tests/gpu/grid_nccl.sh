#!/usr/bin/env bash
# Who is late, and why, among ranks whose communicators have two dimensions: tensor
# parallel pairs and data parallel groups across them. One rank's kernels are larger
# (also in a CUDA graph), one launches more, one's CPU is late, some messages are
# larger, or nothing is planted and nobody is named. The ranks are summarized as on
# a cluster, and tracing on each rank is held against the bare run.
#
#   RANGEFINDER                 the binary (dist/rangefinder, else a build's)
#   RANGEFINDER_INJECT_LIBRARY  the tracer, when it does not lie beside it
#   OUT                         where the runs go (a temporary folder)
#   RANKS                       an even number, four or more (all GPUs)
#   STEPS                       of "bare discover summary profile window" (all)
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need python3
gpus=$(nvidia-smi -L 2> /dev/null | grep -c '^GPU')
ranks=${RANKS:-$((gpus / 2 * 2))}
((ranks >= 4)) || skip "fewer than four ranks"
need_nccl 4
prepare
steps=${STEPS:-bare discover summary profile window}
program=$here/programs/grid_nccl.py

launch() {  # ARGUMENT...: of torchrun
  timeout -k 15 120 python3 -m torch.distributed.run --standalone \
    --nproc-per-node="$ranks" "$@"
}
under() {  # NAME COMMAND...: on all ranks, one run directory
  local name=$1
  shift
  mkdir -p "$out/$name.truth"
  launch --no-python "$rangefinder" "$@" hydra.run.dir="$out/$name" \
    -- python3 "$program" "$out/$name.truth" > "$out/$name.log" 2>&1
}
held() {  # NAME TRUTH [window]
  python3 "$here/programs/check_grid.py" "$out/$1" "$out/$2.truth" "${@:3}" || failed=1
}
cost() {  # NAME: an instance beside the bare run's, by the program's own events
  python3 - "$out/bare.truth" "$out/$1.truth" "$ranks" << 'PY'
import json
import statistics
import sys

bare, traced, ranks = sys.argv[1], sys.argv[2], int(sys.argv[3])


def medians(folder, rank):
    with open(f"{folder}/truth.rank{rank}.json") as file:
        return {phase: statistics.median(times[-1] for times in instances)
                for phase, instances in json.load(file).items()}


name = traced.rsplit("/", 1)[-1].removesuffix(".truth")
both = [(medians(bare, rank), medians(traced, rank)) for rank in range(ranks)]
for phase in both[0][0]:
    ratios = [100 * (new[phase] / base[phase] - 1) for base, new in both]
    print(f"     {name}: {phase}: an instance takes "
          f"{', '.join(f'{ratio:+.1f}' for ratio in ratios)} % more than bare")
PY
}

for step in $steps; do
  start=$SECONDS
  case $step in
    bare)
      mkdir -p "$out/bare.truth"
      launch "$program" "$out/bare.truth" > "$out/bare.log" 2>&1
      ok $? "bare under torchrun, $ranks ranks"
      ;;
    discover)
      under discover discover
      ok $? "discover under torchrun, a rank each"
      held discover discover
      cost discover
      ;;
    summary)
      # As mpirun starts it: a process for each rank, which knows its rank alone.
      pids=()
      for ((rank = 0; rank < ranks; rank++)); do
        PMI_RANK=$rank PMI_SIZE=$ranks PMI_JOBID=grid RANGEFINDER=$rangefinder \
          bash "$root/examples/scale/mpi.sh" "$out/all.rfsum" "$out/discover" \
          > "$out/summary.rank$rank.log" 2>&1 &
        pids+=($!)
      done
      status=0
      for pid in "${pids[@]}"; do wait "$pid" || status=1; done
      ok $status "mpi.sh: each rank summarizes, the last one merges"
      "$rangefinder" report "$out/all.rfsum" hydra.run.dir="$out/summary" \
        > "$out/summary.log" 2>&1
      ok $? "report of the summary"
      held summary discover
      ;;
    profile)
      # With the cycles of the SMs sampled, so that clocks are known.
      under profile profile profiling/counters@pipeline.counters=counters.tensor
      ok $? "profile under torchrun, a rank each"
      held profile profile
      cost profile
      ;;
    window)
      # A part of a run: communicators and sizes were known before it opened.
      mkdir -p "$out/window.truth" "$out/sockets"
      chmod 700 "$out/sockets"
      export RANGEFINDER_SOCKET_DIR=$out/sockets
      # Not the graph, which is captured again each time.
      "$rangefinder" run -- python3 -m torch.distributed.run --standalone \
        --nproc-per-node="$ranks" "$program" "$out/window.truth" 60 \
        nothing larger more delayed transfer > "$out/window.program" 2>&1 &
      started=$!
      for _ in {1..600}; do
        [[ $(find "$out/window.truth" -name 'ready.*' | wc -l) = "$ranks" ]] && break
        sleep 0.1
      done
      "$rangefinder" window "$started" --for 4s hydra.run.dir="$out/window" \
        > "$out/window.log" 2>&1
      ok $? "a window in all ranks"
      wait "$started"
      ok $? "the program ends as without us"
      held window window window
      ;;
    *) echo "no step $step" && failed=1 ;;
  esac
  echo "     $step: $((SECONDS - start)) s"
done
[[ $failed = 0 ]] && echo "all ok" || echo "FAILED: logs in $out"
exit $failed
