#!/usr/bin/env bash
# All tests that need no GPU under the address and undefined behaviour
# sanitizers: the test programs of each module, whole reports, the fuzzers' corpora and
# mutants, the command line; the tracer's under TSan as well, which carries no
# sanitizer into programs that were not built for it. Without the simulations of
# Coverage, which take hours there: other tests run the same code. From an empty
# cache the build takes more than an hour of processor time, so this is run by
# hand and by the workflow of .github, not before every change.
# scripts/sanitize.sh [CTEST-ARGUMENT...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

install_packages build test
cmake --preset dev -DCMAKE_UNITY_BUILD=ON
cmake --build --preset dev -j "$(nproc)"
ctest --preset dev -LE gpu -E '^Coverage\.' -j "$(nproc)" "$@"
