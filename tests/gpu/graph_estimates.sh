#!/usr/bin/env bash
# Counters of regions inside captured CUDA graphs, estimated from samples,
# against exact counts of the same program run eagerly in the same call: a
# Qwen2 of transformers with 6 and with 12 layers, and the eager run's own
# estimates. One more program is compiled by torch.compile, whose fit must not
# be bad. Prints one table for each; takes some 5 minutes on an H200.
#
#   RANGEFINDER=... RANGEFINDER_INJECT_LIBRARY=... OUT=... graph_estimates.sh
#   LAYERS="6 12": of the models
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
set -euo pipefail
need python3
python3 -c "import torch, transformers; torch.zeros(1).cuda()" 2> /dev/null ||
  skip "no PyTorch with CUDA and transformers"
prepare
program=$here/programs/graph_decode.py

profiled() {  # profiled NAME [SETTING...] -- ARGUMENT...: its report.json
  local name=$1 settings=()
  shift
  while [[ $1 != -- ]]; do settings+=("$1"); shift; done
  shift
  "$rangefinder" profile hydra.run.dir="$out/$name" \
    "pipeline.counters.metrics=[$six]" "${settings[@]}" -- \
    python3 "$program" "$@" > "$out/$name.table" 2> "$out/$name.err" ||
    { tail -20 "$out/$name.err"; return 1; }
  python3 - "$out/$name/ncu/regions/report.json" "$name" <<'END'
import json, sys
fit = json.load(open(sys.argv[1]))["capture"]["sampling"][0]["fit"]
metrics = fit.pop("metrics")
print(sys.argv[2], fit)
for name, values in metrics.items():
    print("   ", name, values)
assert fit["verdict"] != "bad", fit
END
}

status=0
for layers in ${LAYERS:-6 12}; do
  profiled "graph$layers" -- graph 200 "$layers" || status=1
  profiled "eager$layers" pipeline.counters.check=true -- \
    eager 200 "$layers" || status=1
  echo "graph, $layers layers, against eager counts:"
  python3 "$here/programs/graph_truth.py" \
    "$out/graph$layers/ncu/regions/report.json" \
    "$out/eager$layers/ncu/regions/report.json" 1 5 || status=1
  echo "eager, $layers layers, against its own counts:"
  python3 "$here/programs/graph_truth.py" \
    "$out/eager$layers/ncu/regions/report.json" \
    "$out/eager$layers/ncu/regions/report.json" 0.5 5 || status=1
done
profiled compile -- compile 200 6 || echo "torch.compile: no profile"
exit $status
