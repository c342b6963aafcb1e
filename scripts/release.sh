#!/usr/bin/env bash
# Makes a release in dist/ and tries it: scripts/release.sh [--skip-fresh]
#
#   rangefinder-VERSION-linux-ARCH.tar.gz   to unpack anywhere
#   rangefinder_VERSION_ARCH.deb            needs libc6 alone
#   rangefinder-VERSION-py3-none-….whl      the Python package with the program
#   rangefinder-VERSION.tar.gz              the Python package without it
#   SHA256SUMS
#
# The same commit, compiler and libraries give the same bytes. The wheel is tried
# in an empty virtual environment; archive and Debian package are tried in an
# empty Debian 12, which debootstrap makes from where this machine's apt gets its
# packages; before, scripts/fresh.sh builds and tests the commit in another, which
# has to succeed (--skip-fresh leaves that out). Where none can be made the last
# line begins with "release: NOT TRIED" and says why; the packages are there, and
# the status is 0 all the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh
. scripts/debian_root.sh

say() { echo "release: $*" >&2; }

# try_packages ROOT ARCHIVE PACKAGE: in the chroot ROOT.
try_packages() {
  local root=$1 archive=$2 package=$3
  cp "$archive" "$package" "$root/tmp/"
  in_debian_root "$root" bash -euo pipefail -s -- \
    "$(basename "$archive")" "$(basename "$package")" <<'INSIDE'
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
  gzip -dc "$prefix/share/man/man1/rangefinder.1.gz" | grep -q '^\.TH RANGE'
  [[ -s $prefix/lib/rangefinder/librangefinder_inject.so ]]
  bash -n "$prefix/share/bash-completion/completions/rangefinder"
  grep -q '^name: rangefinder$' "$prefix/share/skills/rangefinder/SKILL.md"
  for file in LICENSE copyright README.md CHANGELOG.md; do
    [[ -s $share/$file ]] || { say "$share/$file is missing"; exit 1; }
  done
}

say "Debian $(cat /etc/debian_version)"
tar -xzf "$1"
try_one "/tmp/${1%.tar.gz}"
say "the archive works"
dpkg -i "$2" >/dev/null
try_one /usr
dpkg -r rangefinder >/dev/null
[[ ! -e /usr/bin/rangefinder ]]
say "the package installs, works and goes"
INSIDE
}

install_packages build wheel || exit
# For the trial alone, which says itself what it is missing.
install_packages release || true

why=$(why_no_debian_root)
if [[ -z $why && ${1:-} != --skip-fresh ]]; then
  scripts/fresh.sh >&2 || { say "scripts/fresh.sh failed, see above"; exit 1; }
fi

umask 022
export TZ=UTC LC_ALL=C.UTF-8
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null ||
  stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH

rm -rf dist
scripts/portable.sh
version=$(dist/rangefinder --version)
say "$version"
[[ $version != *-dirty* ]] || say "WARNING: there are changes not committed"

# The licences of what is linked into the program, as Debian has them.
{
  echo "Rangefinder is under the Apache License, version 2.0: LICENSE beside"
  echo "this file, or /usr/share/common-licenses/Apache-2.0 on Debian."
  echo
  echo "Linked into it are these packages of Debian."
  for package in "${packages_build[@]}" "$(dpkg-query -S \
    "$(g++ -print-file-name=libstdc++.a)" 2>/dev/null | cut -d: -f1)"; do
    file=/usr/share/doc/$package/copyright
    if [[ $package == *-dev && -f $file ]]; then
      printf '\n\n===== %s =====\n\n' "$package"
      cat "$file"
    fi
  done
} >build/portable/copyright

# The newest glibc that either file asks for.
glibc=$(for file in dist/rangefinder dist/librangefinder_inject.so; do
  objdump -T "$file"
done | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -Vu | tail -1)
rm -rf dist/* build/portable/_CPack_Packages build/portable/stage
(cd build/portable &&
  cpack -G DEB -B ../../dist \
    -D CPACK_DEBIAN_PACKAGE_DEPENDS="libc6 (>= $glibc)" >cpack.log) ||
  { cat build/portable/cpack.log >&2; exit 1; }
rm -rf dist/_CPack_Packages
package=$(ls dist/rangefinder_*.deb)

# The order, owners and times of the files are not this machine's.
name=rangefinder-$(cut -d' ' -f2 <<<"$version")-linux-$(uname -m)
cmake --install build/portable --strip --prefix "build/portable/stage/$name" \
  >/dev/null
archive=dist/$name.tar.gz
tar -C build/portable/stage --sort=name --format=ustar --owner=0 --group=0 \
  --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" |
  gzip -9n >"$archive"

stage=$PWD/build/portable/stage/$name
scripts/wheel.sh "$stage/bin/rangefinder" \
  "$stage/lib/rangefinder/librangefinder_inject.so" dist \
  build/portable/copyright >&2
RANGEFINDER=$stage/bin/rangefinder RANGEFINDER_WHEEL=$(realpath dist/*.whl) \
  /usr/bin/python3 python/tests/test_wheel.py Wheel.test_in_an_empty_environment
(cd dist && sha256sum ./*.tar.gz ./*.deb ./*.whl | sed 's|\./||' | tee SHA256SUMS)

root=
leave() { [[ -z $root ]] || rm -rf --one-file-system "$root"; }
trap leave EXIT
if [[ -z $why ]]; then
  root=$(mktemp -d "${TMPDIR:-/tmp}/rangefinder-release.XXXXXX")
  say "making an empty Debian 12 in $root"
  make_debian_root "$root" || why="no root could be made, see above"
fi
if [[ -n $why ]]; then
  say "NOT TRIED in an empty Debian 12: $why"
  exit 0
fi
try_packages "$root" "$archive" "$package"
say "done: $archive, $package"
