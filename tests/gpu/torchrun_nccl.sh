#!/usr/bin/env bash
# Two ranks with NCCL on two GPUs, each rank under rangefinder of its own: traced,
# profiled without its communication, and with it, reported together with the
# imbalance; and the hang when one rank alone is profiled with its communication.
#
#   RANGEFINDER                 the binary (dist/rangefinder, else a build's)
#   RANGEFINDER_INJECT_LIBRARY  the tracer, when it does not lie beside it
#   OUT                         where the runs go (a temporary folder)
#   STEPS                       of "discover profile nccl hang" (all)
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need ncu python3
need_nccl 2
prepare
steps=${STEPS:-discover profile nccl hang}

ranks() {  # SECONDS COMMAND...: on two ranks
  local seconds=$1
  shift
  timeout -k 15 "$seconds" python3 -m torch.distributed.run --standalone \
    --nproc-per-node=2 --no-python "$rangefinder" "$@" \
    -- python3 "$here/programs/torch_imbalance.py"
}
check() {  # RUN: both ranks and the imbalance in its report
  python3 - "$out/$1" << 'PY'
import json
import sys

bad = 0


def check(ok, text):
    global bad
    bad += not ok
    print(("ok   " if ok else "FAIL ") + text)


run = sys.argv[1]
name = run.rsplit("/", 1)[-1]
document = json.load(open(f"{run}/ncu/regions/report.json"))
scopes = document["scopes"]
ranks = sorted({scope["rank"] for scope in scopes[1:] if "rank" in scope})
check(ranks == [0, 1], f"{name}: scopes of ranks {ranks}")
regions = {" > ".join(r["path"]): r for r in scopes[0]["regions"]}
# NCCL leaves a range of its own open, so steps have it around them.
# In the run under ncu it may be another than in the run before, so that one path
# is of launches alone, which have no kernel that was measured.
paths = [path for path in regions if path.endswith("step > compute")]
print(f"     {name}: {paths}")
computes = [regions[path] for path in paths if regions[path]["kernel_count"] is not None]
check(len(computes) > 0, f"{name}: regions step > compute: {len(computes)}")
# 8 launches of rank 0, 16 of rank 1; in the baseline run and in ncu's, where their
# paths differ.
kernels = [r["kernel_count"] for r in computes]
check(set(kernels) == {24}, f"{name}: {kernels} kernels of 24")
for compute in computes:
    imbalance = compute.get("imbalance", {})
    ok = (imbalance.get("over") == "rank" and imbalance.get("count") == 2 and
          imbalance.get("who") == "rank 1" and 1.2 < imbalance.get("ratio", 0) < 1.45)
    check(ok, f"{name}: imbalance {imbalance} (4/3 of rank 1)")
nccl = sum(k["calls"] or 0 for r in scopes[0]["regions"] for k in r["kernels"]
           if "nccl" in k["kernel_name"].lower())
if name == "discover":
    check(nccl >= 4, f"{name}: {nccl} NCCL kernels traced")
else:
    check(nccl == 0, f"{name}: {nccl} NCCL kernels measured")
own = sum(r["exclusive"]["gpu_time_ns"] or 0 for r in scopes[0]["regions"])
check(abs(own / scopes[0]["totals"]["gpu_time_ns"] - 1) < 1e-9, f"{name}: conserved")
sys.exit(bad > 0)
PY
}

for step in $steps; do
  start=$SECONDS
  case $step in
    discover)
      ranks 120 discover hydra.run.dir="$out/discover" > "$out/discover.log" 2>&1
      ok $? "discover under torchrun, a rank each"
      [[ $(find "$out/discover/trace" -name '*.rftrace' | wc -l) -ge 2 ]]
      ok $? "a trace of each rank"
      grep -qE 'rank [01] is the last of 2' "$out/discover.log"
      ok $? "the last rank reports both"
      check discover || failed=1
      ;;
    profile)
      ranks 180 profile pipeline.ncu.enable=true hydra.run.dir="$out/profile" \
        pipeline.ncu.exclude_communication=true pipeline.ncu.ncu_cli.set=null \
        'pipeline.ncu.ncu_cli.sections=[]' pipeline.ncu.exact_rollup=false \
        'pipeline.ncu.ncu_cli.metrics=[gpu__time_duration.sum]' \
        pipeline.ncu.ncu_cli.clock_control=none pipeline.ncu.hang_timeout=60 \
        > "$out/profile.log" 2>&1
      ok $? "profile under torchrun without communication"
      for rank in 0 1; do
        [[ -s $out/profile/ncu/run.rank$rank.ncu-rep ]]
        ok $? "a report of rank $rank"
      done
      "$rangefinder" report "$out/profile" > "$out/report.log" 2>&1
      ok $? "report puts the ranks together"
      check profile || failed=1
      "$rangefinder" show "$out/profile" 2> /dev/null | head -8 | sed 's/^/     /'
      ;;
    nccl)
      ranks 100 profile pipeline.ncu.enable=true hydra.run.dir="$out/nccl" \
        pipeline.ncu.ncu_cli.set=basic 'pipeline.ncu.ncu_cli.sections=[]' \
        'pipeline.ncu.ncu_cli.metrics=[]' \
        "pipeline.ncu.ncu_cli.kernel_name='regex:[nN]ccl'" \
        pipeline.ncu.ncu_cli.clock_control=none > "$out/nccl.log" 2>&1
      ok $? "communication of both ranks, in several passes"
      "$rangefinder" show "$out/nccl" --format json 2> /dev/null | python3 -c '
import json, sys
kernels = json.load(sys.stdin)["scopes"][0]["totals"]["kernel_count"]
sys.exit(kernels != 6)'
      ok $? "6 NCCL kernels measured"
      ;;
    hang)
      # Both ranks replay an all-reduce as often, and come through. One rank
      # alone, which is what people try, waits in its second pass for a peer that
      # has gone on.
      cat > "$out/rank0_alone.sh" << RANK0
#!/bin/bash
[[ \$RANK = 0 ]] || exec python3 "$here/programs/torch_imbalance.py"
exec "$rangefinder" profile pipeline.ncu.enable=true hydra.run.dir="$out/hang" \
  pipeline.trace.enable=false pipeline.ncu.ncu_cli.set=basic \
  'pipeline.ncu.ncu_cli.sections=[]' 'pipeline.ncu.ncu_cli.metrics=[]' \
  "pipeline.ncu.ncu_cli.kernel_name='regex:[nN]ccl'" \
  pipeline.ncu.hang_timeout=15 -- python3 "$here/programs/torch_imbalance.py"
RANK0
      chmod +x "$out/rank0_alone.sh"
      timeout -k 15 100 python3 -m torch.distributed.run --standalone \
        --nproc-per-node=2 --no-python "$out/rank0_alone.sh" \
        > "$out/hang.log" 2>&1
      status=$?
      if grep -q 'no progress at kernel' "$out/hang.log"; then
        ok 0 "the hang is detected: $(grep -m1 -o 'no progress at kernel.*' "$out/hang.log")"
        grep -q 'pipeline.ncu.exclude_communication=true' "$out/hang.log"
        ok $? "and explained, with what to type"
      else
        ok 1 "no hang was seen (status $status): see $out/hang.log"
      fi
      ;;
    *) echo "no step $step" && failed=1 ;;
  esac
  echo "     $step: $((SECONDS - start)) s"
done
[[ $failed = 0 ]] && echo "all ok" || echo "FAILED: logs in $out"
exit $failed
