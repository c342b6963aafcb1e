#!/usr/bin/env bash
# From a fresh clone to a region report: installs what is missing, builds, and
# does the main job. With a GPU and nvcc, or an example that is built already, it
# profiles an example program live: by ncu where that is installed, else by
# samples of the GPU's counters. Otherwise it reports a bundled run of a PyTorch
# model that decodes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

say() { echo "demo: $*" >&2; }

example=$PWD/build/examples/nested_regions

# Why this machine cannot profile; nothing where it can.
obstacle() {
  if ! nvidia-smi -L >/dev/null 2>&1; then
    echo "no NVIDIA GPU"
  elif ! examples/build.sh build/examples >&2 && [[ ! -x $example ]]; then
    echo "no CUDA compiler that builds the examples"
  fi
}

install_packages build
# The tests need more packages than the program: a new build leaves them out.
tests=()
[[ -f build/release/CMakeCache.txt ]] || tests=(-DBUILD_TESTING=OFF)
cmake --preset release "${tests[@]}" >/dev/null
cmake --build --preset release -j "$(nproc)" \
  --target rangefinder rangefinder_inject >&2

rangefinder=build/release/rangefinder
run_dir=$PWD/tmp/profile-output/$(date +%Y%m%d-%H%M%S)
shown=$run_dir

why=$(obstacle)
if [[ -z $why ]]; then
  by=samples
  if command -v ncu >/dev/null; then by=ncu; fi
  say "profiling examples/nested_regions.cu live, by $by"
  wanted=()
  if [[ $by == ncu ]]; then wanted=(pipeline.ncu.enable=true); fi
  status=0
  "$rangefinder" profile "${wanted[@]}" hydra.run.dir="$run_dir" \
    -- "$example" || status=$?
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
