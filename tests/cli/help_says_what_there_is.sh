#!/bin/bash
# The program alone and --help describe it, with commands and examples; each
# command has its synopsis, its own options and examples; a mistyped word gets
# the nearest that there is.
. "$(dirname "$0")/common.sh"

"$rangefinder" > alone
"$rangefinder" --help > help
"$rangefinder" help > word
cmp alone help
cmp alone word
has help "NVTX regions" "Usage: rangefinder COMMAND" "Examples:" "--version" "--config-dir"
[[ $(grep -c '^  rangefinder ' help) == 3 ]]

# Every command that is listed works, has an example that begins with it, and no
# other is listed.
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' help)
[[ $commands == $'profile\ndiscover\nrun\nwindow\nreport\nshow\nexplain\ndiff\ncompare\nsummarize\nmerge\nfilter\nkernels\ncounters\nserve\nmcp\nconfig\ncompletion\ndoctor' ]]
for command in $commands; do
  "$rangefinder" "$command" --help > out
  has out "Usage: rangefinder $command " "Examples:" "Options of every command:" "--quiet"
  grep -q "^  .*rangefinder $command" out
  "$rangefinder" help "$command" | cmp - out
done
"$rangefinder" profile --help > out
has out "--dry-run" "-- PROGRAM"
not grep -q -e "--explain" out
# A command describes the keys that it reads, and no others.
has out "pipeline.ncu.enable" "Collect with Nsight Compute." "regions.include"
not grep -q "diff.gate" out
"$rangefinder" show --help > out
has out "regions.include" "--top N" "report.table.top"
not grep -q "pipeline" out
"$rangefinder" counters --help > out
not grep -q "Keys of the configuration" out
for width in 60 80 120; do
  COLUMNS=$width "$rangefinder" --help | grep -v '^  rangefinder' > out
  [[ $(wc -L < out) -le $((width < 100 ? width : 100)) ]]
done

status 2 "$rangefinder" reprot run.ncu-rep 2> err
has err "no command 'reprot'; did you mean 'report'?"
status 2 "$rangefinder" xyzzy 2> err
has err "there are profile, discover, run, window"
touch run.ncu-rep
status 2 "$rangefinder" run.ncu-rep 2> err
has err "rangefinder show run.ncu-rep"
status 2 "$rangefinder" -- ./app 'a b' 2> err
has err "rangefinder profile -- ./app 'a b'"
status 2 "$rangefinder" --quiet 2> err
has err "no command; rangefinder --help"
status 2 "$rangefinder" show --formt json x 2> err
has err "show has no option --formt; did you mean --format?"
status 2 "$rangefinder" doctor --nosuchthing 2> err
has err "doctor has no option --nosuchthing; rangefinder doctor --help lists them"
# Options of every command may stand before the command.
"$rangefinder" --color never show "$fixtures/nested_basic.ncu-rep" > out
has out "A::A1"
