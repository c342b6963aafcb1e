#!/usr/bin/env bash
# scripts/demo.sh on a machine with a GPU and a built example, and without ncu
# and nvcc: it profiles live, by samples; without a GPU it reports the bundled
# capture.
. "$(dirname "$0")/common.sh"
needs_tracer

# A clone in which everything is built. cmake has nothing to do.
mkdir -p clone/examples clone/tests clone/build/{release,examples} stubs
cp -r "$source_dir/scripts" clone/
ln -s "$fixtures" clone/tests/fixtures
ln -s "$rangefinder" clone/build/release/rangefinder
stub() { printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod +x "$1"; }
stub clone/examples/build.sh 'exit 77'
stub clone/build/examples/nested_regions "exec '$ranges' nested 10"
stub stubs/cmake true
stub stubs/nvidia-smi "$(printf 'test ! -e %q' "$t/no_gpu")"
rm bin/ncu
for name in bash dirname date nproc mkdir rm sed tail cat ls; do
  ln -s "$(command -v $name)" stubs/
done
demo() { PATH=$t/stubs RANGEFINDER_NO_INSTALL=1 clone/scripts/demo.sh; }

demo > out 2> err || { cat err; false; }
has err "live, by samples" "report.html"
not has err "recorded capture" 2> ignored
has out "A::A1" "A" "B"

touch no_gpu
demo > out 2> err || { cat err; false; }
has err "no NVIDIA GPU: reporting a recorded capture instead"
has out "decode"
