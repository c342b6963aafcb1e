#!/bin/bash
# `serve` says what is wrong with its words before it serves anything.
. "$(dirname "$0")/common.sh"
status 2 "$rangefinder" serve 2> err
has err "serve needs the PID of an armed process"
status 2 "$rangefinder" serve 1 1 2> err
has err "a RUN is named twice"
for address in 9760 :9760 127.0.0.1 127.0.0.1:65536 ::1:80 example.org:80 'me:secret@127.0.0.1:80'; do
  status 2 "$rangefinder" serve 1 --listen "$address" 2> err
  has err "expected an address and a port"
done
status 2 "$rangefinder" serve 1 --every soon 2> err
has err "--every soon: expected a time"
status 2 "$rangefinder" serve 1 --window 0s 2> err
has err "--window 0s: expected a time"
status 2 "$rangefinder" serve 1 --window 2m 2> err
has err "--window 2m is longer than --every 60s"
status 2 "$rangefinder" serve 1 regions.warmpu=off 2> err
has err "regions.warmup"
touch file
# In the words of `window`.
python3 -c 'import subprocess, time
child = subprocess.Popen(["true"])  # kept: its end would ask for the status
print(child.pid, flush=True)
time.sleep(60)' > ended &
parent=$!
until [[ -s ended && $(< "/proc/$(< ended)/stat") == *") Z "* ]]; do
  sleep 0.05
done
for run in nofile 4194305 4294967297 ./nofile ./file "$(< ended)"; do
  status 2 "$rangefinder" window "$run" 2> window
  not grep -qE 'next: *$' window
  for words in "$run" "1 $run"; do
    status 2 timeout 60 "$rangefinder" serve $words --listen 127.0.0.1:0 hydra.run.dir=none 2> err
    cmp window err
    [ ! -e none ]
  done
done
kill "$parent"
status 7 "$rangefinder" serve 1 --listen 127.0.0.1:0 hydra.run.dir=file/below 2> err
not grep -q "serving" err
