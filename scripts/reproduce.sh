#!/usr/bin/env bash
# Shows that a release is the same bytes again:
# scripts/reproduce.sh FOLDER [x86_64|aarch64]
#
# FOLDER has what scripts/release.sh left for the commit that is checked out. The
# commit is cloned into another folder, built there, and packed; each file, or each
# of one processor, has to have the sum that FOLDER's SHA256SUMS says.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
sums=$(realpath "$1")/SHA256SUMS
arch=${2:-}
other=$(mktemp -d "${TMPDIR:-/tmp}/rangefinder-once-more.XXXXXX")
trap 'rm -rf "$other"' EXIT
git clone --quiet . "$other/elsewhere"
cd "$other/elsewhere"
if [[ -z $arch ]]; then
  scripts/release.sh --pack-only >&2
  diff "$sums" dist/SHA256SUMS
else
  scripts/pack.sh "$arch" dist >&2
  (cd dist && sha256sum --check --ignore-missing "$sums")
fi
echo "reproduce: the files of commit $(git rev-parse --short=12 HEAD) are the same" \
  "from another folder${arch:+, for $arch}"
