#!/usr/bin/env python3
"""The recipe with which conda-build packs the archives of a release:

    conda_recipe.py VERSION GLIBC ARCHIVE... >meta.yaml

conda-build reads comments in brackets: [x86_64] keeps a line for that processor.
The recipe lies in a folder beside the archives.
"""
import hashlib
import pathlib
import re
import sys

RECIPE = """\
package:
  name: rangefinder
  version: "{version}"

source:
{sources}
build:
  number: 0
  skip: true  # [not linux]
  # The files run as they are; no path of the build is in them.
  binary_relocation: false
  detect_binary_files_with_prefix: false
  script: cp -a bin lib share "$PREFIX"

requirements:
  run:
    - __glibc >={glibc}

test:
  commands:
    - rangefinder --version
    - test -f "$PREFIX/lib/rangefinder/librangefinder_inject.so"

about:
  summary: profiles a CUDA program by its NVTX regions
  license: Apache-2.0
  license_file: share/doc/rangefinder/LICENSE
"""
SOURCE = """\
  - url: ../{name}  # [{machine}]
    sha256: {digest}  # [{machine}]
"""


def recipe(version, glibc, archives):
    sources = "".join(
        SOURCE.format(name=archive.name,
                      machine=re.search(r"-linux-(\w+)\.tar", archive.name)[1],
                      digest=hashlib.sha256(archive.read_bytes()).hexdigest())
        for archive in archives)
    return RECIPE.format(version=version, glibc=glibc, sources=sources)


def main(version, glibc, *archives):
    print(recipe(version, glibc, sorted(map(pathlib.Path, archives))), end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
