#!/usr/bin/env bash
# The table of docs/counters.md: how far estimates from samples are off, and how
# often their intervals hold. PARTS, of which all are done by default:
#
#   MODEL:LAYERS  (qwen:6 qwen:12 llama:8) a model of transformers decodes 200
#                 tokens as one captured CUDA graph and eagerly; the truth of
#                 both is what the eager run's instances count
#   compile       the same under torch.compile, against counts in place
#   hard          RUNS (5) runs of each of the hard programs and of planted
#
# Prints a table for each, and each fit. On an H100 some 30 s for a model, a
# minute for `compile`, and 20 s and 10 s a run for `hard`.
#
#   RANGEFINDER=... RANGEFINDER_INJECT_LIBRARY=... OUT=... graph_estimates.sh
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
set -euo pipefail
need python3
prepare
parts=${PARTS:-qwen:6 qwen:12 llama:8 compile hard}
decode=(python3 graph_decode.py)
cd "$here/programs"  # so that the traces have no path
[[ $parts == hard ]] || need_torch transformers

report() { echo "$out/$1/ncu/regions/report.json"; }

profiled() {  # profiled NAME [SETTING...] -- COMMAND...: its report.json
  local name=$1 settings=()
  shift
  while [[ $1 != -- ]]; do settings+=("$1"); shift; done
  shift
  "$rangefinder" profile hydra.run.dir="$out/$name" \
    "pipeline.counters.metrics=[$six]" "${settings[@]}" -- "$@" \
    > "$out/$name.table" 2> "$out/$name.err" ||
    { tail -20 "$out/$name.err"; return 1; }
}

fit() {  # fit NAME: fails where it is bad
  python3 - "$(report "$1")" "$1" <<'END'
import collections, json, sys
for device in json.load(open(sys.argv[1]))["capture"]["sampling"]:
    gaps = collections.Counter()
    for gap in device.get("gaps", []):
        gaps[gap["reason"]] += gap["samples"]
    fit = device.get("fit")
    if fit is None:  # a process that used no GPU
        print(sys.argv[2], device.get("reason"))
        continue
    fit.pop("metrics")
    print(sys.argv[2], fit, "lost, by reason:", dict(gaps))
    assert fit["verdict"] != "bad", fit
END
}

model() {  # model MODEL LAYERS
  local name=$1$2
  profiled "$name.graph" -- "${decode[@]}" graph 200 "$2" "$1"
  fit "$name.graph"
  profiled "$name.eager" pipeline.counters.check=true -- \
    "${decode[@]}" eager 200 "$2" "$1"
  fit "$name.eager"
  local graph=0 eager=0
  echo "== $1 with $2 layers, as a graph"
  python3 "$here/programs/graph_truth.py" "$(report "$name.graph")" \
    "$(report "$name.eager")" 0.3 2 || graph=1
  echo "== $1 with $2 layers, eagerly"
  python3 "$here/programs/graph_truth.py" "$(report "$name.eager")" \
    "$(report "$name.eager")" 0.1 1.5 || eager=1
  ((graph + eager == 0))
}

hard() {
  need nvcc
  local program status=0 run
  for program in planted two_streams alternating unequal; do
    nvcc -O2 -std=c++17 -arch=native -o "$out/$program" \
      "$here/programs/$program.cu" -ldl
    local command=("$out/$program" 3000) samples=()
    [[ $program != planted ]] || command=("$out/planted" 400 2)
    profiled "$program.counted" pipeline.counters.mode=count \
      pipeline.counters.budget=100% -- "${command[@]}"
    for ((run = 1; run <= ${RUNS:-5}; ++run)); do
      profiled "$program.$run" -- "${command[@]}" || continue
      samples+=("$(report "$program.$run")")
    done
    echo "== $program"
    python3 "$here/programs/held_runs.py" "$(report "$program.counted")" \
      "${samples[@]}" || status=1
  done
  return $status
}

status=0
for part in $parts; do
  case $part in
    *:*) model "${part%:*}" "${part#*:}" || status=1 ;;
    compile)
      if profiled compile pipeline.counters.check=true -- \
        "${decode[@]}" compile 200 6; then
        fit compile
        echo "== torch.compile"
        python3 "$here/programs/graph_truth.py" "$(report compile)" \
          "$(report compile)" 0.3 2 || status=1
      fi ;;
    hard) hard || status=1 ;;
  esac
done
exit $status
