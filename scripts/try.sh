#!/usr/bin/env bash
# Tries the packages in dist/ in empty roots of Debian 11 and 12:
# build/checkout/scripts/try.sh [x86_64|aarch64]..., where scripts/release.sh built them.
#
# debootstrap makes the roots from where this machine's apt gets its packages;
# programs for aarch64 run under qemu-user. Where no root can be made the last line
# begins with "release: NOT TRIED" and says why; the status is 0 all the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh
. scripts/debian_root.sh

say() { echo "release: $*" >&2; }

# try_packages ROOT ARCHIVE PACKAGE WHEEL FILE...: in the chroot ROOT; the FILEs are
# the program that is traced, its CUPTI, and what is done by the wheel.
try_packages() {
  local root=$1 archive=$2 package=$3 wheel=$4
  shift
  cp "$@" "$root/tmp/"
  in_debian_root "$root" bash -euo pipefail -s -- \
    "$(basename "$archive")" "$(basename "$package")" "$(basename "$wheel")" \
    <<'INSIDE'
cd /tmp
say() { echo "release: in the chroot: $*" >&2; }

# try_one PREFIX: what lies below it works.
try_one() {
  local prefix=$1 program=$1/bin/rangefinder
  local share=$prefix/share/doc/rangefinder status=0
  say "$("$program" --version)"
  "$program" doctor >/tmp/doctor || status=$?
  # No GPU and no ncu here: doctor says so, and ends with the status of that.
  grep -q ncu /tmp/doctor || { cat /tmp/doctor; exit 1; }
  say "doctor: status $status, $(wc -l </tmp/doctor) lines"
  "$program" report "$share/examples/nested_regions.ncu-rep" \
    hydra.run.dir=/tmp/run >/dev/null
  for file in /tmp/run/ncu/regions/report.{md,json,html}; do
    [[ -s $file ]] || { say "$file is missing"; exit 1; }
    say "$file: $(stat -c %s "$file") bytes"
  done
  rm -r /tmp/run
  # The injection library in a program, with a stand-in for CUPTI.
  RANGEFINDER_CUPTI_PATH=/tmp/libtrial_cupti.so "$program" discover \
    hydra.run.dir=/tmp/run -- /tmp/trial_program gpu 5 >/tmp/traced
  if ! grep -q '^step ' /tmp/traced || ! grep -q '5  gemm<float>' /tmp/traced; then
    cat /tmp/traced
    exit 1
  fi
  say "a traced program: $(grep -c . /tmp/traced) lines"
  rm -r /tmp/run
  # Read to its end: a pipe that closes early would be a failure.
  gzip -dc "$prefix/share/man/man1/rangefinder.1.gz" | grep -c '^\.TH RANGE' \
    >/dev/null
  [[ -s $prefix/lib/rangefinder/librangefinder_inject.so ]]
  bash -n "$prefix/share/bash-completion/completions/rangefinder"
  grep -q '^name: rangefinder$' "$prefix/share/skills/rangefinder/SKILL.md"
  for file in LICENSE copyright README.md CHANGELOG.md; do
    [[ -s $share/$file ]] || { say "$share/$file is missing"; exit 1; }
  done
}

say "Debian $(cat /etc/debian_version), $(uname -m)"
tar -xzf "$1"
try_one "/tmp/${1%.tar.gz}"
say "the archive works"
dpkg -i "$2" >/dev/null
try_one /usr
dpkg -r rangefinder >/dev/null
[[ ! -e /usr/bin/rangefinder ]]
say "the package installs, works and goes"
{ apt-get -qq update && apt-get -qq install -y --no-install-recommends \
  python3-venv; } >/tmp/apt.log 2>&1 || { cat /tmp/apt.log; exit 1; }
python3 -m venv venv
venv/bin/pip install --quiet --no-index --no-deps "$3"
venv/bin/rangefinder --version >/dev/null
venv/bin/python wheel_trial.py \
  "/tmp/${1%.tar.gz}/share/doc/rangefinder/examples/nested_regions.ncu-rep"
[[ -s venv/share/skills/rangefinder/SKILL.md ]]
say "the wheel installs and works"
INSIDE
}

# try_everywhere ARCH: in a new root of each Debian; `why` where none can be made.
try_everywhere() {
  local arch=$1 preset=portable debian=amd64 suite
  [[ $arch == x86_64 ]] || preset=portable-aarch64 debian=arm64
  cmake --build --preset "$preset" --target trial_program trial_cupti >/dev/null
  PYTHONPATH=python:python/tests PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c \
    'import test_wheel; print(test_wheel.TRIAL)' >build/wheel_trial.py
  for suite in bullseye bookworm; do
    root=$(mktemp -d "${TMPDIR:-/tmp}/rangefinder-release.XXXXXX")
    chmod 755 "$root"
    say "making an empty $suite for $arch in $root"
    make_debian_root "$root" "$suite" "$debian" ||
      { why="no root could be made, see above"; return; }
    try_packages "$root" dist/*-linux-"$arch".tar.gz dist/*_"$debian".deb \
      dist/*_"$arch".whl build/"$preset"/{trial_program,libtrial_cupti.so} \
      build/wheel_trial.py
    leave
  done
}

install_packages aarch64 release || true
why=$(why_no_debian_root)
root=
leave() { [[ -z $root ]] || rm -rf --one-file-system "$root"; }
trap leave EXIT
(($#)) || set -- x86_64 aarch64
for arch in "$@"; do
  [[ -n $why ]] || try_everywhere "$arch"
done
if [[ -n $why ]]; then
  say "NOT TRIED in an empty Debian: $why"
  exit 0
fi
say "done: the packages for $* work in Debian 11 and 12"
