#!/bin/bash
# The first bytes tell inputs that are no capture or have no end; holes cost
# nothing. Nothing hangs: 124 would be the status of `timeout`.
. "$(dirname "$0")/common.sh"

expect() {
  local want=$1 text=$2
  shift 2
  status "$want" timeout 30 "$@" > out 2> err
  has err "$text"
}

mkfifo pipe.ncu-rep
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket.ncu-rep")'
mkdir folder
truncate -s 50G zeros.ncu-rep
head -c 100000 "$fixtures/nested_basic.ncu-rep" > sparse.ncu-rep
truncate -s 50G sparse.ncu-rep
zstd -qdc "$fixtures/llm_sampled.rftrace.zst" > sparse.rftrace
truncate -s 50G sparse.rftrace

for command in show report "kernels --top 3" "filter decode"; do
  expect 2 "/dev/zero: is a device" "$rangefinder" $command /dev/zero
  expect 5 "pipe.ncu-rep: the file is empty" "$rangefinder" $command pipe.ncu-rep
  expect 2 "socket.ncu-rep: is a socket" "$rangefinder" $command socket.ncu-rep
  expect 2 "folder: no capture" "$rangefinder" $command folder
  expect 5 "zeros.ncu-rep: not a capture" "$rangefinder" $command zeros.ncu-rep
done
expect 5 "/dev/stdin: not a capture" "$rangefinder" show /dev/stdin \
  < <(cat /dev/zero 2> /dev/null)
cat "$fixtures/nested_basic.ncu-rep" |
  status 0 timeout 30 "$rangefinder" show --format csv /dev/stdin > piped.csv
"$rangefinder" show --format csv "$fixtures/nested_basic.ncu-rep" > file.csv
cmp piped.csv file.csv

# Nothing is left of a trace that ends in its header, or in its first block.
for bytes in 3000 5000; do
  head -c $bytes sparse.rftrace > cut.rftrace
  expect 5 "cut.rftrace: " "$rangefinder" show cut.rftrace
  has err "the trace ends in"
done

# A pipe that no program writes to is no empty list, and a pipe that no program
# reads from is no place to write.
for key in match accepted; do
  expect 5 "diff.$key: pipe.ncu-rep: is a pipe that no program writes to" \
    "$rangefinder" diff file.csv file.csv diff.$key=pipe.ncu-rep
done
expect 7 "pipe.ncu-rep: is a pipe that no program reads from" \
  "$rangefinder" kernels "$fixtures/nested_basic.ncu-rep" -o pipe.ncu-rep

# The data before the hole is reported, with a note of the loss.
status 0 timeout 30 "$rangefinder" show sparse.ncu-rep > out 2> err
has out "is truncated or damaged"
status 0 timeout 30 "$rangefinder" show --format csv sparse.rftrace > hole.csv
truncate -s 50M sparse.rftrace
"$rangefinder" show --format csv sparse.rftrace > file.csv
cmp hole.csv file.csv

# A run directory whose manifest is none.
mkdir -p run/ncu
mkfifo run/ncu/manifest.json
expect 5 "run/ncu/manifest.json: " "$rangefinder" show run
ln -sf /dev/zero run/ncu/manifest.json
expect 2 "run/ncu/manifest.json: is a device" "$rangefinder" show run
rm run/ncu/manifest.json
truncate -s 50G run/ncu/manifest.json
expect 5 "run/ncu/manifest.json: longer than" "$rangefinder" show run
