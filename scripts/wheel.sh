#!/usr/bin/env bash
# Makes the Python wheel with the program inside, and the source archive without
# it: scripts/wheel.sh PROGRAM INJECTION_LIBRARY FOLDER [COPYRIGHT]
#
# COPYRIGHT has the licences of the libraries that PROGRAM holds. Debian's
# python3-build, setuptools and wheel do it, without a network. Equal input and
# SOURCE_DATE_EPOCH give equal bytes.
set -euo pipefail
program=$(realpath "$1") library=$(realpath "$2")
mkdir -p "$3"
folder=$(realpath "$3") copyright=${4:+$(realpath "$4")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=python3
[[ ! -x /usr/bin/python3 ]] || python=/usr/bin/python3

umask 022
export TZ=UTC LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null ||
  stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH

work=$(mktemp -d "${TMPDIR:-/tmp}/rangefinder-wheel.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/python/rangefinder" "$work/out"
cp python/{pyproject.toml,setup.py,README.md} LICENSE \
  share/skills/rangefinder/SKILL.md "$work/python/"
cp python/rangefinder/{*.py,py.typed} "$work/python/rangefinder/"

# build KIND: quiet unless it fails.
build() {
  "$python" -m build --no-isolation "--$1" --outdir "$work/out" \
    "$work/python" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
}
build sdist
# Its order, owners and times are this machine's.
sdist=$(basename "$work"/out/*.tar.gz)
tar -C "$work" -xzf "$work/out/$sdist"
tar -C "$work" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner \
  --mode=u+w,go-w --mtime="@$SOURCE_DATE_EPOCH" -cf - "${sdist%.tar.gz}" |
  gzip -9n >"$folder/$sdist"

mkdir "$work/python/rangefinder/bin"
install -m 755 "$program" "$library" "$work/python/rangefinder/bin/"
[[ -z $copyright ]] || cp "$copyright" "$work/python/COPYING.libraries"
build wheel
cp "$work"/out/*.whl "$folder/"
ls "$folder/$sdist" "$folder/$(basename "$work"/out/*.whl)"
