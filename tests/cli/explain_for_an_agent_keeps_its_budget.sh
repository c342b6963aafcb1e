#!/bin/bash
# Facts for a program: at most so many tokens of four bytes, whole sentences,
# the least important ones left out first; also of a diff.
. "$(dirname "$0")/common.sh"
trace=$fixtures/llm_sampled.rftrace.zst
[ -e "$trace" ] || skip "no $trace"
agent() { "$rangefinder" explain "$trace" --for agent "$@" 2> err; }

agent --budget 0 > all
has all "# Why it is slow" "## Causes" \
  "cause=launch_bound region_id=" "certain=true saves_ns=" \
  "## Next" "rangefinder compare --for agent --runs 5 -- " \
  "## Kernels" "grid " "block " "registers " " ± " \
  "## Wall time" "## Counters" "## Notes"
not grep -q "Left out" all
# Five kernels.
sed -n '/^## Kernels/,/^## Wall/p' all | grep -c '^- ' > count
[ "$(cat count)" = 5 ]

for tokens in 100 700 1500; do
  agent --budget $tokens > some
  [ "$(wc -c < some)" -le $((4 * tokens)) ]
  # Every line is one of the whole, but for what is left out.
  grep -v "^\*Left out for the budget: " some > kept
  not grep -vxFf all kept
  not cmp -s some all || continue
  grep -o -- "--budget [0-9]*" some | tail -1 | grep -o "[0-9]*" > needed
  agent --budget "$(cat needed)" > again
  cmp again all
done
agent --budget 300 > some
has some "cause=" "Left out for the budget:"
# 2000 without being asked.
agent > usual
agent --budget 2000 > some
cmp usual some

# One region and what is inside.
agent --region decode > region
has region "decode is slow" "launch-bound" "## Counters"
"$rangefinder" explain "$trace" --region decode > out 2> err
has out "decode is slow" "Wall time by parts"
status 2 "$rangefinder" explain "$trace" --region decod 2> err
has err "did you mean"

"$rangefinder" diff "$trace" "$trace" --for agent > changes 2> err
has changes "# What changed" "## Whole run" "GPU time per run" "Wall time in regions" \
  "## Regions" "## Next" "rangefinder compare --runs 5"
[ "$(wc -c < changes)" -le 8000 ]
"$rangefinder" diff "$trace" "$trace" --for agent --budget 100 > changes 2> err
[ "$(wc -c < changes)" -le 400 ]
has changes "# What changed" "Left out for the budget:"

status 2 "$rangefinder" explain "$trace" --budget 300 2> err
has err "--for agent"
status 2 "$rangefinder" explain "$trace" --for agent --budget 7 2> err
has err "--budget"
status 2 "$rangefinder" explain "$trace" --for agent --budget -1 2> err
status 2 "$rangefinder" diff "$trace" "$trace" --for agent --format md 2> err
has err "--format"
