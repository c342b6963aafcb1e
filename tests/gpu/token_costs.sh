#!/usr/bin/env bash
# Costs per step and per request of a small server with vLLM's names of ranges
# (programs/token_server.py), whose weights and cache are known to the byte.
# Prints what it finds; asserts that named phases have 95 % of the GPU time, and
# that the DRAM reads of a decode step, as a mean and by regression without any
# request, are within 3 % of what has to be read.
#
# Needs a GPU with some 8 GB of memory, PyTorch with CUDA and transformers; no
# network. Made for 60 to 120 s on an H100.
#
#   RANGEFINDER=... RANGEFINDER_INJECT_LIBRARY=... OUT=... token_costs.sh [REQUESTS]
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
set -euo pipefail
need python3
need_torch transformers
prepare

start=$SECONDS
"$rangefinder" profile hydra.run.dir="$out/tokens" \
  "pipeline.counters.metrics=[$six]" -- \
  python3 "$here/programs/token_server.py" "$out/known.json" "${1:-500}" \
  > "$out/tokens.table" 2> "$out/tokens.err" || { tail -40 "$out/tokens.err"; exit 1; }
cat "$out/tokens.table"
echo "profile took $((SECONDS - start)) s"
python3 - "$out/known.json" "$out/tokens/ncu/regions/report.json" <<'END'
import json, sys
known, report = (json.load(open(path)) for path in sys.argv[1:])
print(known)
scope = report["scopes"][0]
faults = []

def hold(what, is_so):
    print("ok   " if is_so else "FAIL ", what)
    if not is_so:
        faults.append(what)

for device in report["capture"].get("sampling", []):
    fit = device.get("fit", {})
    print("fit:", fit.get("verdict"), fit.get("reasons"), "lost", device["lost"], "of", device["samples"])
phases = scope.get("phases", [])
for phase in phases:
    print(phase)
named = sum(phase["share"] for phase in phases if phase["phase"])
hold(f"named phases have {100 * named:.2f} % of the GPU time (95 % asked)", named >= 0.95)
hold(f"{len(scope['regions'])} regions (at most 200)", len(scope["regions"]) <= 200)
decode = [r for r in scope["regions"] if r["name"] == "execute (decode)"]
if not decode:
    sys.exit("no region 'execute (decode)': " + str([r["path"] for r in scope["regions"]][:40]))
decode = decode[0]
hold(f"{decode['instances']} instances of {known['decode_steps']} decode steps",
     decode["instances"] == known["decode_steps"])
cell = decode["inclusive"]["metrics"]["dram__bytes_read.sum"]
print("dram__bytes_read.sum of decode:", cell)
must = known["weight_bytes"] * known["decode_steps"] + known["cache_bytes_per_request"] * known["decode_requests"]
hold(f"DRAM reads of all decode steps: {cell['value'] / must:.4f} of what has to be read",
     abs(cell["value"] / must - 1) < 0.03)
for unit in decode.get("units", []):
    print(json.dumps(unit))
reads = [u for u in decode.get("units", []) if u["metric"] == "dram__bytes_read.sum"]
hold("decode has costs of DRAM reads", len(reads) == 1)
for unit in reads:
    base = unit["per_instance"]
    hold(f"without any request {base['value'] / known['weight_bytes']:.4f} ± "
         f"{base['standard_error'] / known['weight_bytes']:.4f} of the weights",
         abs(base["value"] / known["weight_bytes"] - 1) < 0.03)
    for cost in unit["costs"]:
        print(f"per {cost['unit']}: {cost['value'] / 1e6:.2f} ± {cost['standard_error'] / 1e6:.2f} MB; "
              f"its keys and values have {known['cache_bytes_per_request'] / 1e6:.2f} MB")
sys.exit(f"{len(faults)} of the checks failed" if faults else 0)
END
