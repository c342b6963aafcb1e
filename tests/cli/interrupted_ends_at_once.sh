#!/bin/bash
. "$(dirname "$0")/common.sh"

# Ctrl-C while captures are read and reports are written ends the command: every
# file under its own name is whole, and no other file is left.

# One report forty times over: a file header of 10 bytes, then blocks.
python3 - "$fixtures/nested_basic.ncu-rep" <<'PYTHON' > large.ncu-rep
import sys
report = open(sys.argv[1], "rb").read()
sys.stdout.buffer.write(report[:10] + 40 * report[10:])
PYTHON

# `interrupted PATTERN FOLDER COMMAND…`: Ctrl-C once there are files of the
# pattern; status 130, and every file below FOLDER is whole. A command that was
# faster than the signal is run again.
# An asynchronous command of a script ignores SIGINT; this one must not.
interrupted() {
  local try got
  for try in {1..20}; do
    rm -rf "$2"
    got=0
    python3 - "$@" <<'PYTHON' > out 2> err || got=$?
import glob, json, pathlib, signal, subprocess, sys, time
pattern, folder, *command = sys.argv[1:]
program = subprocess.Popen(command)
while not glob.glob(pattern) and program.poll() is None:
    time.sleep(0.001)
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
    [ "$got" = 0 ] || break
  done
  if [ "$got" != 130 ]; then
    echo "exit status $got, not 130, in try $try" >&2
    return 1
  fi
}

# While it writes files.
interrupted 'written/ncu/regions/*' written \
  "$rangefinder" report large.ncu-rep hydra.run.dir=written
has err 'rangefinder: interrupted'

# While it reads a pipe that has no end, and while it writes into a pipe that
# nobody empties: it can do nothing else.
mkfifo pipe.ncu-rep
for command in "show pipe.ncu-rep" "show --format json large.ncu-rep"; do
  python3 - "$rangefinder" $command <<'PYTHON' 2> err
import signal, subprocess, sys
program = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
if "pipe.ncu-rep" in sys.argv:
    with open("pipe.ncu-rep", "wb", buffering=0) as pipe:
        pipe.write(open("large.ncu-rep", "rb").read(300000))
        program.send_signal(signal.SIGINT)
        status = program.wait(timeout=60)
else:
    assert program.stdout.read(1)
    program.send_signal(signal.SIGINT)
    status = program.wait(timeout=60)
assert status == 130, status
PYTHON
  has err 'rangefinder: interrupted'
done

# A profile is reported when all of it is captured and written down.
export FAKE_NCU_REPORT=$PWD/large.ncu-rep
interrupted 'run/ncu/log.txt' run \
  "$rangefinder" profile pipeline.ncu.enable=true pipeline.trace.enable=false \
  hydra.run.dir=run -- true
[ -s run/ncu/manifest.json ]
"$rangefinder" report run report.formats=[md] > out 2> err
[ -s run/ncu/regions/report.md ]
