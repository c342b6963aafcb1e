#!/usr/bin/env bash
# Cost and gain of exact rollup: a run of ncu's set `full` and one of the default
# preset, with and without the inputs; then ratios with unknown inputs, beside the
# counters that may be their inputs.
#
#   RANGEFINDER  the binary (dist/rangefinder, else a build's)
#   OUT          where the captures go (a temporary folder)
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need ncu nvcc python3
prepare
begin=$SECONDS
failed=0
nvcc -arch=native -O2 -std=c++17 -I"$root/examples" -o "$out/program" \
  "$here/programs/rollup_mix.cu" -ldl || exit 1

profile() {  # NAME OVERRIDE...
  local name=$1 from=$SECONDS
  shift
  "$rangefinder" profile pipeline.ncu.enable=true pipeline.trace.enable=false \
    "pipeline.ncu.ncu_cli.nvtx.include='gather;divergent;spill'" \
    pipeline.ncu.ncu_cli.clock_control=none hydra.run.dir="$out/$name" "$@" \
    -- "$out/program" > "$out/$name.log" 2>&1 || { failed=1; tail -3 "$out/$name.log"; }
  "$rangefinder" show --format json "$out/$name" > "$out/$name.json"
  echo "$name: $((SECONDS - from)) s, $(grep -ho '[0-9]* passes' \
    "$out/$name"/ncu/*.log "$out/$name"/ncu/*/*.log 2> /dev/null |
    sort | uniq -c | sort -rn | head -1 | xargs)"
}
full=(pipeline.ncu.ncu_cli.set=full 'pipeline.ncu.ncu_cli.sections=[]')
profile full_with "${full[@]}"
profile full_without "${full[@]}" pipeline.ncu.exact_rollup=false
profile preset_with
profile preset_without pipeline.ncu.exact_rollup=false
python3 - "$out" << 'PY' || failed=1
import collections
import json
import sys

out, status = sys.argv[1], 0
for name in ("full_with", "full_without", "preset_with", "preset_without"):
    with open(f"{out}/{name}.json") as file:
        metrics = json.load(file)["scopes"][0]["totals"]["metrics"]
    ratios = {m: c for m, c in metrics.items() if "Triage" not in m and
              m.endswith((".ratio", ".pct"))}
    hows = collections.Counter(c["how"] for c in ratios.values())
    rest = [m for m, c in ratios.items() if c["how"] == "approx"]
    tops = {m: c["how"] for m, c in metrics.items() if "throughput.avg" in m}
    print(f"{name}: {len(metrics)} metrics; ratios {dict(hows)}; throughputs "
          f"{dict(collections.Counter(tops.values()))}; approximate: {rest}")
sys.exit(status)
PY

open=lrc__average_ilc_input_sector_compression_rate.ratio
open+=,lrc__average_ilc_input_sector_success_rate.pct
open+=,lrc__average_ilc_output_sector_compression_achieved_rate.pct
open+=,lrc__average_xbar2gpc_sectors_op_read.ratio
open+=,lrc__average_xbar2gpc_sectors_op_read_coalescing_achieved_type_hardware.ratio
open+=,lrc__average_xbar2gpc_sectors_op_read_coalescing_achieved_type_programmatic.ratio
open+=,lts__average_gcomp_input_sector_compression_rate.ratio
open+=,lts__average_gcomp_input_sector_success_rate.pct
open+=,lts__average_gcomp_output_sector_compression_achieved_rate.ratio
open+=,tpc__average_cta_latency.ratio
for counter in lrc__{ilc_input_sectors,ilc_output_sectors} \
    lrc__{lrc2xbar,xbar2gpc}_sectors_op_read{,_coalescing_achieved} \
    lrc__{lrc2xbar,xbar2gpc}_sectors_op_read_coalescing_achieved_type_{hardware,programmatic} \
    lrc__lrc2xbar_sectors_op_read_coalescing_none gr__ctas_launched \
    sm__ctas_launched sm__ctas_active tpc__cycles_active; do
  open+=,$counter.sum
done
ncu --clock-control none --nvtx -f --metrics "$open" -o "$out/open" \
  "$out/program" > "$out/open.log" 2>&1 || { failed=1; tail -3 "$out/open.log"; }
"$rangefinder" show --format csv "$out/open.ncu-rep" > "$out/open.csv"
python3 "$here/compare_quotients.py" "$out/open.csv" || failed=1
cp "$out/full_with"/ncu/*.ncu-rep "$out/full_with.ncu-rep" 2> /dev/null
# ncu's own details page of the same kernels, for the sections.
for page in '' --csv; do
  # shellcheck disable=SC2086
  ncu --import "$out/full_with.ncu-rep" --page details $page \
    > "$out/details${page:-.txt}" 2>&1 || failed=1
done
mv "$out/details--csv" "$out/details.csv"
(cd "$out" && tar -czf rollup_inputs.tgz ./*.ncu-rep ./*.csv ./*.log \
  ./details.txt)
echo "$([[ $failed == 0 ]] && echo ok || echo FAIL) rollup_inputs," \
  "$((SECONDS - begin)) s"
exit $failed
