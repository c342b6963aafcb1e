# For every script of this folder: $rangefinder, the program; $fixtures, the
# recorded captures; $t, a fresh folder that is gone at the end.
# shellcheck shell=bash disable=SC2034
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rangefinder=${RANGEFINDER:?the program to test}
fixtures=$here/../fixtures
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT

# not COMMAND...: succeeds where it fails.
not() {
  if "$@"; then
    echo "succeeded, and should not have: $*" >&2
    return 1
  fi
}

# skip WHY: loudly.
skip() {
  echo "SKIPPED: $*" >&2
  exit 77
}
