#!/usr/bin/env bash
# Makes a release in dist/ and tries it:
# scripts/release.sh [--skip-fresh | --pack-only]
#
# For x86_64 and aarch64 what scripts/pack.sh makes, and
#
#   conda/meta.yaml    the recipe with which conda-build packs the archives
#   Containerfile      an image for GPU machines, made with the Debian packages
#   SHA256SUMS
#
# They are built in build/checkout, a new clone of the commit: without objects of
# another commit, and without edits. The same commit, compiler and libraries give
# the same bytes; scripts/reproduce.sh dist shows that. build/checkout/scripts/try.sh
# then tries the packages in empty roots of Debian 11 and 12; before,
# scripts/fresh.sh builds and tests the commit in an empty Debian 12, which has to
# succeed (--skip-fresh leaves that out, and --pack-only every trial). Where no root
# can be made the last line begins with "release: NOT TRIED" and says why; the
# packages are there, and the status is 0 all the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh
. scripts/debian_root.sh

say() { echo "release: $*" >&2; }

case ${1:-} in
  '' | --skip-fresh | --pack-only) ;;
  *) echo "release: what is $1?" >&2; exit 2 ;;
esac
install_packages build wheel aarch64 || exit
# For the trial alone, which says itself what it is missing.
install_packages release || true

why=$(why_no_debian_root)
if [[ -z $why && -z ${1:-} ]]; then
  scripts/fresh.sh >&2 || { say "scripts/fresh.sh failed, see above"; exit 1; }
fi

rm -rf dist build/checkout
mkdir dist
git clone --quiet . build/checkout
ln -s ../../dist build/checkout/
cd build/checkout
for arch in x86_64 aarch64; do
  scripts/pack.sh "$arch" dist
done
version=$(dist/rangefinder --version)
say "$version"
rm -r dist/{rangefinder,librangefinder_inject.so,aarch64}
cp share/container/Containerfile dist/
mkdir dist/conda
tools/conda_recipe.py "$(cut -d' ' -f2 <<<"$version")" "$glibc_floor" \
  dist/*-linux-*.tar.gz >dist/conda/meta.yaml
(cd dist && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs sha256sum |
  tee ../build/SHA256SUMS && mv ../build/SHA256SUMS .)
[[ ${1:-} != --pack-only ]] || exit 0

RANGEFINDER=build/portable/rangefinder \
  RANGEFINDER_WHEEL=$(realpath dist/*_x86_64.whl) \
  /usr/bin/python3 python/tests/test_wheel.py Wheel.test_in_an_empty_environment

scripts/try.sh
