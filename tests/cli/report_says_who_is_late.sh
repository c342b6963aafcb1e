#!/bin/bash
. "$(dirname "$0")/common.sh"

# A job of eight ranks in which rank 2's mlp takes 12 % longer: every report says
# so, and of one rank alone none speaks of ranks.
from_text=${RANGEFINDER_BUILD:-$source_dir/build/release}/trace_from_text
[ -x "$from_text" ] || skip "no $from_text"
mkdir traces
python3 "$source_dir/tests/cli/job_of_ranks.py" "$from_text" traces 8 30
"$rangefinder" report traces/*.rftrace hydra.run.dir="$t/run" > out 2> err
regions=run/ncu/regions
has $regions/report.md "## Who is late" "rank 2 last in" \
  "its kernels took 12 % longer at equal launches" "over 8 ranks"
python3 "$source_dir/tools/validate_report.py" $regions/report.json > valid || [ $? = 77 ]
python3 - $regions/report.json << 'END'
import json, sys
ranks = json.load(open(sys.argv[1]))["ranks"]
assert ranks["count"] == 8, ranks["count"]
late = ranks["late"][0]
assert late["rank"] == 2 and late["last"] > 0.9 * late["instances"], late
part = late["parts"][0]
region = next(r for r in ranks["regions"] if r["id"] == part["region"])
assert part["reason"] == "compute" and region["path"][-1] == "mlp", late
assert 1.1 < part["ratio"] < 1.14 and 33e3 < part["ns"] < 39e3, part
# Nothing is never 0: the stage without attention has none.
matrix, records = ranks["matrix"], ranks["records"]
attention = next(i for i, r in enumerate(matrix["regions"])
                 if ranks["regions"][r]["path"][-1:] == ["attention"])
has = [row[attention] is not None for row in matrix["values"]["compute_ns"]]
assert has == [True] * 6 + [False] * 2, has
assert len({record["tree"] for record in records}) == 2
# Who is late does not wait.
whole = next(r for r in ranks["regions"] if r["parent"] is None)
assert whole["waiting_ns"]["min_rank"] == 2, whole["waiting_ns"]
END

COLUMNS=120 "$rangefinder" show traces/*.rftrace > shown 2> err
has shown "Who is late" "rank 2 last in" "Minimum – median – maximum over 8 ranks"
"$rangefinder" show traces/rank2.rftrace > one 2> err
not grep -q "late\|ranks" one
"$rangefinder" show traces/rank2.rftrace --format json > one.json
not grep -q '"ranks"' one.json
