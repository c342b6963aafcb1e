#!/usr/bin/env bash
# Builds what a release ships: the program, which needs nothing but glibc, and the
# injection library. scripts/portable.sh [x86_64|aarch64]
#
# Into dist/; for the other processor than x86_64, into dist/aarch64/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

arch=${1:-x86_64}
preset=portable out=dist groups=(build)
if [[ $arch == aarch64 ]]; then
  preset=portable-aarch64 out=dist/aarch64 groups+=(aarch64)
fi
install_packages "${groups[@]}"
scripts/sysroot.sh "$arch"
cmake --preset "$preset"
cmake --build --preset "$preset" -j "$(nproc)"

mkdir -p "$out"
for name in rangefinder librangefinder_inject.so; do
  "$arch-linux-gnu-strip" -o "$out/$name" "build/$preset/$name"
  tools/check_hardening.py --released "$glibc_floor" "$out/$name"
  echo "portable: $out/$name: $(stat -c %s "$out/$name") bytes" >&2
done
