#!/bin/bash
# Memory, descriptors, threads and files of an armed program in which a window
# opens again and again, with stand-ins for CUPTI and the driver. Needs the
# targets rangefinder and inject_tests of a release build.
#
#   armed_hour.sh [SECONDS=3600] [EVERY=60] [LENGTH=2] [THREADS=1]
#
# Windows with samples and with a trace alone come in turn. A line for the first
# window, for each tenth one and for the last.
set -u
seconds=${1:-3600} every=${2:-60} length=${3:-2} threads=${4:-1}
root=$(cd "$(dirname "$0")/.." && pwd)
build=${RANGEFINDER_BUILD:-$root/build/release}
folder=$(mktemp -d "${TRACE_PARENT:-/tmp}/armed_hour.XXXXXX")
export RANGEFINDER_SOCKET_DIR=$folder/sockets
export RANGEFINDER_INJECT_LIBRARY=$build/librangefinder_inject.so
mkdir -m 700 "$RANGEFINDER_SOCKET_DIR"
RANGEFINDER_CUPTI_PATH=$build/libinject_fake_cupti.so \
  FAKE_DRIVER=$build/fake_driver/libcuda.so.1 "$build/rangefinder" run -- \
  "$build/inject_ranges" live $((seconds * 1000)) "$threads" context &
pid=$!
trap 'kill $pid 2> /dev/null; rm -rf "$folder"' EXIT

look() {
  printf '%5d s  window %4d (%d failed)  RSS %6d KiB  threads %2d  descriptors %2d  sockets %d\n' \
    $((SECONDS - begun)) "$1" "$failed" \
    "$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")" \
    "$(ls "/proc/$pid/task" | wc -l)" "$(ls "/proc/$pid/fd" | wc -l)" \
    "$(ls "$RANGEFINDER_SOCKET_DIR" | wc -l)"
}

sleep 2
begun=$SECONDS failed=0
for ((window = 1; SECONDS - begun + every < seconds - 2; ++window)); do
  metrics=()
  ((window % 2)) || metrics=(pipeline.counters.enable=false)
  "$build/rangefinder" window $pid --for "${length}s" report.formats=[json] \
    hydra.run.dir="$folder/run" "${metrics[@]}" > "$folder/said" 2>&1 ||
    { ((++failed)); cat "$folder/said"; }
  rm -rf "$folder/run"
  ((window % 10 > 1)) || look $window
  rest=$((begun + window * every - SECONDS))
  ((rest <= 0)) || sleep $rest
done
look $((window - 1))
wait $pid
status=$?
echo "the program ended with status $status (4 is its own)"
[ $failed -eq 0 ] && [ $status -eq 4 ]
