#!/usr/bin/env bash
# Builds the example programs with nvcc: examples/build.sh [FOLDER]
#
# FOLDER is build/examples unless given. They are built for the GPU of this
# machine, or for CUDA_ARCH (sm_90 where there is neither). Ends with status 77
# where there is no nvcc.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${1:-$root/build/examples}

nvcc=$(command -v nvcc || true)
if [[ -z $nvcc && -x ${CUDA_HOME:-/usr/local/cuda}/bin/nvcc ]]; then
  nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
fi
if [[ -z $nvcc ]]; then
  echo "examples: nvcc was not found: put it on PATH or set CUDA_HOME" >&2
  exit 77
fi

arch=${CUDA_ARCH:-}
if [[ -z $arch ]]; then
  if nvidia-smi -L >/dev/null 2>&1; then arch=native; else arch=sm_90; fi
fi

mkdir -p "$out"
for source in "$root"/examples/*.cu; do
  program=$out/$(basename "$source" .cu)
  if [[ $program -nt $source && $program -nt $root/examples/example.h ]]; then
    continue
  fi
  echo "examples: $(basename "$program") ($arch)" >&2
  # -lineinfo lets the profiler name source lines; NVTX needs -ldl.
  "$nvcc" -arch="$arch" -O2 -std=c++17 -lineinfo -o "$program.part" "$source" \
    -ldl
  mv "$program.part" "$program"
done
