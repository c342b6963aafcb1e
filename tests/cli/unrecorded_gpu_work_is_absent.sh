#!/bin/bash
# GPU work that was not recorded is absent: no 0 launches, no idle GPU, and no
# change beside a run that recorded it.
. "$(dirname "$0")/common.sh"

build=${RANGEFINDER_BUILD:-$source_dir/build/release}
[ -x "$build/trace_from_text" ] || skip "no $build/trace_from_text"

python3 - << 'PY'
import sqlite3
for name, kernels in ("ranges", False), ("all", True):
    db = sqlite3.connect(name + ".sqlite")
    db.execute("""CREATE TABLE NVTX_EVENTS (start, end, eventType, rangeId, text, textId,
                  globalTid, domainId)""")
    db.execute("CREATE TABLE StringIds (id, value)")
    db.execute("INSERT INTO StringIds VALUES (1, 'gemm')")
    thread = 7 << 24 | 11
    for i in range(6):
        db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, NULL, 'step', NULL, ?, 0)",
                   (i * 1000, i * 1000 + 900, thread))
    if kernels:
        db.execute("""CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId,
                      streamId, correlationId, globalPid, demangledName, shortName)""")
        db.execute("""CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid,
                      correlationId, nameId, returnValue)""")
        for i in range(6):
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, 1, 0)",
                       (i * 1000 + 10, i * 1000 + 20, thread, i + 1))
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, 1, 1)",
                       (i * 1000 + 100, i * 1000 + 600, i + 1, 7 << 24))
    db.commit()
PY
"$rangefinder" show ranges.sqlite > out 2>&1
has out "measurements tell; GPU work" "aggregate  GPU work was not recorded" "step"
not grep -qF -e "100.0 %" -e "0 kernels" -e "no kernel was launched" out
"$rangefinder" show --quiet --format json ranges.sqlite > run.json
[ "$(json run.json '[[r["times"]["gpu"], r["summary"]["reason"], r["summary"]["launches"]]
  for r in d["scopes"][0]["regions"]]')" = '[[null, "GPU work was not recorded", null]]' ]
"$rangefinder" show --quiet --format sqlite ranges.sqlite > run.db
[ "$(python3 -c 'import sqlite3
print(sqlite3.connect("run.db").execute("SELECT launches, copies FROM scope_regions").fetchall())')" = \
  "[(None, None)]" ]
"$rangefinder" report --quiet ranges.sqlite -o written
# The same from the report.
"$rangefinder" show written/ncu/regions/report.json > out 2>&1
has out "GPU work was not recorded"
not grep -qF -e "100.0 %" out
"$rangefinder" summarize --quiet ranges.sqlite -o ranges.rfsum
"$rangefinder" show ranges.rfsum > out 2>&1
has out "GPU work was not recorded"
for base in ranges.sqlite written/ncu/regions/report.json ranges.rfsum; do
  "$rangefinder" diff $base all.sqlite > out 2>&1
  has out "The base has no GPU time of the whole run"
  not grep -qF -e "Certain changes" -e "more launch" -e "Contributions" out
done
# Nothing was held against anything.
status 2 "$rangefinder" diff --gate all.sqlite ranges.sqlite > out 2> err
has err "no region has a GPU time or a counter on both sides"

# A process that recorded its GPU work says nothing of another one.
for files in "ranges.sqlite all.sqlite" "all.sqlite ranges.sqlite" \
  "ranges.sqlite $fixtures/nested_basic.ncu-rep"; do
  # shellcheck disable=SC2086
  "$rangefinder" explain $files > out 2>&1
  not grep -qF "idles" out
done

# Where the GPU was traced and had nothing to do, this is known.
"$build/trace_from_text" > idle.rftrace << 'T'
process pid=7
10 push step
90 pop
T
"$rangefinder" show --quiet --format json idle.rftrace > run.json
[ "$(json run.json 'd["scopes"][0]["regions"][0]["summary"]["launches"]')" = 0 ]
"$rangefinder" summarize --quiet idle.rftrace -o idle.rfsum
"$rangefinder" show idle.rfsum > out 2>&1
not grep -qF "not recorded" out

# A summary knows no GPU work of a range that adopts other threads' work.
cat > text << 'T'
process pid=7 exe=/usr/bin/app
gpu 0 NVIDIA_H200
thread 7
10 push step
500 push backward
800 pop
810 push log
1900 pop
2000 pop
thread 11
510 launch 2
520 launched
kernel grad 820-1880 of=2 grid=1056 block=256
T
sed 's/pid=7/pid=8 rank=1/' text > text1
"$build/trace_from_text" < text > adopt.rftrace
"$build/trace_from_text" < text1 > other.rftrace
"$rangefinder" summarize --quiet adopt.rftrace -o adopt.rfsum regions.threads=adopt
"$rangefinder" summarize --quiet other.rftrace -o own.rfsum
"$rangefinder" merge --quiet adopt.rfsum own.rfsum -o both.rfsum
unknown='[["/".join(r["path"]), r["times"]["gpu_ns"]["instances"]]
  for r in d["scopes"][0]["regions"] if r["path"] and r["times"]["gpu"] is None]'
for file in "adopt.rftrace regions.threads=adopt" adopt.rfsum both.rfsum; do
  # shellcheck disable=SC2086 # A file, and its setting.
  "$rangefinder" show --quiet --format json $file > run.json
  [ "$(json run.json "$unknown")" = '[["step", 0], ["step/backward", 0]]' ]
done
