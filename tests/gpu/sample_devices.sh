#!/usr/bin/env bash
# Counters by samples where there is more than one process or one GPU: a process
# with two GPUs, two processes with one each, two with the same, and one under
# CUDA's Multi-Process Service. Prints each result; asserts that every
# program ends as it does alone, that sampled runs have a fit, and that the others
# have a reason.
#
#   RANGEFINDER=... RANGEFINDER_INJECT_LIBRARY=... OUT=... sample_devices.sh
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
set -uo pipefail
need python3
prepare
need_torch
gpus=$(nvidia-smi -L | wc -l)
turns=$here/programs/two_devices.py
status=0

sampled() {  # sampled NAME COMMAND...
  local name=$1
  shift
  echo "--- $name"
  "$rangefinder" profile hydra.run.dir="$out/$name" \
    "pipeline.counters.metrics=[$six]" -- "$@" \
    > "$out/$name.out" 2> "$out/$name.err" ||
    { echo "exit status $?"; cat "$out/$name.err"; status=1; }
  python3 - "$out/$name/ncu/regions/report.json" <<'END' || status=1
import json, sys
report = json.load(open(sys.argv[1]))
for device in report["capture"].get("sampling", []):
    fit = device.get("fit") or {}
    print("process", device["process"], "device", device["device"],
          device["samples"], "samples", device["lost"], "lost",
          "fit", fit.get("verdict"), fit.get("reasons"),
          device.get("reason", ""))
for note in report["notes"]:
    print("note:", note["text"])
metric = "sm__pipe_tensor_cycles_active.avg"
for scope in report["scopes"]:
    for region in scope["regions"]:
        cell = region["inclusive"]["metrics"].get(metric, {})
        if region["path"] == ["turn0"] or region["path"] == ["turn1"]:
            print("  ", scope["scope"], scope["process"], scope["device"],
                  region["path"][0], region["instances"], cell.get("value"),
                  cell.get("standard_error"), cell.get("reason", ""))
END
}

if ((gpus > 1)); then
  sampled one_process_two_gpus python3 "$turns" 4000 0 1
  sampled a_gpu_each bash -c "
    python3 '$turns' 4000 0 & python3 '$turns' 4000 1 & wait"
else
  echo "NOT CHECKED: processes with several GPUs: there is one"
fi
sampled the_same_gpu bash -c "
  python3 '$turns' 4000 0 & python3 '$turns' 4000 0 & wait"

# The service is a process of ours, with a folder of its own, and no setting of
# the card.
if command -v nvidia-cuda-mps-control > /dev/null; then
  export CUDA_MPS_PIPE_DIRECTORY=$out/mps CUDA_MPS_LOG_DIRECTORY=$out/mps
  mkdir -p "$out/mps"
  if nvidia-cuda-mps-control -d && python3 "$turns" 10 0; then
    sampled under_mps python3 "$turns" 4000 0
    "$rangefinder" doctor || true
    "$rangefinder" profile pipeline.counters.mode=count \
      hydra.run.dir="$out/mps_count" -- python3 "$turns" 400 0 2>&1 | tail -20
  else
    echo "NOT CHECKED: MPS, which does not run here"
  fi
  echo quit | nvidia-cuda-mps-control
else
  echo "NOT CHECKED: MPS, which is not installed"
fi
exit $status
