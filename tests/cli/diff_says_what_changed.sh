#!/bin/bash
# Two sides of five drawn runs each: a slower region is SLOWER and fails a gate,
# changed launches are named, and the readers of every document take it. Senseless
# requests are refused before anything is read.
. "$(dirname "$0")/common.sh"
build=${RANGEFINDER_BUILD:-$source_dir/build/release}
draw=$build/trace_from_text
[ -x "$draw" ] || skip "no $draw"

# run NAME GEMM_US SPLITK SEED: 40 steps of a decoder.
run() {
  python3 - "$2" "$3" "$4" << 'PY' | "$draw" > "$1.rftrace"
import random
import sys

gemm, splitk, seed = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
random.seed(seed)
noise = random.uniform(0.995, 1.005)
now, call, kernels = 10.0, 0, []
print("gpu 0 NVIDIA_H200\nthread 11")
for step in range(40):
    print(f"{now:.3f} push decode")
    for region, launches in (("attn", [("flash", 40)]),
                             ("mlp", [("gemm", gemm)] + [("splitk", 5)] * splitk)):
        print(f"{now:.3f} push {region}")
        for name, length in launches:
            call += 1
            now += 2
            print(f"{now:.3f} launch {call}")
            end = now + 1 + length * noise
            kernels.append(f"kernel {name} {now + 1:.3f}-{end:.3f} of={call}")
            now = end
        print(f"{now:.3f} pop")
    print(f"{now:.3f} pop")
    now += 5
print("\n".join(kernels))
PY
}
for i in 1 2 3 4 5; do
  run base$i 80 0 $i
  run same$i 80 0 1$i
  run slow$i 100 1 2$i
done
list() { echo "$1"{1,2,3,4,5}.rftrace | tr ' ' ','; }
base=$(list base) same=$(list same) slow=$(list slow)

# ---- The same program: no gate is crossed.
"$rangefinder" diff --gate "$base" "$same" > out
has out "3 the same" "SAME"
not grep -qE "SLOWER|AMBIGUOUS" out

# ---- A slower one.
status 8 "$rangefinder" diff --gate "$base" "$slow" > out 2> err
has out "2 slower, 1 the same" "decode" "SLOWER" "Contributions to the change of" \
  "1 more launch per instance: splitk" "worse: decode/mlp: GPU time +31"
grep -qE "decode/mlp +gemm +per launch \+2" out
has err "got worse"
"$rangefinder" diff "$base" "$slow" > ungated
cmp <(tail -n +2 out) <(tail -n +2 ungated)  # a gate changes status and title
"$rangefinder" diff "BASE=$base" "NEW=$slow" --only changed > out
not grep -q "attn .*SAME" out
# Regions and kernels of both sides are named.
"$rangefinder" diff "$base" "base1.rftrace,./base2.rftrace" > /dev/null 2> err
has err "warning: base1.rftrace is on both sides" \
  "warning: ./base2.rftrace is on both sides"

# The same bytes again.
"$rangefinder" diff "$base" "$slow" > again
cmp ungated again

# ---- One run a side: reported, never gated.
"$rangefinder" diff --gate base1.rftrace slow1.rftrace > out
has out "AMBIGUOUS" "at least 5 runs per side"

# ---- The documents.
"$rangefinder" diff --format json "$base" "$slow" > diff.json
python3 "$source_dir/tools/validate_report.py" diff.json
python3 - << 'PY'
import json

diff = json.load(open("diff.json"))
by_path = {region["path"]: region for region in diff["regions"]}
assert by_path["decode/mlp"]["verdict"] == "SLOWER"
assert by_path["decode/attn"]["verdict"] == "SAME"
time = by_path["decode/mlp"]["time"]
assert len(time["base_ns"]) == len(time["new_ns"]) == 5
assert time["interval"][0] > 1.2 and abs(time["chance"] - 2 / 252) < 1e-12, time
whole = by_path[""]["time"]["change_ns"]
parts = sum(part["change_ns"] for part in diff["contributions"])
assert abs(whole - parts) < 1, (whole, parts)
assert diff["gate"]["passed"] is False
PY
status 8 "$rangefinder" diff --gate --format junit -o junit.xml "$base" "$slow" \
  > out 2> err
