#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

# Kernels of a thread that another one waits for: under their own ranges, under
# those of the thread that waits, or under the forward region that PyTorch's
# names tell. Whatever is chosen, each is counted once.
"$rangefinder" discover hydra.run.dir="$t/run" -- "$ranges" autograd 3 > out 2> err
regions() {
  "$rangefinder" show run --format json "$@" > shown.json 2> err
  [ "$(json shown.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 12 ]
  json shown.json 'sorted([["/".join(r["path"]), r["exclusive"]["kernel_count"]]
    for r in d["scopes"][0]["regions"] if r["exclusive"]["kernel_count"]])'
}
[ "$(regions)" = '[["", 3], ["MmBackward0, seq = *", 6], ["layer0/aten::mm, seq = *, op_id = *", 3]]' ]
[ "$(regions regions.threads=adopt)" = '[["backward pass", 3], ["backward pass/MmBackward0, seq = *", 6], ["layer0/aten::mm, seq = *, op_id = *", 3]]' ]
has shown.json "9 kernels that other threads launched"
[ "$(json shown.json '[r["instances"] for r in d["scopes"][0]["regions"] if r["name"].startswith("MmBackward0")]')" = "[3]" ]
[ "$(regions regions.threads=forward)" = '[["backward pass", 3], ["layer0/aten::mm, seq = *, op_id = *", 3], ["layer0/backward/MmBackward0, seq = *", 6]]' ]
status 2 "$rangefinder" show run regions.threads=adop > out 2> err
has err "did you mean 'adopt'"

# A profiler that measured the kernels knows the launching threads alone.
"$rangefinder" show "$fixtures/nested_basic.ncu-rep" regions.threads=adopt > out 2> err
has out "regions.threads has no effect here"
