#!/bin/bash
# Mode sample of the injection library on a real GPU: the six default metrics at
# 200 us beside the trace of a program that runs for seconds. Every interval has
# its sample, output and status of the program do not change, and where the GPU
# refuses sampling the run is a trace with the reason.
#
#   SAMPLE_NS=50000 KERNELS=400000 sample_raw.sh
. "$(dirname "$0")/programs/tracing.sh"
compile trace_launches
out=$work/summary
interval=${SAMPLE_NS:-200000}
kernels=${KERNELS:-200000}  # of each of six segments

facts() {  # facts KEY FILE: of the first device
  grep -m1 '^samples: ' "$2" | grep -oE " $1=[^ ]*" | cut -d= -f2
}

words() { sed 's/[0-9.]\+/N/g' "$1"; }  # seconds differ from run to run

"$work/trace_launches" 6 "$kernels" > "$work/bare" 2> "$work/bare.errors"
bare_status=$?
RANGEFINDER_INJECT_SAMPLE_NS=$interval \
  traced sample "$work/trace" "$work/trace_launches" 6 "$kernels" \
  > "$work/sampled" 2> "$work/sampled.errors"
status=$?
RANGEFINDER_INJECT_SAMPLE_NS=$interval \
  traced trace "$work/plain" "$work/trace_launches" 6 "$kernels" > "$work/traced"
[ $status -eq $bare_status ]; check "the exit status is the program's" $?
cmp -s <(words "$work/bare") <(words "$work/sampled")
check "its output, but for the seconds" $?
cmp -s "$work/bare.errors" "$work/sampled.errors"
check "its errors" $?
"$summary" "$work/trace" > "$out"
"$summary" "$work/plain" > "$work/plain.summary"
echo "--- bare, sampled, traced:"
cat "$work/bare" "$work/sampled" "$work/traced"
echo "--- what was sampled:"
sed -n '/^kernels:/,$p' "$out" | cut -c1-300 | head -40

expect "all kernels" "$out" "^kernels: $((6 * kernels + 1000))\$"
expect "samples of device 0" "$out" \
  "^samples: .*device=0 .*interval_ns=$interval .*reason=-\$"
# One sample may be incomplete where an image is begun anew.
expect "three are missing at most" "$out" '^samples: .* lost=[0-3] gaps=[0-3] '
for metric in sm__inst_executed.sum dram__bytes_read.sum \
  dram__bytes_write.sum sm__cycles_active.avg lts__t_sectors.sum \
  sm__pipe_tensor_cycles_active.avg; do
  expect "$metric has a value in every sample" "$out" \
    "^  metric $metric: .* valid=$(facts count "$out") "
done
expect_not "instructions were counted" "$out" \
  '^  metric sm__inst_executed.sum: sum=0 '
python3 - "$(facts count "$out")" "$(facts span_ns "$out")" "$interval" << 'P'
import sys
count, span, interval = (int(text or 0) for text in sys.argv[1:])
expected = span / interval
print("samples %d, span / interval %.1f" % (count, expected))
sys.exit(not expected or abs(count / expected - 1) > 0.01)
P
check "samples within 1 % of span / interval" $?
python3 - "$out" << 'P'
import re, sys
line = next((l for l in open(sys.argv[1]) if l.startswith("  times:")), "")
t = {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", line)}
if not t.get("first"):
    sys.exit("no samples")
print("first sample %.3f ms after the start, first kernel %.3f ms after it; "
      "last sample ends %.3f ms after the last kernel" %
      ((t["first"] - t["started"]) / 1e6, (t["first_kernel"] - t["first"]) / 1e6,
       (t["last"] - t["last_kernel"]) / 1e6))
sys.exit(t["last"] + 2000000 < t["last_kernel"])
P
check "sampled until after the last kernel" $?

traced sample "$work/killed" timeout -s KILL 3 "$work/trace_launches" 60 \
  "$kernels" > /dev/null 2>&1
"$summary" "$work/killed" > "$work/killed.summary"
expect "a killed program leaves its samples" "$work/killed.summary" \
  '^samples: .* device=0 .* count=[1-9][0-9]{2}'

RANGEFINDER_INJECT_METRICS=no__such_metric.sum \
  traced sample "$work/unknown" "$work/trace_launches" 1 1000 > "$work/stdout"
check "an unknown metric harms nobody" $?
"$summary" "$work/unknown" > "$work/unknown.summary"
expect "and is named" "$work/unknown.summary" 'no metric no__such_metric.sum'
expect "in a plain trace" "$work/unknown.summary" '^kernels: 2000$'

RANGEFINDER_INJECT_METRICS=sm__throughput.avg.pct_of_peak_sustained_elapsed \
  traced sample "$work/passes" "$work/trace_launches" 1 1000 > "$work/stdout"
check "more than one pass harms nobody" $?
"$summary" "$work/passes" > "$work/passes.summary"
expect "and is refused" "$work/passes.summary" 'passes on .* sampling has one'

traced sample "$work/first" "$work/trace_launches" 20 "$kernels" \
  > "$work/stdout.first" 2>&1 &
first=$!
sleep 3
traced sample "$work/second" "$work/trace_launches" 1 1000 > "$work/stdout"
check "a second process on the same GPU" $?
wait $first
check "and the first" $?
"$summary" "$work/second" > "$work/second.summary"
"$summary" "$work/first" > "$work/first.summary"
expect "the second says that another samples" "$work/second.summary" \
  '^samples: .* reason=another profiler has the counters'
expect "and is a plain trace" "$work/second.summary" '^kernels: 2000$'
expect "while the first goes on" "$work/first.summary" \
  '^samples: .* lost=[0-9]* .*reason=-$'

if [ "$failures" -gt 0 ]; then
  echo "--- the machine:"
  nvidia-smi --query-gpu=name,driver_version,mig.mode.current,compute_mode \
    --format=csv,noheader
  grep -i RmProfilingAdminOnly /proc/driver/nvidia/params
  id -u
  cp "$out" "$work/trace.summary"
  for one in trace killed unknown passes first second; do
    echo "--- $one:"
    sed -n '/^kernels:/,$p' "$work/$one.summary" 2> /dev/null | cut -c1-300 |
      head -20
    ls -l "$work/$one"
  done
  head -5 "$work"/*.errors "$work"/stdout*
fi
done_now "$out"