python3 - << 'PY'
import xml.etree.ElementTree as xml

suite = xml.parse("junit.xml").getroot().find("testsuite")
failed = [c.get("name") for c in suite if c.find("failure") is not None]
assert failed == ["(the whole run)", "decode", "decode/mlp"], failed
assert int(suite.get("failures")) == 3 and int(suite.get("tests")) == 4
PY
"$rangefinder" diff --format github "$base" "$slow" > out
has out "::error title=rangefinder diff::decode/mlp: GPU time +31"
"$rangefinder" diff --format md "$base" "$slow" > out
has out "# What changed" "| decode/mlp |" "**SLOWER**" "<details>"
"$rangefinder" diff --format html -o diff.html "$base" "$slow" > out
has out "diff.html"
python3 - << 'PY'
import json
import re

page = open("diff.html").read()
held = re.search(r'<script id="report" type="application/json">(.*?)</script>', page, re.S)
assert json.loads(held[1]) == json.load(open("diff.json"))
PY

# ---- Gates of single regions and metrics, and accepted regressions.
"$rangefinder" diff --gate diff.gate.time=60% "$base" "$slow" > out
status 8 "$rangefinder" diff --gate diff.gate.time=60% \
  "diff.gate.regions.'decode/mlp'.time=10%" "$base" "$slow" > out 2> err
has out "worse: decode/mlp"
status 2 "$rangefinder" diff --gate "diff.gate.regions.'decode/mpl'.time=10%" \
  "$base" "$slow" > out 2> err
has err "no run has the region 'decode/mpl'; did you mean 'decode/mlp'?"
cat > accepted.yaml << 'LIST'
- {region: decode/mlp, until: 2999-12-31, reason: split k is more exact}
- {region: decode, until: 2999-12-31, reason: the same}
- {region: '', until: 2999-12-31, reason: the same}
LIST
"$rangefinder" diff --gate diff.accepted=accepted.yaml "$base" "$slow" > out
has out "accepted: decode/mlp" "until 2999-12-31: split k"
echo "- {region: decode/mpl, until: 2999-12-31, reason: gone}" >> accepted.yaml
"$rangefinder" diff --gate diff.accepted=accepted.yaml "$base" "$slow" > out 2> err
has err "warning: diff.accepted: no run has the region 'decode/mpl'; did you mean"
sed -i 's/2999/1999/' accepted.yaml
status 8 "$rangefinder" diff --gate diff.accepted=accepted.yaml "$base" "$slow" \
  > out 2> err
has out "accepted until 1999-12-31, which is over"

# ---- Noise, kept in a file.
"$rangefinder" diff --calibrate -o noise.json base*.rftrace > out 2> err
has err "5 runs, 4 regions"
"$rangefinder" diff diff.calibration=noise.json base1.rftrace slow1.rftrace > out
has out "runs per side would decide"
echo '{}' > broken.json
status 5 "$rangefinder" diff diff.calibration=broken.json "$base" "$slow" 2> err
has err "broken.json" "no calibration"

# ---- Refused requests.
status 2 "$rangefinder" diff base1.rftrace 2> err
has err "diff needs a base and a new run"
status 2 "$rangefinder" diff diff.gate.time=fast base1.rftrace same1.rftrace 2> err
has err "diff.gate.time" "a share such as 5%"

# ---- Runs that cannot be compared: the reason, and no number.
for gate in "" --gate; do
  status 2 "$rangefinder" diff $gate "$fixtures/nested_basic.ncu-rep" \
    base1.rftrace > out 2> err
  has out "not comparable: mode differs" "INCOMPARABLE"
  not grep -qE "GPU time per run|Regions|[0-9] (ms|µs)" out
  has err "INCOMPARABLE: " "mode differs"
