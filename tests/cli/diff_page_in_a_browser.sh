#!/bin/bash
. "$(dirname "$0")/common.sh"

# Pages of comparisons in headless Chromium: a slower, a renamed and an ambiguous
# region, and 10,000 regions. Times are printed, and never judged.
command -v node > node || skip "node is not installed: no page is opened"
for browser in "${CHROMIUM:-chromium}" chromium-browser google-chrome; do
  command -v "$browser" > chromium && break
done
[ -s chromium ] || skip "chromium is not installed: no page is opened"
CHROMIUM=$(cat chromium)
export CHROMIUM
draw=${RANGEFINDER_BUILD:-$source_dir/build/release}/trace_from_text
[ -x "$draw" ] || skip "no $draw"

# run NAME ATTENTION GEMM_US TOPK_US: 40 steps.
run() {
  python3 - "$2" "$3" "$4" << 'PY' | "$draw" > "$1.rftrace"
import sys

attention, gemm, topk = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
now, call, kernels = 10.0, 0, []
print("gpu 0 NVIDIA_H200\nthread 11")
for step in range(40):
    print(f"{now:.3f} push decode")
    for region, name, length in ((attention, "flash", 40), ("mlp", "gemm", gemm),
                                 ("</script><b>sample", "topk<&>", topk)):
        call += 1
        print(f"{now:.3f} push {region}\n{now:.3f} launch {call}")
        kernels.append(f"kernel {name} {now + 1:.3f}-{now + 1 + length:.3f} of={call}")
        now += length + 2
        print(f"{now:.3f} pop")
    print(f"{now:.3f} pop")
print("\n".join(kernels))
PY
}
for i in 1 2 3 4 5; do
  run base$i attn 80.$i $((18 + i))
  run new$i attention 100.$i $((20 + i))
done
list() { echo "$1"{1,2,3,4,5}.rftrace | tr ' ' ','; }
"$rangefinder" diff --format html -o few.html "$(list base)" "$(list new)" > out
python3 "$source_dir/tests/cli/many_regions.py" many.sqlite 10000 100000
python3 "$source_dir/tests/cli/many_regions.py" more.sqlite 10000 120000
"$rangefinder" diff --format html -o many.html many.sqlite more.sqlite > out
node "$source_dir/web/test/browser/diff_page.mjs" few.html many.html | tee opened
has opened "few.html:" "many.html:" "opened in"
