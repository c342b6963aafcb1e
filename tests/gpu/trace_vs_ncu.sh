#!/bin/bash
# GPU time as the tracer sees it, against ncu's gpu__time_duration: kernel by
# kernel, medians over launches and repeats, with clocks and caches left alone
# (they must agree within 2 % for kernels of 50 us and more), and with ncu's
# defaults, which lock the clock to its base and flush the caches before each
# kernel: where they differ, the difference is that.
#
#   RANGEFINDER  the binary (else the build's)
. "$(dirname "$0")/programs/tracing.sh"
command -v ncu > /dev/null || skip "no ncu"
rangefinder=${RANGEFINDER:-$build/rangefinder}
[ -x "$rangefinder" ] || skip "no $rangefinder"
compile trace_times

for repeat in 1 2 3; do
  traced trace "$work/trace$repeat" "$work/trace_times" > /dev/null
  "$rangefinder" show "$work/trace$repeat" --format perfetto \
    > "$work/trace$repeat.json" || exit 1
done
measure() {  # measure CLOCKS CACHES REPEAT
  ncu --metrics gpu__time_duration.sum,gpc__cycles_elapsed.avg.per_second \
    --clock-control "$1" --cache-control "$2" --launch-skip 50 \
    --csv --page raw --print-units base "$work/trace_times" \
    > "$work/$1-$2-$3.csv" 2> "$work/ncu.err" || tail -3 "$work/ncu.err"
}
for repeat in 1 2; do measure none none $repeat; done
measure base all 1
measure none all 1
measure base none 1

python3 - "$work" << 'P'
import collections, csv, glob, json, re, statistics, sys

work = sys.argv[1]
skipped = 5  # first launches of each kernel


def short(name):
    found = re.search(r"(Compute|Copy)<(?:\(int\))?([0-9]+)>", name)
    return f"{found[1]}<{found[2]}>" if found else name


def median(values):
    return statistics.median(values) if values else float("nan")


traced = collections.defaultdict(list)
for path in glob.glob(work + "/trace?.json"):
    seen = collections.Counter()
    events = [e for e in json.load(open(path))["traceEvents"]
              if e.get("cat") == "gpu" and "<" in e["name"]]
    for e in sorted(events, key=lambda e: e["ts"]):
        name = short(e["name"])
        seen[name] += 1
        if seen[name] > skipped and name != "Compute<65536>":
            traced[name].append(e["dur"] * 1000)

modes = ("none-none", "base-none", "none-all", "base-all")
ncu = {mode: collections.defaultdict(list) for mode in modes}
clock = {mode: [] for mode in modes}
for mode in modes:
    for path in glob.glob(f"{work}/{mode}-?.csv"):
        seen = collections.Counter()
        lines = [line for line in open(path) if line.startswith('"')]
        for row in list(csv.DictReader(lines))[1:]:
            name = short(row["Kernel Name"])
            seen[name] += 1
            if seen[name] <= skipped or name == "Compute<65536>":
                continue
            number = lambda key: float(row[key].replace(",", ""))
            ncu[mode][name].append(number("gpu__time_duration.sum"))
            clock[mode].append(
                number("gpc__cycles_elapsed.avg.per_second") / 1e6)

print("median ns of a launch; ncu by --clock-control and --cache-control, and "
      "its ratio to the tracer")
print(f"{'kernel':<18}{'traced':>10}" + "".join(f"{m:>20}" for m in modes))
bad = 0
for name in sorted(traced, key=lambda name: median(traced[name])):
    ours = median(traced[name])
    line = f"{name:<18}{ours:>10.0f}"
    for mode in modes:
        theirs = median(ncu[mode][name])
        line += f"{theirs:>12.0f} {theirs / ours:>6.3f}x"
    ratio = median(ncu["none-none"][name]) / ours
    # Below that, what an empty kernel takes is a good part of it.
    if ours >= 50000 and not abs(ratio - 1) <= 0.02:
        bad += 1
        line += "  FAILED: not within 2 %"
    print(line)
print("SM clock, MHz: " + ", ".join(
    f"{mode} {median(clock[mode]):.0f}" for mode in modes))
long = [n for n in traced if median(traced[n]) >= 50000]
print(f"ok      {len(long) - bad} of {len(long)} kernels of 50 us and more "
      f"agree within 2 %" if not bad and long else
      f"FAILED  {bad} of {len(long)} kernels differ by more than 2 %")
small = [median(ncu["none-none"][n]) - median(traced[n]) for n in traced
         if median(traced[n]) < 50000]
print("difference for the shorter ones, ns: " +
      " ".join(f"{x:+.0f}" for x in sorted(small)))
sys.exit(1 if bad or not long else 0)
P
exit $?
