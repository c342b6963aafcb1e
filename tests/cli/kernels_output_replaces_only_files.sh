#!/bin/bash
# --output replaces a regular file, writes to a pipe or a device, and leaves
# everything else alone.
. "$(dirname "$0")/common.sh"

kernels() { "$rangefinder" kernels "$fixtures/nested_basic.ncu-rep" -o "$1" > out 2> err; }

echo old > list.yaml
kernels list.yaml
has list.yaml kernels:
[ "$(find . -name '.*.part')" = "" ]

# As YAML where the name does not say otherwise.
kernels list
cmp list list.yaml

mkdir elsewhere
ln -s elsewhere/list.yaml link.yaml
kernels link.yaml
[ -L link.yaml ]
cmp list.yaml elsewhere/list.yaml

mkfifo pipe.yaml
cat pipe.yaml > read.yaml &
kernels pipe.yaml
wait %1
[ -p pipe.yaml ]
cmp list.yaml read.yaml

# As a link, so that the machine keeps its device should this ever fail.
ln -s /dev/full full.yaml
status 7 kernels full.yaml
has err "full.yaml: cannot write: No space left on device"
[ -c /dev/full ]
[ -L full.yaml ]
status 2 kernels elsewhere
has err "elsewhere: is a folder"

# An input is not replaced by what is made of it.
cp "$fixtures/nested_basic.ncu-rep" capture
ln -s capture same
for output in capture same; do
  status 2 "$rangefinder" kernels capture -o $output > out 2> err
  has err "--output $output: this is an input, which would be lost"
  status 2 "$rangefinder" summarize capture -o $output > out 2> err
  status 2 "$rangefinder" diff capture,capture "$fixtures/multiproc.ncu-rep" \
    --format md -o $output > out 2> err
done
cmp capture "$fixtures/nested_basic.ncu-rep"
