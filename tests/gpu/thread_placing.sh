#!/usr/bin/env bash
# The backward pass of PyTorch, whose kernels a thread of autograd's launches:
# under "backward pass" with regions.threads=adopt, and under the layers with
# regions.threads=forward. Prints the regions of both.
#
#   RANGEFINDER=... RANGEFINDER_INJECT_LIBRARY=... OUT=... thread_placing.sh
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need python3
need_torch
prepare

"$rangefinder" discover hydra.run.dir="$out/run" -- \
  python3 "$here/programs/backward_ranges.py" 10 > "$out/discover.out" 2>&1
for threads in own adopt forward; do
  "$rangefinder" show "$out/run" regions.threads=$threads --format json > "$out/$threads.json" 2>/dev/null
  "$rangefinder" show "$out/run" regions.threads=$threads > "$out/$threads.txt" 2>&1
done
python3 - "$out" <<'END'
import json, sys
def kernels(mode):
    scope = json.load(open(f"{sys.argv[1]}/{mode}.json"))["scopes"][0]
    regions = {tuple(r["path"]): r["exclusive"]["kernel_count"] or 0 for r in scope["regions"]}
    print(f"{mode}: {scope['totals']['kernel_count']} kernels")
    return scope["totals"]["kernel_count"], regions
def under(regions, *path):
    return sum(n for p, n in regions.items() if p[:len(path)] == path)
total, own = kernels("own")
adopted_total, adopt = kernels("adopt")
forward_total, forward = kernels("forward")
assert total == adopted_total == forward_total == sum(adopt.values()) == sum(forward.values())
for layer in ("layer0", "layer1"):
    print(f"  {layer}/backward: {under(forward, layer, 'backward')} kernels")
    assert under(forward, layer, "backward") > 0
    assert under(adopt, layer) == under(own, layer) == under(forward, layer) - under(forward, layer, "backward")
backward = under(adopt, "backward pass")
print(f"  backward pass: own {under(own, 'backward pass')}, adopt {backward}, forward {under(forward, 'backward pass')}")
assert backward > under(own, "backward pass")
END
cat "$out/forward.txt"
