#!/bin/bash
# Metrics of a chip by name, with passes in both modes, without a GPU; what no
# metric matches is an answer with the nearest name.
. "$(dirname "$0")/common.sh"

status 2 "$rangefinder" counters --format yaml 2> err
has err "there are table, json"
if [ ! -e /dev/nvidia0 ]; then
  status 4 "$rangefinder" counters 2> err
  has err "rangefinder counters --chip GH100"
fi
RANGEFINDER_CUPTI_PATH=/nonexistent \
  status 4 "$rangefinder" counters --chip GH100 2> err
has err "RANGEFINDER_CUPTI_PATH" "/nonexistent"

rc=0
"$rangefinder" counters --chip GH100 > out 2> err || rc=$?
if [ $rc != 0 ]; then
  [ $rc = 4 ]
  has err CUPTI
  skip "no CUPTI here: ITS COUNTERS ARE NOT TESTED"
fi
has out "GH100, by CUPTI" "rangefinder counters 'dram__*'"
grep -q '^nvltx  *[1-9][0-9]*  *[1-9][0-9]*  bytes, ' out
[[ $(wc -L < out) -le 100 ]]

"$rangefinder" counters --chip GH100 'dram__bytes*' > out
grep -q '^dram__bytes_read  *1  *1  byte$' out
has out "# of bytes read from DRAM" ".avg .max .min .sum" ".per_second"
not grep -q sm__ out

# By a regular expression with a = in it, which is no override.
"$rangefinder" counters --chip GH100 'regex:^dram__bytes(_=)?_read$' > out
[[ $(grep -c '^dram__' out) == 1 ]]
# Not offered is a dash, and these two are not counted together.
"$rangefinder" counters --chip GH100 sm__inst_executed.sum nvltx__bytes.sum > out
has out "together: sample 1 pass, count not together"
"$rangefinder" counters --chip GH100 sm__sass_inst_executed > out
grep -q '^sm__sass_inst_executed  *-  *1  instruction$' out

"$rangefinder" counters --chip GH100 sm__inst_executed.sum dram__byte_read > out
has out "no metric of GH100 matches 'dram__byte_read'; did you mean 'dram__bytes_read'?"
"$rangefinder" counters --chip GH100 nothing > out 2> err
has out "no metric of GH100 matches 'nothing'"
status 2 "$rangefinder" counters --chip GX100 2> err
has err "'GX100'" GH100
status 2 "$rangefinder" counters --chip GH100 'regex:(' 2> err
has err "regex:("

"$rangefinder" counters --chip GH100 --format json 'dram__bytes_read*' sm__throughput > c.json
[ "$(json c.json '[m["name"] for m in d["metrics"]]')" = '["dram__bytes_read", "sm__throughput"]' ]
[ "$(json c.json 'd["metrics"][0]["sample"]["passes"]')" = 1 ]
[ "$(json c.json 'd["metrics"][1]["sample"]["passes"] > 10')" = true ]
[ "$(json c.json 'd["chip"] + " " + str(d["device"])')" = "GH100 None" ]
"$rangefinder" counters --chip GV100 --format json 'sm__inst_executed.sum' > c.json
[ "$(json c.json 'd["metrics"][0]["sample"]')" = '{"offered": false, "passes": null}' ]
"$rangefinder" counters --chip GH100 --format json > c.json
[ "$(json c.json 'len(d["metrics"]) > 3000 and "passes" not in d["metrics"][0]["sample"]')" = true ]
