#!/bin/bash
. "$(dirname "$0")/common.sh"

# Ctrl-C while captures are read and reports are written ends it there: what is
# there under its own name is whole, and nothing else is left.

# One report forty times over: a file header of 10 bytes, then blocks.
python3 - "$fixtures/nested_basic.ncu-rep" <<'PYTHON' > large.ncu-rep
import sys
report = open(sys.argv[1], "rb").read()
sys.stdout.buffer.write(report[:10] + 40 * report[10:])
PYTHON

# interrupted PATTERN SECONDS FOLDER COMMAND…: Ctrl-C once files of the pattern
# are there, or so much later.
# An asynchronous command of a script ignores SIGINT; this one must not.
interrupted() {
  python3 - "$@" <<'PYTHON' > out 2> err
import glob, json, pathlib, signal, subprocess, sys, time
pattern, seconds, folder, *command = sys.argv[1:]
program = subprocess.Popen(command)
while not glob.glob(pattern) and program.poll() is None:
    time.sleep(0.001)
time.sleep(float(seconds))
program.send_signal(signal.SIGINT)
status = program.wait(timeout=60)
files = [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]
for path in files:
    if path.suffix == ".json":
        json.loads(path.read_text())
    elif path.suffix == ".html":
        assert path.read_text().endswith("</html>\n"), path
    # A temporary name is the name and more.
    assert path.suffix in (".md", ".json", ".html", ".csv", ".txt", ".yaml",
                           ".ncu-rep", ".log"), path
sys.exit(status)
PYTHON
}

# While it writes, and while it reads.
status 130 interrupted 'written/ncu/regions/*' 0 written \
  "$rangefinder" report large.ncu-rep hydra.run.dir=written
has err 'rangefinder: interrupted'
status 130 interrupted large.ncu-rep 0.1 read \
  "$rangefinder" report large.ncu-rep hydra.run.dir=read

# A profile is reported when all of it is captured and written down.
export FAKE_NCU_REPORT=$PWD/large.ncu-rep
status 130 interrupted 'run/ncu/log.txt' 0 run \
  "$rangefinder" profile pipeline.ncu.enable=true pipeline.trace.enable=false \
  hydra.run.dir=run -- sleep 0
[ -s run/ncu/manifest.json ]
"$rangefinder" report run report.formats=[md] > out 2> err
[ -s run/ncu/regions/report.md ]
