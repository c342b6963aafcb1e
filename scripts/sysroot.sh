#!/usr/bin/env bash
# Makes the folder that the portable build compiles against, with what a release
# links: scripts/sysroot.sh x86_64|aarch64
#
# build/sysroot/ARCH has the C library of Debian 11, whose version is the oldest
# that the files run with, and all other libraries of Debian 12, as archives. The
# packages are unpacked and not installed, so that each processor's go beside the
# other's, without root. apt checks their signatures; they come from where this
# machine's apt gets Debian 12. build/sysroot/ARCH/packages.tsv lists them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh
. scripts/debian_root.sh

arch=$1
case $arch in
  x86_64) debian=amd64 ;;
  aarch64) debian=arm64 ;;
  *) echo "sysroot: no processor $arch" >&2; exit 2 ;;
esac
root=$PWD/build/sysroot/$arch
triplet=$arch-linux-gnu
wanted="${packages_floor[*]} / ${packages_linked[*]} /
$(cat scripts/sysroot.sh cmake/glibc_2_31.cc | sha256sum)"
[[ $(cat "$root/wanted" 2>/dev/null) != "$wanted" ]] || exit 0

mirror=$(debian_mirror)
if [[ -z $mirror ]]; then
  echo "sysroot: apt has no Debian 12 (bookworm) here: run it on Debian 12" >&2
  exit 1
fi
rm -rf "$root"
mkdir -p "$root"/apt/{state/lists/partial,cache/archives/partial}
: >"$root/apt/status"
{
  echo "deb $mirror bullseye main"
  debian_indexes | sed 's/^/deb /'
} >"$root/apt/sources.list"
# Release files are read with the keys of this machine.
apt=(-qq -o Dir::State="$root/apt/state" -o Dir::State::status="$root/apt/status"
  -o Dir::Cache="$root/apt/cache" -o Dir::Etc::sourceparts=-
  -o Dir::Etc::sourcelist="$root/apt/sources.list" -o APT::Sandbox::User=
  -o APT::Architecture="$debian" -o APT::Architectures="$debian"
  -o Acquire::Languages=none)
apt-get "${apt[@]}" update
mkdir "$root/debs"
(cd "$root/debs" && apt-get "${apt[@]}" download \
  "${packages_floor[@]/%//bullseye}" "${packages_linked[@]}")

for deb in "$root"/debs/*.deb; do
  dpkg-deb --extract "$deb" "$root"
  # shellcheck disable=SC2016  # dpkg-deb's own variables
  dpkg-deb --show --showformat \
    '${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n' \
    "$deb"
done >"$root/packages.tsv"
# Absolute links would lead out of the folder.
find "$root" -type l -lname '/*' -printf '%p\t%l\n' |
  while IFS=$'\t' read -r link target; do
    ln -sfr "$root$target" "$link"
  done
# Libraries of Debian 12's compiler need newer symbols of glibc. Its unwinder
# needs symbols of 2.35: the unwinder of Debian 11's compiler replaces it.
# libstdc++.a gets the few symbols that it needs.
lib=$root/usr/lib/$triplet
mv "$root/usr/lib/gcc/$triplet/10/libgcc_eh.a" "$lib/"
cp "$("$triplet-g++-12" -print-file-name=libstdc++.a)" "$lib/"
"$triplet-g++-12" -O2 -fPIC -c cmake/glibc_2_31.cc -o "$root/glibc_2_31.o"
"$triplet-ar" rD "$lib/libstdc++.a" "$root/glibc_2_31.o"
rm -r "$root"/{apt,debs,glibc_2_31.o,usr/lib/gcc}
echo "$wanted" >"$root/wanted"
