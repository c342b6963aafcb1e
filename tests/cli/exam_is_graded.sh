#!/bin/bash
# Reports of the examination's recorded programs (tests/exam, of an H200) name
# region and cause first, state nothing that is false, and call few estimates
# doubtful.
. "$(dirname "$0")/common.sh"
exam=$(dirname "$fixtures")/exam
mkdir reports
for trace in "$exam"/traces/*.rftrace.zst; do
  name=$(basename "$trace" .rftrace.zst)
  "$rangefinder" show --format json "$trace" > "reports/$name.json" 2> err
done
python3 "$exam/grade.py" "$exam/answers.tsv" reports --least 65 \
  --ncu-rules "$exam/ncu_rules_found.tsv" > table
has table "Rules of Nsight Compute, 20 programs: first right in 6,"
doubtful=$(grep -lE '"estimates_(doubtful|bad)"' reports/*.json | wc -l)
[ "$doubtful" -ge 3 ] && [ "$doubtful" -le 15 ]
# A grade that cannot fall would be none.
sed 's/"kind": "[a-z_]*"/"kind": "growth"/' -i reports/*.json
status 1 python3 "$exam/grade.py" "$exam/answers.tsv" reports --least 1
