#!/usr/bin/env bash
# Does what a new user does, in an empty Debian 12 without CUDA: the committed
# tree, scripts/demo.sh, scripts/test.sh. scripts/fresh.sh [ROOT]
#
# ROOT, where the system is made, is kept; without it, it is a folder that is
# gone at the end. Standard output has the time that each command took, by the
# clock and of the processors, and ctest's closing lines; the commands' own
# output is on standard error. Status 0: both succeeded.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh
. scripts/debian_root.sh

say() { echo "fresh: $*"; }

install_packages release || true
why=$(why_no_debian_root)
if [[ -n $why ]]; then
  say "NOT TRIED in an empty Debian 12: $why" >&2
  exit 1
fi
if (($#)); then
  root=$(realpath -m "$1")
  if [[ -e $root && -n $(ls -A "$root") ]]; then
    say "$root is not empty" >&2
    exit 2
  fi
else
  root=$(mktemp -d "${TMPDIR:-/tmp}/rangefinder-fresh.XXXXXX")
  trap 'rm -rf --one-file-system "$root"' EXIT
fi

say "making an empty Debian 12 in $root" >&2
make_debian_root "$root"
mkdir "$root/rangefinder"
git archive HEAD | tar -x -C "$root/rangefinder"
say "commit $(git rev-parse --short=12 HEAD)," \
  "Debian $(cat "$root/etc/debian_version"), $(nproc) cores"

# try COMMAND: its time, and its status.
try() {
  local status=0 log=$root/${1##*/}.log
  in_debian_root "$root" bash -c '
    cd /rangefinder
    TIMEFORMAT="%0R s, %0U + %0S s of processors"
    time "$1" 2>&1' try "$1" 2>"$root/time" | tee "$log" >&2 || status=$?
  say "$1: status $status, $(tail -n 1 "$root/time")"
  sed -n '/tests passed,/p; /did not run:/,/^$/p' "$log"
  return "$status"
}

status=0
try scripts/demo.sh || status=1
try scripts/test.sh || status=1
exit "$status"
