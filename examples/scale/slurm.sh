#!/usr/bin/env bash
# Summarizes runs on the nodes of a Slurm job, merges them a node, and merges
# the nodes in a second job that waits for the first:
#
#   examples/scale/slurm.sh job.rfsum 8 run/rank*       on 8 nodes, a run each
#   RANKS=512 examples/scale/slurm.sh job.rfsum 8 run   one run of 512 ranks
#   rangefinder report job.rfsum                        when both are done
#
# job.rfsum lies where all nodes can write; job.rfsum.parts beside it is gone at
# the end. SUMMARIZE_OPTIONS and MERGE_OPTIONS go to sbatch (partition, account,
# time, tasks a node), RANGEFINDER is the binary. Runs that lie on their nodes
# alone: `srun examples/scale/mpi.sh job.rfsum /scratch/run` in their own job.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

self=$(realpath "${BASH_SOURCE[0]}")
export RANGEFINDER=$rangefinder RANKS=${RANKS:-}

# One of these runs on the nodes, as the first argument says.
case ${1:-} in
  --rank)  # OUTPUT: every so manieth input of the list is this task's
    number=0
    while IFS= read -r input; do
      if [ $((number % SLURM_NTASKS)) = "$SLURM_PROCID" ]; then
        summarize_into "$2.parts/node$SLURM_NODEID/input$number" \
          ${RANKS:+--rank "$number"} "$input"
      fi
      number=$((number + 1))
    done < "$2.parts/inputs"
    exit
    ;;
  --node)  # OUTPUT: what this node has
    node=$2.parts/node$SLURM_NODEID
    mkdir -p "$node"
    merge_into "$node/node" "$node"/input*[0-9]
    exit
    ;;
  --finish)  # OUTPUT: also of nodes whose merge never ran
    number=0
    while IFS= read -r input; do
      part=$(echo "$2.parts"/*/"input$number"*)
      if [ ! -f "${part%% *}" ]; then
        mkdir -p "$2.parts/lost"
        echo "$input: its task never ended" > "$2.parts/lost/input$number.failed"
      fi
      number=$((number + 1))
    done < "$2.parts/inputs"
    for node in "$2.parts"/node*; do
      [ -f "$node/node" ] || merge_into "$node/node" "$node"/input*[0-9]
    done
    finish "$2" "$2.parts"
    exit
    ;;
esac

if [ $# -lt 3 ] || ! [[ $2 =~ ^[1-9][0-9]*$ ]]; then
  sed -n '2,14s/^# \{0,1\}//p' "$self" >&2
  exit 2
fi
output=$(realpath -m "$1")
nodes=$2
shift 2
mkdir -p "$output.parts"
realpath -m -- "$@" > "$output.parts/inputs"
if [ -n "${RANKS:-}" ]; then  # a line a rank
  run=$(head -n 1 "$output.parts/inputs")
  for ((rank = 0; rank < RANKS; rank++)); do echo "$run"; done \
    > "$output.parts/inputs"
fi

command=$(printf '%q --%%s %q' "$self" "$output")
# shellcheck disable=SC2059,SC2086  # the command is a format, options are words
first=$(sbatch --parsable --nodes="$nodes" ${SUMMARIZE_OPTIONS:-} --wrap="
srun $(printf "$command" rank)
srun --nodes=$nodes --ntasks=$nodes --ntasks-per-node=1 $(
  printf "$command" node)")
# Also where a step failed: what is missing is said then.
# shellcheck disable=SC2059,SC2086
sbatch --parsable --dependency="afterany:${first%%;*}" ${MERGE_OPTIONS:-} \
  --wrap="$(printf "$command" finish)"
