#!/usr/bin/env bash
# Runs the tests for aarch64 under qemu-user: scripts/test_aarch64.sh [ARGUMENT...]
#
# The tests are built beside the program that is released, and run with the C
# library of build/sysroot/aarch64. ARGUMENTs are for ctest. Needs root, and Linux
# 6.7 or newer (scripts/emulate.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

install_packages build test aarch64
scripts/sysroot.sh aarch64
cmake --preset portable-aarch64 -D BUILD_TESTING=ON
cmake --build --preset portable-aarch64 -j "$(nproc)"

# docs/verification.md says why these are left out.
qemu=AMissingProgramIsAnErrorThatNamesIt
qemu+='|AChildWritesItsOwnFileHoweverItWasForked|AProgramEndsWithTheLastOfItsOwnThreads'
qemu+='|ManyWindowsNeedNoMoreMemory|RangesOfCtypesAreRecorded'

# The libraries for aarch64 lie beside the libraries of this machine.
# shellcheck disable=SC2016  # of the inner shell
scripts/emulate.sh bash -euo pipefail -c '
  mount -t overlay -o "lowerdir=/usr/lib:$0/usr/lib:$0/lib" none /usr/lib
  exec "$@"' "$PWD/build/sysroot/aarch64" \
  ctest --test-dir build/portable-aarch64 --output-on-failure \
  --no-tests=error -j "$(nproc)" \
  -E "^(cli|gpu|python)\.|^docs\$|\.($qemu)(/|\$)" "$@"
