#!/bin/bash
. "$(dirname "$0")/common.sh"

# Public exports, which are not part of this repository.
shared=${RANGEFINDER_SHARED:-$source_dir/../shared}/nsys
exports=("$shared"/*.sqlite)
[ -e "${exports[0]}" ] || skip "no exports of Nsight Systems in $shared"

for export in "${exports[@]}"; do
  "$rangefinder" report "$export" hydra.run.dir="$t/run" > out 2> err
  python3 - "$export" run/ncu/regions/report.json << 'PY'
import collections, json, sqlite3, sys

base = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro&immutable=1", uri=True)
document = json.load(open(sys.argv[2]))
scopes = {scope["scope"]: scope for scope in document["scopes"]}
rows = base.execute(
    "SELECT (k.globalPid >> 24) & 16777215, k.deviceId, s.value, "
    "k.end - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL AS k "
    "JOIN StringIds AS s ON s.id = k.demangledName").fetchall()

def compare(scope, rows):
    totals, regions = scope["totals"], scope["regions"]
    time = sum(row[3] for row in rows)
    assert totals["kernel_count"] == len(rows), (totals, len(rows))
    assert totals["gpu_time_ns"] == time, (totals, time)
    # Conservation: own times are the total's, and inner ones add up.
    for value in ("gpu_time_ns", "kernel_count"):
        assert sum(r["exclusive"][value] for r in regions) == totals[value]
        inner = collections.Counter()
        for r in regions:
            inner[r["parent_id"]] += r["inclusive"][value]
        for r in regions:
            assert (r["inclusive"][value] ==
                    r["exclusive"][value] + inner[r["id"]]), r["path"]
    by_name = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        by_name[row[2]][0] += 1
        by_name[row[2]][1] += row[3]
    ours = collections.defaultdict(lambda: [0, 0])
    for region in regions:
        for kernel in region["kernels"]:
            own = kernel.get("own_total_ms", kernel["total_ms"])
            ours[kernel["kernel_name"]][0] += kernel["own_calls"]
            ours[kernel["kernel_name"]][1] += own * 1e6
        calls = sum(kernel["calls"] for kernel in region["kernels"])
        assert calls == region["kernel_count"], region["path"]
    assert set(ours) == set(by_name)
    for name, (calls, time) in by_name.items():
        assert ours[name][0] == calls, name
        assert abs(ours[name][1] - time) < 1, name

compare(scopes["aggregate"], rows)
for pid, device in {row[:2] for row in rows}:
    compare(scopes[f"process:{pid}/device:{device}"],
            [row for row in rows if row[:2] == (pid, device)])
assert len(scopes) == 1 + len({row[:2] for row in rows})
print(f"{len(rows)} kernels, {len(scopes)} scopes, "
      f"{len(scopes['aggregate']['regions'])} regions")
PY
done
