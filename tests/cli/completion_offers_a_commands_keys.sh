#!/bin/bash
# Completion offers a command its own options, and the keys and presets that the
# command reads; the values of a key are those of the settings table.
. "$(dirname "$0")/common.sh"

"$rangefinder" completion bash > script
source ./script
# The words that bash offers behind a command line.
offers() {
  COMP_LINE="rangefinder $1 $2"
  COMP_POINT=${#COMP_LINE}
  COMP_CWORD=2
  COMP_WORDS=(rangefinder "$1" "$2")
  _rangefinder || true  # compgen fails where it has no word
  printf '%s\n' "${COMPREPLY[@]}" > offered
}
compopt() { :; }

offers profile pipeline.ncu.en
has offered "pipeline.ncu.enable=true"
offers show pipeline.ncu.en
not grep -q pipeline offered
offers show regions.gr
has offered "regions.graphs="
offers show regions.graphs=
has offered nested launch capture
offers show --b
has offered "--by=region" "--by=rank"
offers profile profiling/counters@pipeline.counters=
has offered counters.memory
offers merge regions
not grep -q regions offered
offers diff diff.st
has offered diff.strict
if command -v zsh > out; then
  "$rangefinder" completion zsh > _rangefinder
  zsh -n _rangefinder
else
  left_out "the completion of zsh: no zsh"
fi
