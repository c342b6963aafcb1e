#!/bin/bash
# Mode count: a run under the tracer, a plan, and a run that counts in chosen
# instances; one report of both. --dry-run runs neither.
. "$(dirname "$0")/common.sh"
needs_tracer
build=${RANGEFINDER_BUILD:-$source_dir/build/release}
counted=$build/inject_counted
export RANGEFINDER_CUPTI_PATH=$build/libinject_fake_cupti.so
export FAKE_DRIVER=$build/fake_driver/libcuda.so.1
for needed in "$counted" "$RANGEFINDER_CUPTI_PATH" "$FAKE_DRIVER"; do
  [ -e "$needed" ] || skip "no $needed: NOTHING IS COUNTED"
done
count=(pipeline.ncu.enable=false pipeline.counters.enable=true
  pipeline.counters.mode=count 'pipeline.counters.metrics=[one.sum,two.avg]')

"$rangefinder" profile --dry-run "${count[@]}" hydra.run.dir="$t/dry" -- \
  touch ran > out 2> err
has out "once more, to count in chosen instances" \
  "not known before the first run: the regions and the instances to count"
[ ! -e "$t/dry" ]
[ ! -e ran ]

"$rangefinder" profile "${count[@]}" hydra.run.dir="$t/run" -- \
  "$counted" steps 20 > out 2> err
has err "counting " " of 3 regions" "(the budget is " "s to start" \
  "instances of 3 regions; planned were "
[ "$(ls "$t/run/trace/count"/*.rftrace | wc -l)" -eq 1 ]
python3 - "$t/run/ncu/regions/report.json" << 'PY'
import json
import sys

report = json.load(open(sys.argv[1]))
regions = {r["name"]: r for r in report["scopes"][0]["regions"]}
# Times are of the first run alone.
assert regions["A"]["times"]["instances"] == 20, regions["A"]["times"]
for name, value, spread in (("A", 111, 0), ("A1", 10, 0), ("B", None, 1)):
    (measured,) = regions[name]["measured"]
    assert measured["mode"] == "counters", measured
    cell = measured["metrics"]["one.sum"]
    deviation = measured["standard_deviation"]["one.sum"]
    print(name, measured["instances"], cell["value"], deviation)
    assert 1 < measured["instances"] <= 18
    assert value is None or cell["value"] == value, cell
    assert (deviation > 0) == bool(spread)
    assert measured["metrics"]["two.avg"]["value"] == 2 * cell["value"]
PY
"$rangefinder" show "$t/run" --format md > out 2> err
has out "counters, mean of " "deviation"

# One instance each: the outer region is counted in the parts around the inner.
"$rangefinder" profile "${count[@]}" hydra.run.dir="$t/one" -- \
  "$counted" steps 1 > out 2> err
has err "counting 3 instances of 3 regions"
python3 - "$t/one/ncu/regions/report.json" << 'PY'
import json
import sys

report = json.load(open(sys.argv[1]))
regions = {r["name"]: r for r in report["scopes"][0]["regions"]}
values = {name: regions[name]["measured"][0]["metrics"]["one.sum"]["value"]
          for name in ("A", "A1", "B")}
assert values == {"A": 111, "A1": 10, "B": 1000}, values
PY
