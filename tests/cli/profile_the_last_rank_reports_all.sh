#!/bin/bash
. "$(dirname "$0")/common.sh"

# Three ranks, one of which measured another program. Two captures are one file
# copied: their process has one id on "two hosts".
rank() {
  RANK=$1 WORLD_SIZE=3 LOCAL_RANK=$1 profile -- true > "out$1" 2> "err$1"
}
rank 2
has err2 "rank 2: 1 of 3 ranks are done" "rangefinder report $t/run"
FAKE_NCU_REPORT=$fixtures/nvtx_contexts.ncu-rep rank 0
[ ! -e run/report.md ]
rank 1
has err1 "rank 1 is the last of 3: reporting them all"
has out1 "max/mean" "run/ncu/regions/report.md"

report=run/ncu/regions/report.json
[ "$(json $report 'd["scopes"][0]["totals"]["kernel_count"]')" = 111 ]
[ "$(json $report '[s.get("rank") for s in d["scopes"]]')" = "[null, 0, 1, 2]" ]
[ "$(json $report '[p["rank"] for p in d["capture"]["processes"]]')" = "[0, 1, 2]" ]
python3 - $report << 'PY'
import json, sys
scopes = json.load(open(sys.argv[1]))["scopes"]
for region in scopes[0]["regions"]:
    times = [0, 0, 0]
    for scope in scopes[1:]:
        for other in scope["regions"]:
            if other["id"] == region["id"]:
                times[scope["rank"]] = other["inclusive"]["gpu_time_ns"]
    got = region["imbalance"]
    assert got["over"] == "rank" and got["count"] == 3, got
    assert got["max"] == max(times) and got["mean"] == sum(times) / 3, (got, times)
    assert got["who"] == f"rank {times.index(max(times))}", (got, times)
    assert abs(got["ratio"] - max(times) / (sum(times) / 3)) < 1e-12, got
assert all("imbalance" not in r for s in scopes[1:] for r in s["regions"])
PY
has run/report.md "max/mean" "(rank 2)"
# The same again from the files alone, by the configuration they were made with.
cp $report before.json
"$rangefinder" report run > out
[ "$(json before.json 'd["config_fingerprint"]')" = \
  "$(json $report 'd["config_fingerprint"]')" ]
# A second job in the same folder waits for its own ranks.
rank 0
has err0 "rank 0 is the last of 3"
rm run/.ranks/rank1
rank 0
has err0 "rank 0: 2 of 3 ranks are done"
# One process, one run: nothing to compare.
rm -rf run
profile -- true > out 2> err
not grep -q '"imbalance":' $report
