#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests that need no
# GPU: scripts/test.sh [CTEST-ARGUMENT...]. A skipped test has to say its reason.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

install_packages build test
cmake --preset release -DBUILD_TESTING=ON
cmake --build --preset release -j "$(nproc)"
ctest --preset release -LE gpu -j "$(nproc)" "$@" |
  tools/skip_reasons.py build/release/Testing/Temporary/LastTest.log
