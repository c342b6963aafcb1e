#!/usr/bin/env bash
# Packs a release for one processor into a folder: scripts/pack.sh x86_64|aarch64 FOLDER
#
#   rangefinder-VERSION-linux-ARCH.tar.gz          to unpack anywhere
#   rangefinder-VERSION-linux-ARCH.spdx.json       its bill of materials
#   rangefinder_VERSION_ARCH.deb                   needs libc6 alone
#   rangefinder-VERSION-py3-none-….whl             the Python package with the program
#   rangefinder-VERSION.tar.gz                     the Python package without it
#
# Equal bytes of the same commit, compiler and libraries, wherever the checkout is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

arch=$1
mkdir -p "$2"
out=$(realpath "$2")
case $arch in
  x86_64) build=$PWD/build/portable debian=amd64 ;;
  aarch64) build=$PWD/build/portable-aarch64 debian=arm64 ;;
  *) echo "pack: no processor $arch" >&2; exit 2 ;;
esac
sysroot=$PWD/build/sysroot/$arch

umask 022
export TZ=UTC LC_ALL=C.UTF-8
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null ||
  stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH
# No object of another commit, and no compiler cache: with a base folder (base_dir)
# ccache gives the compiler other paths, and they are in the messages of assertions.
export CCACHE_DISABLE=1
rm -rf "$build"
scripts/portable.sh "$arch"
version=$(sed -n 's/^project(rangefinder VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

# The linked libraries: of the sysroot, and the compiler's own.
linked=$build/linked.tsv
# shellcheck disable=SC2016  # dpkg-query's own variables
standard=$(dpkg-query -S "$("$arch-linux-gnu-g++-12" \
  -print-file-name=libstdc++.a | xargs realpath)" | cut -d: -f1)
{
  cat "$sysroot/packages.tsv"
  # shellcheck disable=SC2016  # dpkg-query's own variables
  dpkg-query -W -f '${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n' \
    "$standard"
} | sort >"$linked"

# The licences of what is linked into the program, as Debian has them.
{
  echo "Rangefinder is under the Apache License, version 2.0: LICENSE beside"
  echo "this file, or /usr/share/common-licenses/Apache-2.0 on Debian."
  echo
  echo "Linked into it are these packages of Debian."
  for package in "${packages_linked[@]}" "$standard"; do
    for file in {"$sysroot",}/usr/share/doc/"$package"/copyright; do
      [[ $package != lib@(gtest|gmock)-dev && -f $file ]] || continue
      printf '\n\n===== %s =====\n\n' "$package"
      cat "$file"
      break
    done
  done
} >"$build/copyright"

(cd "$build" && cpack -G DEB -B deb \
  -D CPACK_DEBIAN_PACKAGE_ARCHITECTURE="$debian" \
  -D CPACK_DEBIAN_PACKAGE_DEPENDS="libc6 (>= $glibc_floor)" >cpack.log) ||
  { cat "$build/cpack.log" >&2; exit 1; }
mv "$build"/deb/*.deb "$out/"

# The order, owners and times of the files are not this machine's.
name=rangefinder-$version-linux-$arch
stage=$build/stage/$name
cmake --install "$build" --strip --prefix "$stage" >/dev/null
tar -C "$build/stage" --sort=name --format=ustar --owner=0 --group=0 \
  --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" |
  gzip -9n >"$out/$name.tar.gz"

tools/sbom.py "$out/$name.tar.gz" "$version" "$linked" "$stage" \
  >"$out/$name.spdx.json"
tools/check_spdx.py "$out/$name.spdx.json"
scripts/wheel.sh "$stage/bin/rangefinder" \
  "$stage/lib/rangefinder/librangefinder_inject.so" "$out" \
  "$build/copyright" >&2
