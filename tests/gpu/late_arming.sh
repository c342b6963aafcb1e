#!/usr/bin/env bash
# Whether a program that was not started armed can be armed later, without a
# debugger: it sets the variables itself, which nobody else can do for it. Takes
# a second; without a GPU, cuInit is left out.
#
#   late_arming.sh            RANGEFINDER, OUT as the other scripts have them
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
prepare
for include in /usr/local/cuda/include "${CUDA_PATH:-}/include"; do
  [[ ! -e $include/nvtx3/nvToolsExt.h ]] || nvtx=$include
done
[[ -n ${nvtx:-} ]] || skip "no headers of NVTX 3"
build() { g++ -std=c++17 -O1 -I "$nvtx" "$here/programs/late_arming.cc" -ldl "$@"; }
build -o "$out/late_arming"
build -fPIC -shared -fvisibility=default -o "$out/late_part.so"
library=${RANGEFINDER_INJECT_LIBRARY:-$(dirname "$rangefinder")/librangefinder_inject.so}
"$out/late_arming" "$(realpath "$library")" "$out/late_part.so" | tee "$out/figures.txt"
