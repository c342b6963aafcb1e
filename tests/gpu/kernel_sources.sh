#!/usr/bin/env bash
# `pipeline.trace.source` on a real GPU: kernels of CUDA C++ with and without
# -lineinfo, and of a model of transformers under torch.compile, of whose Triton
# kernels' time 95 % has a line of the source and of the model.
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
set -uo pipefail
need nvcc
need python3
prepare
failed=0
profile() {  # profile NAME PROGRAM...
  local name=$1
  shift
  "$rangefinder" profile pipeline.trace.source=true pipeline.ncu.enable=false \
    'report.formats=[json]' hydra.run.dir="$out/$name" -- "$@" > "$out/$name.txt" 2>&1 ||
    { echo "FAILED  $name: status $?"; tail -5 "$out/$name.txt"; failed=1; }
}
lines() {  # lines NAME PREFIX FIELD LEAST: the share of the kernels' time that has FIELD
  python3 - "$out/$1" "$2" "$3" "$4" << 'PYTHON' || failed=1
import json, pathlib, sys
folder, prefix, field, least = sys.argv[1:]
document = json.loads(next(pathlib.Path(folder).rglob("report.json")).read_text())
time = {}
for region in document["scopes"][0]["regions"]:
    for kernel in region["kernels"]:
        if kernel["kernel_name"].startswith(prefix):
            known = time.setdefault(kernel["kernel_name"], [0, bool(kernel.get(field))])
            known[0] = max(known[0], kernel["total_ms"] or 0)
share = sum(ms for ms, has in time.values() if has) / (sum(ms for ms, _ in time.values()) or 1)
good = bool(time) and (share >= float(least) if float(least) > 0 else share == 0)
print("ok     " if good else "FAILED ", f"{pathlib.Path(folder).name}: {len(time)} kernels,",
      f"{share:.1%} of their time has {field}")
sys.exit(not good)
PYTHON
}
for flag in -lineinfo -w; do
  nvcc -O2 -std=c++17 -arch=native $flag -o "$out/program$flag" "$here/programs/steps.cu" -ldl ||
    skip "nvcc could not build steps.cu"
  profile "steps$flag" "$out/program$flag"
done
lines steps-lineinfo "" source_lines 1
lines steps-w "" source_lines 0
lines steps-w "" source_unknown 1
if has_torch transformers; then
  export TORCHINDUCTOR_FORCE_DISABLE_CACHES=1
  profile compiled python3 "$here/programs/compiled_model.py"
  for field in source_lines model_lines source; do
    lines compiled triton_ "$field" 0.95
  done
else
  echo "NOT CHECKED: torch.compile: no PyTorch with CUDA and transformers"
fi
exit $failed
