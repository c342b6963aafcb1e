#!/bin/bash
# Options choose the rows and columns of the table; each is a key of report.table.
# Rows that are left out are counted, and an unknown name is an error with the
# nearest name.
. "$(dirname "$0")/common.sh"
capture=$fixtures/nested_basic.ncu-rep
export COLUMNS=120
show() { "$rangefinder" show "$capture" "$@"; }
# The names of the table's rows, in order.
rows() {
  awk '/^(region|name|kernel|scope)( |$)/ {on = 1; next} /^([0-9]+ more|Hidden|$)/ {on = 0} on' |
    sed 's/^[│├└─ ]*//; s/  .*//'
}

show --top 3 > out
[[ $(rows < out | paste -sd,) == "A,(unattributed),B" ]]
has out "12 more regions are not shown (--top 3)" "of the time"
show report.table.top=3 | cmp - out
show --top 0 > all
[[ $(rows < all | wc -l) == 15 ]]
not grep -q "more regions" all

show --depth 1 > out
not grep -q "A::A1" out
has out "more regions are not shown (--depth 1)"
show --min-share 9 > out
not grep -q "prefill" out
not grep -q "A::A1" out
has out "--min-share 9"
show --flat --sort launches --columns launches,time > out
has out "A › A::A1"
[[ $(rows < out | sed -n 1p) == A ]]
not grep -q "^region.*share" out
# By a metric, named as far as it is unique; outer regions stay for context.
show --sort sm__throughput --flat --top 1 --columns sm__throughput > out
[[ $(rows < out) == B ]]
show --columns "Compute (SM) Throughput" > out
has out "43.81 %"
# As the program ran.
show --sort order > out
[[ $(rows < out | sed -n 1p) == A && $(rows < out | tail -1) == "(unattributed)" ]]

show --by name > out
grep -q '^S2  .* 2 ' out
has out "name " "regions"
show --by kernel > out
has out "kernel " "mean" "burn<256>"
not grep -q "Kernels by time" out
show --by kernel --top 1 > out
has out "2 more kernels are not shown (--top 1)"

"$rangefinder" show "$fixtures/multiproc.ncu-rep" > out
has out "2 processes and devices together" "--scope all" "--by rank"
[[ $(grep -c 'A::A1' out) == 1 ]]
not grep -q "max/mean" out        # the processes are no ranks of one job
"$rangefinder" show --scope all "$fixtures/multiproc.ncu-rep" > out
[[ $(grep -c 'A::A1' out) == 3 ]]
"$rangefinder" show --by rank "$fixtures/multiproc.ncu-rep" > out
has out "process:494/device:0" "process:495/device:0" "1.00×"
"$rangefinder" show --scope process:494/device:0 "$fixtures/multiproc.ncu-rep" > out
[[ $(head -1 out) == process:494/device:0* ]]
"$rangefinder" show --columns max/mean "$fixtures/multiproc.ncu-rep" > out
has out "× process 494"

status 2 show --sort tme 2> err
has err "report.table.sort (--sort): there is no column 'tme'; did you mean 'time'?"
status 2 show --columns time,sm__throughputt 2> err
has err "report.table.columns (--columns): " "did you mean 'sm__throughput'?"
# An option without a value takes no word behind it.
for words in --columns= "--columns ," "--columns=," --format= --sort=; do
  status 2 show $words 2> err
  has err "${words%%[= ]*} needs a value"
done
status 2 "$rangefinder" show --scope process:495/device:0 "$capture" 2> err
has err "did you mean 'process:1936/device:0'?"
status 2 show --by kernle 2> err
has err "did you mean 'kernel'?"
status 2 show --format md --top 3 2> err
has err "--format md has no use for --top"
# Before anything runs.
status 2 profile --sort tme -- touch ran 2> err
has err "did you mean 'time'?"
[[ ! -e ran ]]
# At the end of a run a metric that is not there is no failure.
profile --sort no__such_metric.sum --top 2 -- true > out 2> err
has err "warning: report.table.sort (--sort): there is no column 'no__such_metric.sum'"
has out "(--top 2)"
