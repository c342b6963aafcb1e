#!/bin/bash
# Each command that reads captures takes each kind of file that any of them
# takes: compressed ones, kernel summaries and reports that were written before.
. "$(dirname "$0")/common.sh"

"$rangefinder" show --quiet --format json "$fixtures/nested_basic.ncu-rep" > report.json
"$rangefinder" summarize --quiet "$fixtures/nested_basic.ncu-rep" -o run.rfsum
cat > kernels.csv << 'CSV'
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
 70.0,7000,2,3500,3500,3000,4000,1.0,gemm
 30.0,3000,3,1000,1000,900,1100,0.0,relu
CSV
for file in "$fixtures"/{nested_basic.ncu-rep,nested_full_A.ncu-repz,llm_sampled.rftrace.zst} \
  report.json run.rfsum kernels.csv; do
  for format in table md json csv html folded speedscope hatchet sqlite; do
    "$rangefinder" show --quiet --format $format "$file" > out 2> err
    [ -s out ] || [ "$(basename "$file") $format" = "llm_sampled.rftrace.zst hatchet" ]
  done
  "$rangefinder" explain "$file" > out 2> err
  "$rangefinder" kernels "$file" > out 2> err
  "$rangefinder" filter A "$file" > out 2> err
  [ "$file" = run.rfsum ] || "$rangefinder" summarize "$file" -o again.rfsum > out 2> err
  "$rangefinder" diff "$file" "$file" > out 2> err
  "$rangefinder" report "$file" -o written > out 2> err
  rm -r written
done

# The timeline of a compressed trace is that of the trace.
"$rangefinder" show --format perfetto "$fixtures/nccl_rank0.rftrace.zst" > packed.json 2> err
python3 - "$fixtures/nccl_rank0.rftrace.zst" "$rangefinder" << 'PY'
import json
events = json.load(open("packed.json"))["traceEvents"]
assert sum(e.get("cat") == "gpu" for e in events) > 100, len(events)
PY

# A report has the regions, launches and times of its capture.
fields='[[r["path"], r["kernel_count"], r["total_ms"], sorted((k["kernel_name"], k["calls"],
  k["own_calls"], k["total_ms"]) for k in r["kernels"])] for r in d["scopes"][0]["regions"]]'
"$rangefinder" show --quiet --format json report.json > again.json 2> err
[ "$(json again.json "$fields")" = "$(json report.json "$fields")" ]
"$rangefinder" show report.json > out 2> err
has out "read from a report.json"
"$rangefinder" show --quiet --format json "$fixtures/llm_sampled.rftrace.zst" > trace.json
"$rangefinder" show --quiet --format json trace.json > again.json 2> err
fields='[[r["times"]["cpu_ns"]["total"], r["times"]["wall_ns"], r["instances"], r["total_ms"]]
  for r in d["scopes"][0]["regions"] if "times" in r]'
[ "$(json again.json "$fields")" = "$(json trace.json "$fields")" ]

# A kernel summary has sums and no regions.
"$rangefinder" show --quiet --format json kernels.csv > kernels.json 2> err
[ "$(json kernels.json 'd["scopes"][0]["totals"]["gpu_time_ns"]')" = 10000 ]
[ "$(json kernels.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 5 ]
