#!/bin/bash
. "$(dirname "$0")/common.sh"

# Without a program the bundled one is run: compiled at its first use by the
# machine's nvcc, and then taken as it is.
export XDG_CACHE_HOME=$t/cache
cat > bin/nvcc << 'END'
#!/bin/bash
# A stand-in: the "program" prints its arguments.
echo "$@" >> "$NVCC_CALLS"
while [ $# -gt 0 ]; do
  case $1 in
    -o) out=$2; shift ;;
    *.cu) grep -q __global__ "$1" || exit 1; [ -e "${1%/*}/example.h" ] || exit 1 ;;
  esac
  shift
done
printf '#!/bin/sh\necho "bundled $@"\n' > "$out"
chmod +x "$out"
END
chmod +x bin/nvcc
export NVCC_CALLS=$t/calls

# Of a build of the examples beside the binary nothing is to be seen here.
cp "$rangefinder" bin/rangefinder
rangefinder=$t/bin/rangefinder

status 0 profile --dry-run > out 2> err
has out "$t/cache/rangefinder" shallow_resnet "--batch 8"
[ ! -e calls ]

status 0 profile > out 2> err
has err "compiling the bundled workload shallow_resnet"
has out "bundled --batch 8 --repeats 2"
status 0 profile device=cuda:1 infer.batch_size=4 > out 2> err
has out "bundled --device 1 --batch 4"
not grep -q compiling err
[ "$(wc -l < calls)" = 1 ]

# `device` is refused for other programs, and checked.
status 2 profile device=cuda:1 -- true > out 2> err
has err "device=cuda:1 has no effect" CUDA_VISIBLE_DEVICES
status 2 profile device=banana -- true > out 2> err
has err "device: expected a CUDA device" banana
status 2 profile infer.dtype=float16 > out 2> err
has err "infer.dtype" float32

# A failing compiler is reported; a missing compiler is, with the remedy.
printf '#!/bin/sh\necho "no such arch" >&2\nexit 1\n' > bin/nvcc
rm -r cache
status 2 profile > out 2> err
has err "shallow_resnet is not built" "no such arch" "examples/build.sh"
[ -z "$(find cache -name '*.part')" ]
