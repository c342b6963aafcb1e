#!/bin/bash
# show writes one document to standard output, says the rest elsewhere, writes
# no file, and knows its formats.
. "$(dirname "$0")/common.sh"
capture=$fixtures/nested_basic.ncu-rep
cd "$t"

"$rangefinder" show "$capture" > table 2> err
grep -q 'A::A1' table
not grep -q $'\x1b' table              # piped: plain
"$rangefinder" show --color always "$capture" > colored
grep -q $'\x1b' colored
[[ ! -s err ]]

"$rangefinder" show --format json "$capture" | python3 -c '
import json, sys
document = json.load(sys.stdin)
assert document["schema"] == "rangefinder.report/2"
assert document["scopes"][0]["totals"]["kernel_count"] == 28'
# Of several captures, too, a tool is one member.
"$rangefinder" show --format json "$fixtures"/llm_{sampled,counted}.rftrace.zst |
  python3 -c '
import json, sys
def unique(members):
    names = [name for name, _ in members]
    assert len(names) == len(set(names)), names
    return dict(members)
document = json.load(sys.stdin, object_pairs_hook=unique)
assert document["capture"]["tools"]["mode"] == "count, sample"'
"$rangefinder" show --format md "$capture" > md
[[ $(head -1 md) == '# NCU Region Reports' ]]
"$rangefinder" show --format csv "$capture" > csv
head -1 csv |
  grep -q '^id,kind,process_id,process,device,context,stream,thread,kernel_name,region,grid,block,'

not "$rangefinder" show --format jsn "$capture" 2> err
grep -q "did you mean 'json'" err

# As narrow as the terminal is told to be.
for width in 60 80 120; do
  COLUMNS=$width "$rangefinder" show "$capture" | python3 -c "
import sys, unicodedata
for line in sys.stdin:
    assert len(line.rstrip('\n')) <= $width, line"
done
# It wrote no file of its own.
[[ ! -e tmp && ! -e ncu && ! -e report.md ]]

"$rangefinder" show --explain A gpu__time_duration.sum "$fixtures/nested_basic.ncu-rep" > out
has out "result: 109024 ns, exact"
