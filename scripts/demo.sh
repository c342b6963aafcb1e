#!/usr/bin/env bash
# From a fresh clone to a region report: installs what is missing, builds, and
# does the main job. With a GPU, ncu and nvcc it profiles an example program
# live; otherwise it reports a bundled run of a PyTorch model that decodes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

say() { echo "demo: $*" >&2; }

# Why this machine cannot profile; nothing where it can.
obstacle() {
  if ! nvidia-smi -L >/dev/null 2>&1; then
    echo "no NVIDIA GPU"
  elif ! command -v ncu >/dev/null; then
    echo "no ncu on PATH"
  elif ! examples/build.sh build/examples >&2; then
    echo "no CUDA compiler that builds the examples"
  fi
}

install_packages build
# The tests need more packages than the program: a new build leaves them out.
tests=()
[[ -f build/release/CMakeCache.txt ]] || tests=(-DBUILD_TESTING=OFF)
cmake --preset release "${tests[@]}" >/dev/null
targets=(rangefinder)
if cmake --build --preset release --target help | grep -q '^rangefinder_inject:'
then
  targets+=(rangefinder_inject)
fi
cmake --build --preset release -j "$(nproc)" --target "${targets[@]}" >&2

rangefinder=build/release/rangefinder
run_dir=$PWD/tmp/profile-output/$(date +%Y%m%d-%H%M%S)
shown=$run_dir

why=$(obstacle)
if [[ -z $why ]]; then
  say "profiling examples/nested_regions.cu on this machine's GPU"
  status=0
  "$rangefinder" profile pipeline.ncu.enable=true hydra.run.dir="$run_dir" \
    -- "$PWD/build/examples/nested_regions" || status=$?
  if ((status)); then
    why="profiling ended with status $status, see above"
    run_dir+=-bundled
  fi
fi
if [[ -n $why ]]; then
  say "$why: reporting a recorded capture instead"
  shown=tests/fixtures/llm_sampled.rftrace.zst
  "$rangefinder" report "$shown" hydra.run.dir="$run_dir" >/dev/null
fi

"$rangefinder" show "$shown" --top 12

say "the report is in $run_dir/ncu/regions:"
for format in md json html; do
  report=$run_dir/ncu/regions/report.$format
  if [[ -f $report ]]; then say "  $report"; fi
done
