#!/bin/bash
# Two sides of five runs each, drawn: what is slower is SLOWER and fails a gate,
# what is launched otherwise is said, and every document is what its readers
# take. What makes no sense is refused before anything is read.
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
  "decode/mlp: gemm" "per launch +2" "1 more launch per instance: splitk" \
  "worse: decode/mlp: GPU time +31"
has err "got worse"
"$rangefinder" diff "$base" "$slow" > ungated
cmp <(tail -n +2 out) <(tail -n +2 ungated)  # a gate changes status and title
"$rangefinder" diff "BASE=$base" "NEW=$slow" --only changed > out
not grep -q "attn .*SAME" out
# What is on both sides is said.
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

# ---- Gates of single regions and metrics, and what is accepted.
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

# ---- What is refused.
status 2 "$rangefinder" diff base1.rftrace 2> err
has err "diff needs a base and a new run"
status 2 "$rangefinder" diff diff.gate.time=fast base1.rftrace same1.rftrace 2> err
has err "diff.gate.time" "a share such as 5%"
status 2 "$rangefinder" diff --gate "$fixtures/nested_basic.ncu-rep" \
  base1.rftrace > out 2> err
has out "not comparable: mode differs" "INCOMPARABLE"
has err "INCOMPARABLE"
echo nonsense > no.rftrace
status 5 "$rangefinder" diff no.rftrace base1.rftrace 2> err
has err "no.rftrace"
