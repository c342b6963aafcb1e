#!/bin/bash
# `run` starts a program armed, `window` measures a part of it, twice; the
# program is what it is without them.
. "$(dirname "$0")/common.sh"
needs_tracer

export RANGEFINDER_SOCKET_DIR=$t/sockets
status 0 "$rangefinder" run --print-env > variables
has variables "RANGEFINDER_INJECT_MODE=armed" "NVTX_INJECTION64_PATH=/"

# Its status, and its arguments as they are.
status 7 "$rangefinder" run -- sh -c 'printf "%s|" "$@"; exit 7' sh 'a b' '' '*' > out
[[ $(< out) = 'a b||*|' ]]
status 2 "$rangefinder" run -- ./none 2> err
has err "there is no program ./none"
status 2 "$rangefinder" run 2> err
has err "no program to profile"

"$rangefinder" run -- "$ranges" live 30000 2 &
server=$!
until [[ -S sockets/$server.sock ]]; do sleep 0.05; done

status 0 "$rangefinder" window "$server" --dry-run > out
has out "a window in 1 process, for 10 s" "$server.sock"
status 0 "$rangefinder" window "$server" --for 0.2s hydra.run.dir=one > out 2> err
has err "the window is open"
has out "step" "forward"
[[ -s one/ncu/regions/report.html && $(echo one/trace/*.rftrace | wc -w) = 1 ]]
not grep -q "not closed\|never closed" out
status 0 "$rangefinder" window "sockets/$server.sock" --instances serve/step:100 \
  hydra.run.dir=two report.formats='[json]' > out 2> err
grep -q '"step"' two/ncu/regions/report.json
not grep -q "the window ended before" err
# A region that never occurs does not end the window, and this is said.
status 0 "$rangefinder" window "$server" --instances nosuch:3 --for 0.3s \
  hydra.run.dir=never report.formats='[json]' > out 2> err
has err "warning: the window ended before nosuch:3"
status 0 "$rangefinder" window "$server" --instances serve/step:999999999 \
  --for 0.3s hydra.run.dir=soon report.formats='[json]' > out 2> err
grep -qE "ended before serve/step:999999999" err
# A report that is made again is the same.
status 0 "$rangefinder" show one > again
has again "forward"

# Bad words.
status 2 "$rangefinder" window 2> err
has err "window needs one process"
status 2 "$rangefinder" window "$server" --for soon 2> err
has err "--for soon: expected a time"
status 2 "$rangefinder" window "$server" --instances step 2> err
has err "--instances step: expected REGION:N"
sleep 60 &
status 2 "$rangefinder" window $! 2> err
kill $!
has err "it was not started armed" "rangefinder run -- PROGRAM"
status 2 "$rangefinder" window 4194305 2> err
has err "there is no such process"
python3 -c 'import subprocess, time
child = subprocess.Popen(["true"])  # kept: its end would ask for the status
print(child.pid, flush=True)
time.sleep(60)' > ended &
until [[ -s ended && $(< "/proc/$(< ended)/stat") == *") Z "* ]]; do
  sleep 0.05
done
status 2 "$rangefinder" window "$(< ended)" 2> err
kill $!
has err "it has ended"
status 2 "$rangefinder" window server 2> err
has err "neither the number of a process nor the path of its socket"

# Interrupted: what the window had is reported.
"$rangefinder" window "$server" --for 60s hydra.run.dir=three > out 2> err &
window=$!
until grep -q "the window is open" err; do sleep 0.05; done
sleep 0.3
kill -TERM "$window"
wait "$window" && exit 1 || [[ $? = 130 ]]
has out "step"

kill -9 "$server"
wait "$server" 2> /dev/null || true
status 2 "$rangefinder" window "sockets/$server.sock" 2> err
has err "no process listens on"

# Exact counts: a window that is traced, a plan, and a window that counts; again,
# after one of samples.
build=${RANGEFINDER_BUILD:-$source_dir/build/release}
export RANGEFINDER_CUPTI_PATH=$build/libinject_fake_cupti.so
export FAKE_DRIVER=$build/fake_driver/libcuda.so.1
for needed in "$RANGEFINDER_CUPTI_PATH" "$FAKE_DRIVER"; do
  [ -e "$needed" ] || skip "no $needed: NOTHING IS COUNTED"
done
count=(pipeline.counters.mode=count 'pipeline.counters.metrics=[one.sum]')
"$rangefinder" run -- "$ranges" live 60000 1 context &
server=$!
until [[ -S sockets/$server.sock ]]; do sleep 0.05; done
status 0 "$rangefinder" window "$server" --dry-run "${count[@]}" > out
has out "a window in 1 process, for 10 s: regions, times and kernels; then once" \
  "more, to count"
for run in first samples second; do
  words=("${count[@]}")
  [[ $run != samples ]] || words=('pipeline.counters.metrics=[one.sum]')
  status 0 "$rangefinder" window "$server" --for 1s hydra.run.dir=$run \
    report.formats='[json]' "${words[@]}" > out 2> err
  [[ $run != samples ]] || continue
  has err "counting " "instances of 1 region"
  has $run/ncu/regions/report.json "ms to begin)"
  python3 - $run/ncu/regions/report.json << 'PY'
import json
import sys

report = json.load(open(sys.argv[1]))
regions = {r["name"]: r for r in report["scopes"][0]["regions"]}
(measured,) = regions["step"]["measured"]
assert measured["mode"] == "counters", measured
assert measured["metrics"]["one.sum"]["value"] == 7, measured
assert measured["instances"] > 10, measured
assert regions["step"]["times"]["instances"] > 100
PY
done
kill -9 "$server"

# Counters that cannot be had, in either way, while another profiler runs.
cp "$(type -P sleep)" dcgmi
./dcgmi 600 &
other=$!
for mode in count sample; do
  FAKE_RANGES=start=26 FAKE_SAMPLING=start=26 "$rangefinder" run -- \
    "$ranges" live 60000 1 context &
  server=$!
  until [[ -S sockets/$server.sock ]]; do sleep 0.05; done
  status 0 "$rangefinder" window "$server" --for 0.5s hydra.run.dir=held-$mode \
    report.formats='[json]' 'pipeline.counters.metrics=[one.sum]' \
    pipeline.counters.mode=$mode > out 2> err
  has err "counters are missing, and other profilers run here:" "dcgmi ($other)"
  kill -9 "$server"
done
kill "$other"
