#!/bin/bash
# Tables of a job of ranks, from their traces and from their merged summary: who
# is late, and what each rank did.
. "$(dirname "$0")/common.sh"
ranks_of_a_job 12
"$rangefinder" show runs/*.rftrace --format sqlite > traces.sqlite
"$rangefinder" show one --format sqlite > summary.sqlite

python3 - << 'PY'
import sqlite3

answers = []
for name in ("traces.sqlite", "summary.sqlite"):
    run = sqlite3.connect(name)
    assert not run.execute("PRAGMA foreign_key_check").fetchall()
    assert run.execute("SELECT rank FROM ranks ORDER BY rank").fetchall() == [
        (rank,) for rank in range(12)]
    late = run.execute(
        "SELECT region, rank, reason, where_region FROM late_ranks "
        "JOIN ranks USING (rank_id)").fetchall()
    assert ("decode", 2, "compute", "decode/mlp") in late, late
    # Nobody waits less than the one who is waited for.
    waiting = run.execute(
        "SELECT rank, waiting_ns FROM rank_times WHERE region IS NULL "
        "ORDER BY waiting_ns").fetchall()
    assert waiting[0][0] == 2 and waiting[1][1] > 10 * waiting[0][1], waiting
    answers.append(run.execute(
        "SELECT region, rank, instances, kernels, compute_ns, exposed_ns, "
        "waiting_ns FROM rank_times ORDER BY region, rank").fetchall())
    totals = run.execute(
        "SELECT region, launches, gpu_ns, instances FROM region_times "
        "WHERE scope = 'aggregate' ORDER BY region").fetchall()
    answers.append(totals)
assert answers[0] == answers[2] and answers[1] == answers[3]
PY
