#!/usr/bin/env bash
# The unit tests under the address and undefined behaviour sanitizers. Takes
# some ten minutes on two cores, so it is run by hand and by the workflow of
# .github, not before every change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

install_packages build test
cmake --preset dev
cmake --build --preset dev -j "$(nproc)"
ctest --preset dev -L unit -LE gpu -j "$(nproc)"
