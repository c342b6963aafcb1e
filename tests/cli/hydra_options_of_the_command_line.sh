#!/bin/bash
# Hydra's options of the command line are understood, or refused with an
# alternative; no message advises a refused option.
. "$(dirname "$0")/common.sh"

"$rangefinder" config device=cuda:1 > config
# --cfg prints the configuration that the command would have, and runs nothing.
"$rangefinder" config --cfg job device=cuda:1 | cmp - config
"$rangefinder" config -c job device=cuda:1 | cmp - config
"$rangefinder" profile --cfg job pipeline.ncu.enable=false device=cuda:1 -- touch ran |
  cmp - config
"$rangefinder" profile --cfg job -- touch ran > out
has out "enable: true"
[[ ! -e ran ]]
"$rangefinder" config --cfg hydra > out
[[ $(head -1 out) == hydra: ]]
not grep -q '^  help:\|^device:' out
"$rangefinder" config --cfg all > out
has out "device: cuda:0" "hydra:" "  help:"
"$rangefinder" config --cfg job --package regions.domains > out
has out "# @package regions.domains"
status 2 "$rangefinder" config --cfg jbo 2> err

mkdir own
printf 'device: cuda:7\n' > own/mine.yaml
for words in "--config-dir own --config-name mine" "-cd own -cn mine" "-cd=own -cn=mine"; do
  "$rangefinder" config $words > out
  has out "device: cuda:7"
done
status 2 "$rangefinder" config --config-path own 2> err
has err "--config-dir own"

for flag in --multirun -m; do
  status 2 "$rangefinder" profile $flag device=a,b -- true 2> err
  has err "one run at a time" "for v in"
done
status 2 "$rangefinder" profile device=a,b -- true 2> err
has err "1. To use it as a list" "run Rangefinder once a value"
not grep -q -e "add --multirun" err
