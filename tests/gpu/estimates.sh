#!/usr/bin/env bash
# Counters of nested regions from one run without replay, against truth: of two
# streams that overlap ncu's kernel replay, of a small Llama that decodes exact
# counts in place (pipeline.counters.check), and of a ResNet. Prints every value;
# asserts that the fits are not bad; that regions of hard programs are within 5 %, or
# 1 % of the region around, or their claimed error; and that instructions, tensor
# cycles, L2 sectors and the Llama's bytes read of regions with 50 instances and more
# are within 2 % of the exact counts, or their claimed error. Counts of L2 sectors
# include about 4,000 of the counting itself (docs/measured.md "Copies and sets").
#
#   RANGEFINDER=... RANGEFINDER_INJECT_LIBRARY=... OUT=... estimates.sh
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
set -euo pipefail
need nvcc ncu python3
prepare

sampled() {  # sampled NAME COMMAND...
  local name=$1
  shift
  local start=$EPOCHREALTIME
  "$rangefinder" profile hydra.run.dir="$out/$name.sampled" \
    "pipeline.counters.metrics=[$six]" "$@" \
    > "$out/$name.table" 2> "$out/$name.err" || { cat "$out/$name.err"; return 1; }
  echo "$name: profile took $(python3 -c "print('%.2f' % ($EPOCHREALTIME - $start))") s"
  cat "$out/$name.table"
  python3 - "$out/$name.sampled/ncu/regions/report.json" <<'END'
import json, sys
for device in json.load(open(sys.argv[1]))["capture"]["sampling"]:
    fit = device.pop("fit", None)
    print({k: v for k, v in device.items() if k != "gaps"}, "gaps", len(device["gaps"]))
    if not fit:
        sys.exit("no fit")
    metrics = fit.pop("metrics")
    print(fit)
    for name, values in metrics.items():
        print("  ", name, values)
    assert fit["verdict"] != "bad", fit
END
}

measured() {  # measured NAME COMMAND...: ncu's values, undisturbed clocks and caches
  local name=$1
  shift
  "$rangefinder" profile hydra.run.dir="$out/$name.measured" \
    pipeline.ncu.enable=true pipeline.trace.enable=false \
    "pipeline.ncu.ncu_cli.metrics=[gpu__time_duration.sum,$six]" \
    pipeline.ncu.ncu_cli.clock_control=none \
    pipeline.ncu.ncu_cli.cache_control=none -- "$@" \
    > "$out/$name.ncu.table" 2> "$out/$name.ncu.err" ||
    { tail -20 "$out/$name.ncu.err"; return 1; }
}

compare() {
  python3 "$here/programs/estimate_truth.py" \
    "$out/$1.sampled/ncu/regions/report.json" \
    "$out/$1.measured/ncu/regions/report.json" | tee "$out/$1.compared"
}

nvcc -O2 -std=c++17 -arch=native -o "$out/two_streams" \
  "$here/programs/two_streams.cu" -ldl
sampled two_streams -- "$out/two_streams" 3000
measured two_streams "$out/two_streams" 16
compare two_streams

# Programs made to be hard: each region within 5 %, or within 1 % of what the
# region around it counts, or its exact count is within the 95 % that it claims.
status=0
for hard in two_streams alternating unequal; do
  [[ -x $out/$hard ]] || nvcc -O2 -std=c++17 -arch=native -o "$out/$hard" \
    "$here/programs/$hard.cu" -ldl
  sampled "$hard.counted" pipeline.counters.check=true \
    pipeline.counters.budget=100% -- "$out/$hard" 3000 || status=1
  python3 "$here/programs/hard_regions.py" \
    "$out/$hard.counted.sampled/ncu/regions/report.json" || status=1
done
# Regions of PyTorch programs with 50 instances and more: within 2 %, or the
# exact count is within what the estimate claims. What NAME's caches make
# another number where an instance is counted does not fail.
checked() {  # checked NAME "METRIC..." PROGRAM ARGUMENT...
  local name=$1 other=$2 program=$3
  shift 3
  sampled "$name" pipeline.counters.check=true -- \
    python3 "$here/programs/$program" "$@" || return 1
  python3 - "$out/$name.sampled/ncu/regions/report.json" "$other" <<'END'
import json, math, statistics, sys
apart, far = {}, []
other = tuple(sys.argv[2].split())
for row in json.load(open(sys.argv[1]))["capture"]["check"]:
    if not row["exact"] or row["estimate"] is None:
        continue
    if row["metric"] == "lts__t_sectors.sum":
        row["exact"] -= 4000
        row["agrees"] = abs(row["estimate"] - row["exact"]) <= 1.96 * math.hypot(
            row["standard_error"], row["exact_standard_error"])
    off = abs(row["estimate"] / row["exact"] - 1)
    many = row["instances"] >= 50
    apart.setdefault((row["metric"], many), []).append((off, row["agrees"]))
    if many and off > 0.02 and not row["agrees"] and not row["metric"].startswith(other):
        far.append(row)
for (metric, many), rows in sorted(apart.items()):
    print(f"{metric:<36} {'50 and more' if many else 'fewer':<12} {len(rows)} regions, "
          f"apart {100 * statistics.median(r[0] for r in rows):.2f} % (median), "
          f"{100 * max(r[0] for r in rows):.2f} % (most), "
          f"{sum(bool(r[1]) for r in rows)} agree")
print("\n".join(map(str, far)))
sys.exit(bool(far))
END
}

if has_torch transformers; then
  checked llm "dram__bytes_write sm__cycles" llm_bench.py plain 16 8 || status=1
else
  echo "NOT CHECKED: llm_bench: no PyTorch with CUDA and transformers"
fi
if has_torch torchvision; then
  checked vision "dram__bytes sm__cycles" vision_bench.py 300 || status=1
else
  echo "NOT CHECKED: vision_bench: no PyTorch with CUDA and torchvision"
fi
exit $status
