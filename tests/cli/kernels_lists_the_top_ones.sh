#!/bin/bash
. "$(dirname "$0")/common.sh"

capture=$fixtures/nested_basic.ncu-rep
COLUMNS=140 "$rangefinder" kernels "$capture" > out
has out "void burn<(int)256>(int, float *)" saxpy stencil
"$rangefinder" kernels --top 1 "$capture" > out
has out "… 2 more kernels"
"$rangefinder" kernels --format json "$capture" > kernels.json
[ "$(json kernels.json '[k["calls"] for k in d["kernels"]]')" = "[8, 13, 7]" ]
[ "$(json kernels.json 'sum(k["calls"] for k in d["kernels"])')" = 28 ]

# A list of regular expressions that match their own kernels alone.
"$rangefinder" kernels --output top.yaml "$capture" > out
has out top.yaml
has top.yaml "  - name: 'void burn<(int)256>(int, float *)'" \
  "    regex: '^void\\ burn<\\(int\\)256>\\(int,\\ float\\ \\*\\)\$'" \
  "    description: 'Kernel #1 - 54.0% of GPU time, 8 calls'"

# The summary of Nsight Systems: recognised by its header.
cat > summary.csv << 'CSV'
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
 30.0,3000,51146,1.0,1.0,1,1,0.0,"void k<(int)7>(T1, ""x"")"
 70.0,7000,2,1.0,1.0,1,1,0.0,g
CSV
cp summary.csv summary
for file in summary.csv summary; do
  "$rangefinder" kernels --format yaml "$file" > out
  has out "name: 'g'" "Kernel #2 - 30.0% of GPU time, 51146 calls" \
    "name: 'void k<(int)7>(T1, \"x\")'"
done
printf '1,2\n' >> summary.csv
status 5 "$rangefinder" kernels summary.csv > out 2> err
has err "summary.csv: line 4: 2 fields, where the header has 9"
status 2 "$rangefinder" kernels summary "$capture" > out 2> err
has err "their numbers are never added"
status 2 "$rangefinder" kernels > out 2> err
status 2 "$rangefinder" kernels --format xml "$capture" > out 2> err
