#!/bin/bash
# Tables: a database that other programs read, the same bytes each time.
. "$(dirname "$0")/common.sh"
capture=$fixtures/multiproc.ncu-rep

"$rangefinder" show "$capture" --format sqlite > run.sqlite 2> err
[ ! -s err ]
"$rangefinder" show "$capture" --format sqlite | cmp - run.sqlite
"$rangefinder" show "$capture" --format json > report.json

python3 - << 'PY'
import json
import sqlite3

run = sqlite3.connect("run.sqlite")
report = json.load(open("report.json"))
assert run.execute("PRAGMA integrity_check").fetchone() == ("ok",)
assert not run.execute("PRAGMA foreign_key_check").fetchall()
assert run.execute("PRAGMA user_version").fetchone() == (1,)
assert run.execute("SELECT schema FROM runs").fetchall() == [
    ("rangefinder.tables/1",)]
for scope in report["scopes"]:
    rows = run.execute(
        "SELECT region_id, gpu_ns, launches, own_launches FROM region_times "
        "WHERE scope = ? ORDER BY place", (scope["scope"],)).fetchall()
    assert rows == [
        (r["id"], r["inclusive"]["gpu_time_ns"],
         r["inclusive"]["kernel_count"], r["exclusive"]["kernel_count"])
        for r in scope["regions"]], scope["scope"]
    kernels = sum(len(r["kernels"]) for r in scope["regions"])
    assert run.execute("SELECT count(*) FROM kernels WHERE scope = ?",
                       (scope["scope"],)).fetchone() == (kernels,)
launches = report["scopes"][0]["totals"]["kernel_count"]
assert run.execute("SELECT count(*) FROM launches").fetchone() == (launches,)
# Each view can be asked for one row of each of its columns.
for name, in run.execute(
        "SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
    run.execute(f"SELECT * FROM {name}").fetchone()
PY

# Beside the other documents of a run, where it is asked for.
mkdir -p run/ncu
cp "$capture" run/ncu
"$rangefinder" report run 'report.formats=[json,sqlite]' > out 2>&1
[ "$(head -c 15 run/ncu/regions/report.sqlite)" = "SQLite format 3" ]
[ ! -e run/ncu/regions/report.md ]
# The capture is read again, not the database.
"$rangefinder" show run > out
status 6 "$rangefinder" show run.sqlite > out 2> err
has err 'docs/tables.md'

if [ -w /dev/full ]; then
  status 7 "$rangefinder" show "$capture" --format sqlite > /dev/full 2> err
fi
