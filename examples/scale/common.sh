# What mpi.sh and slurm.sh share: parts of a summary in a folder that all ranks
# of a node, and in the end all nodes, can see. To be sourced.
#
# One folder a node, so that nobody lists the files of all ranks.

set -eu -o pipefail

rangefinder=${RANGEFINDER:-rangefinder}

# `summarize_into FILE INPUT [OPTION…]`: FILE, or FILE.failed with the reason. A
# bad rank does not stop the others.
summarize_into() {
  local file=$1
  shift
  mkdir -p "$(dirname "$file")"
  if ! "$rangefinder" summarize "$@" -o "$file" 2> "$file.said"; then
    tail -n 1 "$file.said" > "$file.failed.part"
    mv "$file.failed.part" "$file.failed"
  fi
  rm -f "$file.said"
}

# `merge_into FILE PART…`: of the parts that there are.
merge_into() {
  local file=$1 part
  shift
  for part in "$@"; do
    if [ -f "$part" ]; then printf '%s\n' "$part"; fi
  done > "$file.list"
  if [ -s "$file.list" ]; then "$rangefinder" merge "@$file.list" -o "$file"; fi
  rm -f "$file.list"
}

# `finish OUTPUT PARTS`: of the summaries of nodes in PARTS; status 1 where an
# input was left out, which is said.
finish() {
  local output=$1 parts=$2 failed status=0
  merge_into "$output" "$parts"/*/node
  for failed in "$parts"/*/*.failed; do
    [ -f "$failed" ] || continue
    echo "${failed#"$parts"/}: left out: $(cat "$failed")" >&2
    status=1
  done
  if [ ! -f "$output" ]; then
    echo "nothing could be summarized" >&2
    return 1
  fi
  if [ $status = 0 ]; then rm -rf "$parts"; fi
  return $status
}
