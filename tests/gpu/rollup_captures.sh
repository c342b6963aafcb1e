#!/bin/bash
# Records the ratios that tests/captures divides again, with their inputs. Leaves
# *.ncu-rep in $OUT. (Regions kernel by kernel and as a whole: rollup_modes.sh.)
#
#   OUT=out [RATIOS=metrics.txt] tests/gpu/rollup_captures.sh
#
# RATIOS names a file with the metrics of the first capture, one a line; without
# it they are asked of tools/metric_facts/ratio_metrics.sh. Without OUT the
# captures are made and thrown away.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
ncu=$(command -v ncu || ls /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | tail -1)
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[[ -x $ncu && -x $nvcc ]] || { echo "skip: no ncu or no nvcc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${OUT:-$work/out}
mkdir -p "$out"
if [[ -z ${RATIOS:-} ]]; then
  RATIOS=$work/ratios.txt
  "$root/tools/metric_facts/ratio_metrics.sh" > "$RATIOS"
fi
failed=0

"$nvcc" -arch=native -O2 -std=c++17 -o "$work/rollup_mix" \
    "$root/tests/gpu/programs/rollup_mix.cu" -ldl || exit 1

common=(--clock-control none --nvtx -f)

step() {  # NAME ARG...
  local name=$1; shift
  local begin=$SECONDS
  "$ncu" "${common[@]}" "$@" > "$out/$name.log" 2>&1
  local status=$?
  [[ $status == 0 ]] || failed=1
  echo "$name: status $status, $((SECONDS - begin)) s"
}

step ratios --cache-control all --metrics "$(paste -sd, "$RATIOS")" \
    -o "$out/ratios" "$work/rollup_mix"

ls -la "$out"
exit $failed
