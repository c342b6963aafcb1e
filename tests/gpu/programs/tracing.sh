# Shared by the scripts trace_*.sh. Sourced, not run.
#
# They need a GPU, nvcc, and a build with librangefinder_inject.so and
# rangefinder_trace_summary in it (RANGEFINDER_BUILD, or build/portable or
# build/release). Where one is missing they say so and end with 77.

set -u
. "$(dirname "${BASH_SOURCE[0]}")/machine.sh"
here=$here/programs

build=${RANGEFINDER_BUILD:-}
for candidate in "$root/build/portable" "$root/build/release"; do
  [ -n "$build" ] && break
  [ -f "$candidate/librangefinder_inject.so" ] && build=$candidate
done
[ -n "$build" ] || skip "no build with librangefinder_inject.so"
library=$(readlink -f "$build/librangefinder_inject.so")
summary=$(readlink -f "$build/rangefinder_trace_summary")
[ -f "$library" ] || skip "no $build/librangefinder_inject.so"
[ -x "$summary" ] || skip "no $build/rangefinder_trace_summary"
need_gpu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# compile NAME: programs/NAME.cu into $work/NAME.
compile() {
  command -v nvcc > /dev/null || skip "no nvcc"
  nvcc -O2 -std=c++17 -arch=native -o "$work/$1" "$here/$1.cu" \
    > "$work/nvcc.log" 2>&1 ||
    nvcc -O2 -std=c++17 -o "$work/$1" "$here/$1.cu" >> "$work/nvcc.log" 2>&1 ||
    { cat "$work/nvcc.log"; skip "nvcc could not build $1.cu"; }
}

# traced MODE FOLDER PROGRAM...: runs it under the tracer.
traced() {
  local mode=$1 folder=$2
  shift 2
  rm -rf "$folder"
  mkdir -p "$folder"
  NVTX_INJECTION64_PATH=$library CUDA_INJECTION64_PATH=$library \
    RANGEFINDER_INJECT_DIR=$folder RANGEFINDER_INJECT_MODE=$mode "$@"
}

# expect WHAT FILE PATTERN: a line of the summary that must be there.
expect() {
  if grep -qE -- "$3" "$2"; then
    echo "ok      $1"
  else
    echo "FAILED  $1: no line like $3"
    failures=$((failures + 1))
  fi
}

expect_not() {
  if grep -qE -- "$3" "$2"; then
    echo "FAILED  $1: $(grep -m1 -E -- "$3" "$2")"
    failures=$((failures + 1))
  else
    echo "ok      $1"
  fi
}

check() {  # check WHAT STATUS
  if [ "$2" -eq 0 ]; then echo "ok      $1"; else
    echo "FAILED  $1 (status $2)"
    failures=$((failures + 1))
  fi
}

done_now() {
  if [ "$failures" -gt 0 ]; then
    echo "--- $failures failed; the whole summary:"
    head -60 "${1:-/dev/null}"
    exit 1
  fi
  echo "PASSED"
  exit 0
}
