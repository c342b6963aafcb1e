# shellcheck shell=bash
# Sourced by mpi.sh and slurm.sh: summaries of ranks become summaries of nodes,
# and those become one. They lie in OUTPUT.parts, a folder that all nodes see:
#
#   NODE/rank7.rfsum    or rank7.failed, with the reason: a folder a node, so
#                       that nobody lists the files of all ranks
#   nodes/NODE.rfsum    the merged summaries of a node
#
# Arguments may be any file names: scripts pass them on as single words, and no
# list of names is separated by newlines.

set -eu -o pipefail
shopt -s nullglob

# `absolute PATH`: sets $REPLY to the path from the root, which no command takes
# for an option. Not by $(…), which cuts newlines off the end of a name.
absolute() {
  case $1 in
    /*) REPLY=$1 ;;
    *) REPLY=$PWD/$1 ;;
  esac
}

rangefinder=${RANGEFINDER:-rangefinder}
if [[ $rangefinder == */* ]]; then
  absolute "$rangefinder"
  rangefinder=$REPLY
fi

# `say_usage SCRIPT`: prints the comment at the top of the script.
say_usage() {
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$1" >&2
}

# `summarize_into NAME INPUT [OPTION…]`: writes NAME.rfsum, or NAME.failed. A
# rank that cannot be summarized does not stop the others.
summarize_into() {
  local name=$1 status=0 reason
  shift
  mkdir -p "${name%/*}"
  rm -f "$name.rfsum" "$name.failed"
  "$rangefinder" summarize "$@" -o "$name.rfsum" \
    < /dev/null 2> "$name.said" || status=$?
  if [[ $status != 0 ]]; then
    reason=$(tail -n 1 "$name.said")
    echo "${reason:-rangefinder ended with status $status}" > "$name.part"
    mv "$name.part" "$name.failed"
  fi
  rm -f "$name.said"
}

# `merge_folder FOLDER OUTPUT`: merges the summaries that lie in FOLDER, by their
# names inside it. Without any it writes nothing, and its status is 0, too.
merge_folder() (
  cd "$1"
  summaries=(*.rfsum)
  if [[ ${#summaries[@]} != 0 ]]; then
    printf '%s\n' "${summaries[@]}" > merge.list
    "$rangefinder" merge @merge.list -o "$2"
    rm -f merge.list
  fi
)

# `merge_node PARTS NODE`: makes nodes/NODE.rfsum.
merge_node() {
  mkdir -p "$1/nodes"
  merge_folder "$1/$2" "$1/nodes/$2.rfsum"
}

# `finish OUTPUT PARTS`: merges the summaries of the nodes. Names the inputs that
# were left out; the status is 1 then.
finish() {
  local output=$1 parts=$2 failed summaries
  local all_failed=("$parts"/*/*.failed)
  for failed in "${all_failed[@]}"; do
    echo "left out: ${failed#"$parts"/}: $(< "$failed")" >&2
  done
  summaries=("$parts"/nodes/*.rfsum)
  if [[ ${#summaries[@]} = 0 ]]; then
    echo "nothing could be summarized" >&2
    return 1
  fi
  merge_folder "$parts/nodes" "$output"
  [[ ${#all_failed[@]} = 0 ]]
}
