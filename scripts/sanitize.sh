#!/usr/bin/env bash
# The unit tests and those of whole reports under the address and undefined
# behaviour sanitizers; the tracer's run under TSan as well. From an empty cache
# the build takes some forty minutes of processor time, so this is run by hand
# and by the workflow of .github, not before every change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

install_packages build test
cmake --preset dev
cmake --build --preset dev -j "$(nproc)"
ctest --preset dev -L 'unit|golden' -LE gpu -j "$(nproc)"
