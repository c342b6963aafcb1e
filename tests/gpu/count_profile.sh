#!/usr/bin/env bash
# `profile` with exact counts on a real GPU: a program that is too short for
# samples is counted by itself, a plan fits its budget, and estimates of a
# PyTorch program are checked against counts. Prints all of it.
#
#   RANGEFINDER, RANGEFINDER_INJECT_LIBRARY, OUT   as the other scripts have them
#   STEPS=64 GENERATIONS=3                         of llm_bench
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need python3 nvcc
prepare
status=0
nvcc -O2 -std=c++17 -arch=native -I "$root/examples" -o "$out/nested" \
  "$root/examples/nested_regions.cu" > "$out/nvcc.log" 2>&1 ||
  { cat "$out/nvcc.log"; skip "nvcc could not build nested_regions.cu"; }

echo "--- too short for samples"
"$rangefinder" profile hydra.run.dir="$out/short" -- "$out/nested" \
  > "$out/short.out" 2> "$out/short.err" || status=1
cat "$out/short.err" "$out/short.out"
grep -q "too short for samples" "$out/short.err" || status=1
echo "--- mode count, and its plan alone"
"$rangefinder" profile --dry-run pipeline.counters.mode=count \
  hydra.run.dir="$out/dry" -- "$out/nested" || status=1
"$rangefinder" profile pipeline.counters.mode=count \
  hydra.run.dir="$out/count" -- "$out/nested" || status=1
python3 - "$out" << 'PY' || status=1
import json
import sys

def counted(run):
    report = json.load(open(f"{sys.argv[1]}/{run}/ncu/regions/report.json"))
    return {r["name"]: r["measured"] for r in report["scopes"][0]["regions"]
            if r.get("measured")}

short, count = counted("short"), counted("count")
for name, rows in count.items():
    cells = {m: c["value"] for m, c in rows[0]["metrics"].items()}
    print(name, rows[0]["mode"], rows[0]["instances"], cells)
inst = "sm__inst_executed.sum"
for name in ("A", "A::A1", "B"):
    a, b = (run[name][0]["metrics"][inst]["value"] for run in (short, count))
    assert a == b > 0, (name, a, b)
assert (count["A"][0]["metrics"][inst]["value"]
        > count["A::A1"][0]["metrics"][inst]["value"])
PY

if ! has_torch transformers; then
  echo "NOT CHECKED: llm_bench: no PyTorch with CUDA and transformers"
  exit $status
fi
echo "--- estimates of llm_bench, checked"
"$rangefinder" profile pipeline.counters.check=true \
  pipeline.counters.budget=10% hydra.run.dir="$out/check" -- \
  python3 "$here/programs/llm_bench.py" plain "${STEPS:-64}" \
  "${GENERATIONS:-3}" > "$out/check.out" 2> "$out/check.err" || status=1
cat "$out/check.err" "$out/check.out"
python3 - "$out" << 'PY' || status=1
import collections
import json
import sys

report = json.load(open(f"{sys.argv[1]}/check/ncu/regions/report.json"))
checks = report["capture"].get("check", [])
by_metric = collections.defaultdict(list)
print(f"{'region':40} {'metric':34} {'estimate':>12} {'se':>8} "
      f"{'exact':>12} {'se':>8}   n  of   off")
for c in checks:
    off = c["estimate"] / c["exact"] - 1 if c["exact"] else float("nan")
    by_metric[c["metric"]].append((abs(off), c["agrees"]))
    print(f"{c['region'][:40]:40} {c['metric']:34} {c['estimate']:12.5g} "
          f"{c['standard_error']:8.2g} {c['exact']:12.5g} "
          f"{c['exact_standard_error']:8.2g} {c['counted']:3} "
          f"{c['instances']:4} {100 * off:+6.2f} % "
          f"{'' if c['agrees'] else 'differ'}")
for metric, rows in by_metric.items():
    offs = sorted(off for off, _ in rows if off == off)
    agree = sum(agrees for _, agrees in rows)
    print(f"{metric}: {agree} of {len(rows)} agree, median off "
          f"{100 * offs[len(offs) // 2] if offs else float('nan'):.2f} %")
sys.exit(not checks)
PY
exit $status
