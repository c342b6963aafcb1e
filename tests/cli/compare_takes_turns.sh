#!/bin/bash
# compare profiles both sides in turn and diffs them; a failed run is named
# and ends it.
. "$(dirname "$0")/common.sh"
needs_tracer
plain=(pipeline.counters.enable=false 'report.formats=[json]')

"$rangefinder" compare --runs 3 "${plain[@]}" hydra.run.dir="$t/runs" \
  --format json -- "$ranges" gpu 3 ::: "$ranges" gpu 6 > out 2> err
# ABBA, each run in a folder of its own, with its output.
[ "$(grep -oE '(base|new)-[0-9]$' err | tr '\n' ' ')" = \
  "base-1 new-1 new-2 base-2 base-3 new-3 " ]
for run in base-1 base-2 base-3 new-1 new-2 new-3; do
  [ -f "$t/runs/$run/output.txt" ] && [ -f "$t/runs/$run/ncu/regions/report.json" ]
done
has err "the runs are in $t/runs"
python3 - << 'PY'
import json

diff = json.load(open("out"))
facts = [fact["text"] for region in diff["regions"] for fact in region["facts"]]
assert any("3 → 6 instances" in fact for fact in facts), facts
assert [len(diff[side]["runs"]) for side in ("base", "new")] == [3, 3]
PY

# One program in two environments, and with an override of one side.
# An option takes one word: the keys behind it are keys.
"$rangefinder" compare --runs 1 --base-env SIDE=a --new-env SIDE=b \
  --new-env MORE=c --new regions.threads=adopt "${plain[@]}" \
  hydra.run.dir="\"$t/b's env\"" -- \
  /bin/sh -c 'echo "side $SIDE$MORE"; exec '"$ranges"' gpu 3' > out 2> err
grep -qx "side a" "b's env/base-1/output.txt"
grep -qx "side bc" "b's env/new-1/output.txt"
has out "the same"

status 3 "$rangefinder" compare --runs 2 "${plain[@]}" hydra.run.dir="$t/bad" -- \
  "$ranges" gpu 3 ::: /bin/sh -c 'exit 9' > out 2> err
has err "new-1"
status 2 "$rangefinder" compare -- "$ranges" gpu 3 > out 2> err
has err "nothing that differs"
status 2 "$rangefinder" compare diff.gate.time=x -- a ::: b > out 2> err
has err "diff.gate.time"
# Errors of either side, before anything runs.
refused() {
  local text=$1
  shift
  status 2 "$rangefinder" compare --runs 1 "${plain[@]}" hydra.run.dir="$t/none" "$@" > out 2> err
  has err "$text"
  [ ! -e ran ] && [ ! -e none ]
}
refused "new: Could not override 'a.b'" --new a.b=1 -- touch ran ::: touch ran
refused "base: regions.include" --base 'regions.include=["regex:("]' -- touch ran ::: touch ran
refused "new: there is no program ./none" -- touch ran ::: ./none
refused "--new-env =x: expected NAME=VALUE" --new-env =x -- touch ran
# A side with variables of its own may find its program by them alone.
mkdir other && printf '#!/bin/sh\n' > other/prog && chmod +x other/prog
"$rangefinder" compare --runs 1 hydra.run.dir="$t/path" --base-env PATH="$t/other:$PATH" \
  --new-env PATH="$PATH:$t/other" -- prog > out 2> err
refused "::: stands once" -- touch ran ::: touch ran ::: touch ran