done
status 2 "$rangefinder" diff --format junit "$fixtures/nested_basic.ncu-rep" \
  base1.rftrace > junit.xml 2> err
python3 - << 'PY'
import xml.etree.ElementTree as xml

suite = xml.parse("junit.xml").getroot().find("testsuite")
assert (suite.get("tests"), suite.get("failures")) == ("1", "1"), suite.attrib
assert any("mode differs" in failure.get("message") for failure in suite.iter("failure"))
PY
sed 's/decode/serve/; s/attn/queue/; s/mlp/reply/' << 'TRACE' | "$draw" > other.rftrace
gpu 0 NVIDIA_H200
thread 11
10 push decode
11 push attn
12 launch 1
40 pop
50 pop
kernel sort 15-30 of=1
TRACE
status 2 "$rangefinder" diff base1.rftrace other.rftrace > out 2> err
has out "not comparable: different programs: no region and no kernel is on both sides"
echo nonsense > no.rftrace
status 5 "$rangefinder" diff no.rftrace base1.rftrace 2> err
has err "no.rftrace"

# ---- Exports of Nsight Systems: counts per instance, as of traces.
python3 - << 'PY'
import sqlite3

for name, launches, instances in (("one", 1, 3), ("two", 2, 3), ("more", 2, 4)):
    base = sqlite3.connect(name + ".sqlite")
    base.executescript("""
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES (1, 'gemm(int)'), (2, 'gemm');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,
          correlationId, globalPid, demangledName, shortName, mangledName,
          gridX, gridY, gridZ, blockX, blockY, blockZ);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId);
        CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId, globalTid, domainId,
          category, color, uint64Value, doubleValue);
        CREATE TABLE PROCESSES (globalPid, pid, name);""")
    process = (1 << 48) + (7 << 24)
    for step in range(instances):
        begin, call = 100000 * step + 1000, 10 * step
        base.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, 'step', NULL, ?, 0, 0, 0, 0, 0)",
                     (begin, begin + 90000, process + 11))
        for k in range(launches):
            at = begin + 20000 * k
            base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?)",
                         (at + 10, at + 20, process + 11, call + k + 1))
            base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                         "(?, ?, 0, 1, 7, ?, ?, 1, 2, 2, 8, 1, 1, 256, 1, 1)",
                         (at + 100, at + 10100, call + k + 1, process))
    base.commit()
PY
"$rangefinder" diff one.sqlite two.sqlite > out 2> err
has out "1 more launch per instance: gemm"
"$rangefinder" diff one.sqlite more.sqlite > out 2> err
has out "3 → 4 instances" "1 more launch per instance: gemm"

# The wall time, which GPU times do not show, and the region of most of its change.
exam=$(dirname "$fixtures")/exam/traces
"$rangefinder" diff "$exam/copy_h2d_pageable.rftrace.zst" "$exam/copy_h2d_pinned.rftrace.zst" > out 2> err
has out "Wall time in regions 567.5 ms → 84.84 ms, -85.0 %; most of it in step/target" \
  "→ 82.73 ms:" "copies -481.9 ms" "Verdicts are on GPU time alone"
# With a graph `sample` waits for what `decode` did before: it is not the change.
tokens=$fixtures/cases/decode
"$rangefinder" diff "$tokens"/{eager,graph}.rftrace.zst "regions.include=[decode,sample]" > out 2> err
has out "411.8 ms → 133.2 ms, -67.7 %; most of it in decode (407.4 ms → 48.24 ms:"

# Another compiler's registers, where both sides know them.
for registers in 0 32 40; do
  printf '%s\n' "thread 11" "10 push A" "12 launch 1" "90 pop" \
    "kernel saxpy 15-40 of=1 registers=$registers" | "$draw" > "r$registers.rftrace"
done
"$rangefinder" diff r32.rftrace r40.rftrace > out
has out "saxpy: 32 registers → 40"
"$rangefinder" diff r0.rftrace r40.rftrace > out
not grep -q "registers" out
