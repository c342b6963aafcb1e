#!/usr/bin/env bash
# Copies and sets in samples (tests/gpu/programs/copies.py), against exact counts in
# place: with the GPU idle between the ranges, kernels, copies and sets together are
# within 0.2 % and 100 instructions of the count, so the tracer's own instructions in
# the driver's kernels are known; back to back, at least 90 % of the counts agree.
#
#   RANGEFINDER=... RANGEFINDER_INJECT_LIBRARY=... OUT=... copies.sh
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
set -euo pipefail
need python3
prepare
need_torch
cd "$here/programs"

status=0
for how in apart back_to_back; do
  command=(python3 copies.py 200)
  [[ $how != apart ]] || command+=(apart)
  "$rangefinder" profile hydra.run.dir="$out/$how" pipeline.counters.check=true \
    pipeline.counters.budget=100% "pipeline.counters.metrics=[$six]" -- \
    "${command[@]}" > "$out/$how.table" 2> "$out/$how.err" ||
    { tail -20 "$out/$how.err"; exit 1; }
  python3 - "$out/$how/ncu/regions/report.json" "$how" <<'END' || status=1
import json, sys
report, how = json.load(open(sys.argv[1])), sys.argv[2]
rows = [row for row in report["capture"]["check"] if row["metric"] == "sm__inst_executed.sum"]
far = []
for row in rows:
    estimate, exact = row["estimate"], row["exact"]
    print(f"{how:13}{row['region']:14} estimated {estimate:9.0f}, counted {exact:9.0f}, "
          f"{'agrees' if row['agrees'] else 'differs'}")
    if abs(estimate - exact) > 0.002 * exact + 100:
        far.append(row)
loads = [region["measured"][0] for region in report["scopes"][0]["regions"]
         if region["name"] == "upload"]
print(f"{how:13}upload: {loads[0]['instances']} instances,",
      f"{loads[0]['metrics']['lts__t_sectors.sum']['value']:.0f} L2 sectors for 32,768 written")
assert 32768 < loads[0]["metrics"]["lts__t_sectors.sum"]["value"] < 50_000
if how == "apart":
    assert len(rows) == 12 and not far, (len(rows), far)
else:
    assert sum(row["agrees"] for row in rows) >= 0.9 * len(rows), rows
END
done
exit $status
