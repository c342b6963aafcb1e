#!/usr/bin/env bash
# The findings of Nsight Compute's rules in those programs of the examination
# whose cause lies in a kernel: `--set full` over two steps, at most 8 launches.
#
#   ncu_rules.sh FOLDER [PROGRAM…]   RANGEFINDER: the program; needs ncu, nvcc
#
# FOLDER gets rules.tsv: program, region, rule, its title, kind, the share of the
# kernels' time that it estimates to save in percent (empty: none), that time in ns.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rangefinder=${RANGEFINDER:-rangefinder}
out=$1
shift
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nvcc -O2 -std=c++17 -arch=native -o "$work/exam" "$here/exam.cu" || exit 1
programs=("$@")
if ((${#programs[@]} == 0)); then
  mapfile -t programs < <(
    awk -F'\t' 'NR == FNR { known[$1]; next }
      { n = split($3, causes, ","); for (i = 1; i <= n; ++i) if (causes[i] in known) { print $1; next } }' \
      "$here/ncu_rules.tsv" "$here/answers.tsv")
fi
: > "$out/rules.tsv"
for program in "${programs[@]}"; do
  case $program in
    torch_* | fine_torch_*) command=(python3 "$here/exam_torch.py") ;;
    *) command=("$work/exam") ;;
  esac
  rm -rf "$work/run"
  timeout -k 10 60 "$rangefinder" profile hydra.run.dir="$work/run" \
    pipeline.ncu.enable=true pipeline.trace.enable=false pipeline.counters.enable=false \
    pipeline.ncu.exact_rollup=false pipeline.ncu.ncu_cli.set=full \
    'pipeline.ncu.ncu_cli.sections=[]' pipeline.ncu.ncu_cli.launch_count=8 \
    'report.formats=[json]' -- "${command[@]}" "$program" 2 > "$work/log" 2>&1 ||
    { echo "ncu_rules: $program: status $?" >&2; tail -3 "$work/log" >&2; }
  python3 - "$program" "$work/run/ncu/regions/report.json" >> "$out/rules.tsv" << 'PY'
import json
import sys

program, path = sys.argv[1:]
try:
    report = json.load(open(path))
except OSError:
    sys.exit()
for region in report["scopes"][0]["regions"]:
    for f in region["findings"]:
        share = f["speedup_percent"]
        print(program, region["name"], f["rule"], f["title"] or f["name"], f["kind"],
              "" if share is None else round(share, 2), f["time_ns"], sep="\t")
PY
done
wc -l < "$out/rules.tsv"
