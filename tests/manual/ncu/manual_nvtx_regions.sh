#!/usr/bin/env bash
# Nested NVTX regions on a real GPU, to be looked at: profiles the nested example
# in range mode and kernel by kernel, and checks sections, counts and totals of
# the two reports.
#
#   tests/manual/ncu/manual_nvtx_regions.sh [--regions 'A;B;A::A1'] [--run-dir DIR]
#
#   --regions  patterns of regions, as pipeline.ncu.ncu_cli.nvtx.include takes them
#   --run-dir  where the two runs go (a temporary folder, which stays)
#   RANGEFINDER  the binary (else dist/rangefinder, or a build's); it may be one
#                built elsewhere (scripts/portable.sh)
#
# One line a check, ok or FAIL, then a summary; status 1 when one failed, 77 where
# there is no GPU, ncu or nvcc.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)

regions='A;B;A::A1'
run_dir=
while [[ $# -gt 0 ]]; do
  case $1 in
    --regions) regions=${2:?--regions needs patterns} && shift 2 ;;
    --regions=*) regions=${1#*=} && shift ;;
    --run-dir) run_dir=${2:?--run-dir needs a folder} && shift 2 ;;
    --run-dir=*) run_dir=${1#*=} && shift ;;
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" && exit 0 ;;
    *) echo "unknown argument $1; see --help" >&2 && exit 2 ;;
  esac
done

missing() {
  echo "SKIPPED: $1" >&2
  exit 77
}
rangefinder=${RANGEFINDER:-}
for candidate in "$root"/{dist,build/portable,build/release}/rangefinder; do
  [[ -n $rangefinder || ! -x $candidate ]] || rangefinder=$candidate
done
[[ -x $rangefinder ]] || missing "no rangefinder: build it (scripts/test.sh) or set RANGEFINDER"
command -v python3 > /dev/null || missing "no python3"
command -v ncu > /dev/null || missing "no ncu: install Nsight Compute, or put it on PATH"
nvidia-smi -L > /dev/null 2>&1 || missing "no NVIDIA GPU (nvidia-smi -L lists none)"

run_dir=${run_dir:-$(mktemp -d "${TMPDIR:-/tmp}/nvtx-regions.XXXXXX")}
mkdir -p "$run_dir"
run_dir=$(realpath "$run_dir")
echo "runs: $run_dir"
bash "$root/examples/build.sh" "$run_dir/examples" > "$run_dir/build.log" 2>&1
status=$?
[[ $status != 77 ]] || missing "no nvcc to build the example with: put it on PATH"
if [[ $status != 0 ]]; then
  echo "FAIL the example builds"
  tail -5 "$run_dir/build.log"
  exit 1
fi

sections='SpeedOfLight,Occupancy'
profile() {  # MODE RUN
  "$rangefinder" profile pipeline.ncu.enable=true pipeline.nsys.enable=false \
    pipeline.ncu.ncu_cli.replay_mode="$1" \
    "pipeline.ncu.ncu_cli.nvtx.include='$regions'" \
    pipeline.ncu.ncu_cli.set=null "pipeline.ncu.ncu_cli.sections=[$sections]" \
    'pipeline.ncu.ncu_cli.metrics=[gpu__time_duration.sum,smsp__inst_executed.sum]' \
    pipeline.ncu.ncu_cli.clock_control=none pipeline.ncu.fallback=none \
    device=cuda:0 hydra.run.dir="$2" hydra.job.chdir=true \
    -- "$run_dir/examples/nested_regions" > "$2.log" 2>&1
}

failed=0
for mode in range kernel; do
  if profile "$mode" "$run_dir/$mode"; then
    echo "ok   profile in $mode replay"
  else
    echo "FAIL profile in $mode replay (status $?):"
    tail -5 "$run_dir/$mode.log"
    failed=1
  fi
done
python3 "$here/check_nvtx_regions.py" --regions "$regions" \
  --sections "$sections" "$run_dir/range" "$run_dir/kernel" || failed=1
if [[ $failed = 0 ]]; then
  echo "all ok: $run_dir/range/ncu/regions/report.md"
else
  echo "FAILED: see $run_dir"
fi
exit $failed
