#!/usr/bin/env bash
# Builds what a release ships into dist/: the program, which needs nothing but
# glibc, and the injection library. scripts/portable.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

# Prints the libraries a file needs that glibc does not bring.
foreign_libraries() {
  ldd "$1" | awk '{print $1}' |
    grep -Ev '^(linux-vdso|linux-gate|.*/ld-linux|ld-linux|statically|not)' |
    grep -Ev '^lib(c|m|dl|rt|pthread|resolv)\.so\.' || true
}

# The newest glibc version that a file asks for.
glibc_floor() {
  objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -Vu |
    tail -1
}

install_packages build
cmake --preset portable
cmake --build --preset portable -j "$(nproc)"

mkdir -p dist
for file in build/portable/rangefinder build/portable/librangefinder_inject.so
do
  [[ -f $file ]] || continue
  foreign=$(foreign_libraries "$file")
  if [[ -n $foreign ]]; then
    echo "portable: $file needs more than glibc: ${foreign//$'\n'/ }" >&2
    exit 1
  fi
  strip -o "dist/$(basename "$file")" "$file"
  tools/check_hardening.py --compiler "dist/$(basename "$file")"
  echo "portable: dist/$(basename "$file"):" \
    "$(stat -c %s "dist/$(basename "$file")") bytes," \
    "glibc $(glibc_floor "$file") or newer" >&2
done
dist/rangefinder --version
