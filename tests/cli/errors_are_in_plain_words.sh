#!/bin/bash
# A mistyped option is answered in the words of the option, with status 2.
. "$(dirname "$0")/common.sh"
rep=$fixtures/nested_basic.ncu-rep

refused() { # TEXT COMMAND…
  local text=$1
  shift
  status 2 "$rangefinder" "$@" > out 2> err
  has err "$text"
  not grep -qE "report\.table|command line|str '|required" err
}
refused "--top five: expected a whole number, 0 or more" show --top five "$rep"
refused "--top needs a value: --top N" show "$rep" --top
refused "--explain needs a value: --explain REGION METRIC" show "$rep" --explain A
refused "--min-share 500%: expected a percentage from 0 to 100" show --min-share 500% "$rep"
refused "--by foo: there are region, name, kernel and rank" show --by foo "$rep"
for number in five -1 5.5 ''; do
  refused "--top $number: expected a whole number, 0 or more" kernels --top "$number" "$rep"
  refused "--runs $number: expected a whole number, 0 or more" \
    compare --runs "$number" -- true ::: true
done
refused "--top 99999999999999999999: too large" kernels --top 99999999999999999999 "$rep"
refused "--budget: expected 100 or more, or 0" explain --for agent --budget -100 "$rep"
refused "--format is given twice" show --format json --format md "$rep"
refused "--explain is given twice" show --explain A time --explain B time "$rep"
refused "--color is given twice" --color never --color never show "$rep"
refused "--format needs a value: --format FORMAT" show "$rep" --format
refused "show has no option --nope; rangefinder show --help lists them" show --nope "$rep"
refused "show has no option --formt; did you mean --format?" show --formt md "$rep"
# Options of ncu are keys.
refused "profile has no option --set; the option of ncu is pipeline.ncu.ncu_cli.set=…" \
  profile --set full -- true
refused "the option of ncu is pipeline.ncu.ncu_cli.nvtx.include=…" \
  profile --nvtx-include A/ -- true
refused "the option of ncu is pipeline.ncu.ncu_cli.launch_skip=…" \
  profile --launch-skip 3 -- true
refused "the option of ncu is pipeline.ncu.ncu_cli.kernel_name=…" profile -k gemm -- true
# The counterparts of other words of nsys and ncu.
refused "no command 'stats'; to read a capture or an export of nsys: rangefinder show FILE" \
  stats a.sqlite
refused "no command 'analyze'; why it is slow: rangefinder explain FILE" analyze a.sqlite
refused "profile has no option -o; hydra.run.dir=FOLDER says where the run goes" \
  profile -o out -- true
refused "show has no option --page; --columns, --by kernel and --format csv" show --page raw "$rep"
refused "profile has no option --export; rangefinder profile --help lists them" \
  profile --export a -- true
refused "format=md: the configuration has no key 'format'; did you mean --format md?" \
  show "$rep" format=md
refused "did you mean --format md?" report "$rep" format=md

# A percentage may have its sign.
"$rangefinder" show --min-share=5% "$rep" > with
"$rangefinder" show --min-share 5 "$rep" > without
cmp with without
has with "not shown (--min-share 5)"

# Times and shares are explained like metrics.
for column in time share launches idle wall each "GPU each" busy instances exclusive; do
  "$rangefinder" show --explain decode "$column" "$fixtures/llm_sampled.rftrace.zst" > out 2> err
  has out "decode" "$column" "= "
done
"$rangefinder" show --explain decode idle "$fixtures/llm_sampled.rftrace.zst" > out 2> err
has out "share of the wall time in which no GPU work of the process runs" "closed instances" "kernels"
"$rangefinder" show --explain 'A › A::A1' time "$rep" > out
has out "A › A::A1"
refused "--explain idl: no such metric or column in this capture; did you mean 'idle'?" \
  show --explain A idl "$rep"

# Whole names of kernels are one switch.
for command in show explain; do
  "$rangefinder" $command --kernel-names full "$rep" > out 2> err
done
"$rangefinder" show --kernel-names full "$rep" > out
has out "void burn<(int)256>(int, float *)"
"$rangefinder" show --kernel-names full --format md "$rep" > out
has out "void burn"
status 2 "$rangefinder" show "$rep" 'regions.exclude=[(unattributed)]' > out 2> err
has err "To pass the texts as they are, type: \"regions.exclude=['(unattributed)']\""
"$rangefinder" show --flat "$rep" "regions.exclude=['(unattributed)']" > out
not grep -q unattributed out
"$rangefinder" show --quiet --format json "$rep" > out
[ "$(json out 'len(d["config_fingerprint"])')" = 64 ]
