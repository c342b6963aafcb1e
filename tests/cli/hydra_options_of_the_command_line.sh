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
# A folder or a file that the system refuses; as another user, since it refuses
# root nothing.
as_user=()
[ "$(id -u)" != 0 ] || as_user=(setpriv --reuid=64999 --clear-groups)
chmod 711 "$t"
if "${as_user[@]}" "$rangefinder" --version > out 2>&1; then
  mkdir -p closed/inner/x
  chmod 000 closed
  status 7 "${as_user[@]}" "$rangefinder" config --config-dir closed > out 2> err
  has err "$t/closed/config.yaml: cannot open: Permission denied"
  status 7 "${as_user[@]}" "$rangefinder" config --config-dir closed/inner > out 2> err
  has err "--config-dir closed/inner: Permission denied"
  chmod 755 closed
  chmod 000 closed/inner
  for group in inner inner/x; do
    status 7 "${as_user[@]}" "$rangefinder" config --config-dir closed +$group=mine > out 2> err
    has err "$t/closed/$group/mine.yaml: cannot open: Permission denied"
  done
  chmod 755 closed/inner
else
  left_out "folders that cannot be read: no other user can be had"
fi
status 2 "$rangefinder" config --config-path own 2> err
has err "--config-dir own"

for flag in --multirun -m; do
  status 2 "$rangefinder" profile $flag device=a,b -- true 2> err
  has err "one run at a time" "for v in"
done
status 2 "$rangefinder" profile device=a,b -- true 2> err
has err "1. To use it as a list" "run Rangefinder once a value"
not grep -q -e "add --multirun" err

# Values of Hydra's keys that would change nothing.
for command in discover profile; do
  status 2 "$rangefinder" $command hydra.run.dir="$t/run" hydra.mode=MULTIRUN \
    -- touch ran 2> err
  has err "hydra.mode: only RUN"
  [[ ! -e ran ]]
done
mkdir kept
"$rangefinder" config > kept/config.yaml
cp "$fixtures/graph_graph.ncu-rep" kept
for path in "$fixtures/graph_graph.ncu-rep" kept; do
  "$rangefinder" show "$path" hydra.mode=RUN hydra.output_subdir=null > out
  status 2 "$rangefinder" show "$path" hydra.mode=MULTIRUN 2> err
  has err "hydra.mode: only RUN"
  status 2 "$rangefinder" show "$path" hydra.output_subdir=x 2> err
  has err "hydra.output_subdir: only null"
done
