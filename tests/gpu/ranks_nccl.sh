#!/usr/bin/env bash
# Who is late, and why, on two GPUs with NCCL: a rank whose kernels are larger (also
# in a CUDA graph, and before a send), one that launches more, one whose CPU is late,
# and transfers that are long although nobody is. Each is told apart, and waiting is
# as planted, within 5 %.
#
#   RANGEFINDER                 the binary (dist/rangefinder, else a build's)
#   RANGEFINDER_INJECT_LIBRARY  the tracer, when it does not lie beside it
#   OUT                         where the runs go (a temporary folder)
#   STEPS                       of "discover summary profile window" (all)
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need python3
need_nccl 2
prepare
steps=${STEPS:-discover summary profile window}

ranks() {  # NAME COMMAND...: on two ranks, one run directory
  local name=$1
  shift
  mkdir -p "$out/$name.truth"
  timeout -k 15 100 python3 -m torch.distributed.run --standalone \
    --nproc-per-node=2 --no-python "$rangefinder" "$@" hydra.run.dir="$out/$name" \
    -- python3 "$here/programs/ranks_nccl.py" "$out/$name.truth" \
    > "$out/$name.log" 2>&1
}

for step in $steps; do
  start=$SECONDS
  case $step in
    discover)
      ranks discover discover
      ok $? "discover under torchrun, a rank each"
      python3 "$here/programs/check_ranks.py" "$out/discover" "$out/discover.truth" ||
        failed=1
      "$rangefinder" show "$out/discover" 2> /dev/null | tail -40 | sed 's/^/     /'
      ;;
    summary)
      # The summaries of both have the numbers of the run.
      if ! "$rangefinder" summarize --help > /dev/null 2>&1; then
        echo "     no summarize yet"
        continue
      fi
      "$rangefinder" summarize "$out/discover" -o "$out/all.rfsum" \
        > "$out/summary.log" 2>&1
      ok $? "summarize"
      "$rangefinder" report "$out/all.rfsum" hydra.run.dir="$out/summary" \
        >> "$out/summary.log" 2>&1
      ok $? "report of the summary"
      python3 "$here/programs/check_ranks.py" "$out/summary" "$out/discover.truth" ||
        failed=1
      ;;
    profile)
      # With the cycles of the SMs sampled, so that clocks are known.
      ranks profile profile profiling/counters@pipeline.counters=counters.tensor
      ok $? "profile under torchrun, a rank each"
      python3 "$here/programs/check_ranks.py" "$out/profile" "$out/profile.truth" ||
        failed=1
      ;;
    window)
      # A part of a run: communicators and sizes were known before it opened.
      mkdir -p "$out/window.truth" "$out/sockets"
      chmod 700 "$out/sockets"
      export RANGEFINDER_SOCKET_DIR=$out/sockets
      "$rangefinder" run -- python3 -m torch.distributed.run --standalone \
        --nproc-per-node=2 "$here/programs/ranks_nccl.py" "$out/window.truth" 60 \
        larger more delayed transfer \
        > "$out/window.program" 2>&1 &
      program=$!
      for _ in {1..300}; do
        [[ $(find "$out/sockets" -name '*.sock' | wc -l) -ge 2 ]] && break
        sleep 0.1
      done
      sleep 6  # NCCL connects
      "$rangefinder" window "$program" --for 4s hydra.run.dir="$out/window" \
        > "$out/window.log" 2>&1
      ok $? "a window in both ranks"
      wait "$program"
      ok $? "the program ends as without us"
      python3 "$here/programs/check_ranks.py" "$out/window" "$out/window.truth" \
        window || failed=1
      ;;
    *) echo "no step $step" && failed=1 ;;
  esac
  echo "     $step: $((SECONDS - start)) s"
done
[[ $failed = 0 ]] && echo "all ok" || echo "FAILED: logs in $out"
exit $failed
