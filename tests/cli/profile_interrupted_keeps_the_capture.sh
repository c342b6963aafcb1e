#!/bin/bash
. "$(dirname "$0")/common.sh"

# An asynchronous command of a script ignores SIGINT; this one must not.
python3 - "$rangefinder" "$t/run" <<'PYTHON' > out 2> err
import pathlib, signal, subprocess, sys, time
program = subprocess.Popen(
    [sys.argv[1], "profile", "pipeline.ncu.enable=true",
     "pipeline.trace.enable=false",
     "hydra.run.dir=" + sys.argv[2], "--", "sleep", "60"])
log = pathlib.Path(sys.argv[2]) / "ncu/run.log"
while not log.exists() or "- 27: 0%....50%....100%" not in log.read_text():
    time.sleep(0.1)
program.send_signal(signal.SIGINT)
sys.exit(0 if program.wait(timeout=60) == 130 else 1)
PYTHON
has err interrupted 'Ctrl-C again ends at once'
[ -s run/ncu/run.ncu-rep ]
"$rangefinder" report run > out
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 28 ]
