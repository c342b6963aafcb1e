#!/usr/bin/env bash
# Summarizes runs on the nodes of a Slurm job, merges the summaries of each
# node, and merges the nodes in a second job that waits for the first:
#
#   examples/scale/slurm.sh job.rfsum 8 run/rank*       on 8 nodes, a run each
#   RANKS=512 examples/scale/slurm.sh job.rfsum 8 run   one run of 512 ranks
#   rangefinder report job.rfsum                        when both are done
#
# job.rfsum lies where all nodes can write. job.rfsum.parts beside it is removed
# at the end, and kept after a failure until the next run. The words of
# SUMMARIZE_OPTIONS and MERGE_OPTIONS go to sbatch (partition, account, time,
# tasks per node); RANGEFINDER names the binary. For runs on the nodes' own
# disks: `srun examples/scale/mpi.sh job.rfsum /scratch/run` in their own job.

# shellcheck source=examples/scale/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

absolute "${BASH_SOURCE[0]}"
self=$REPLY
ranks=${RANKS:-}

# `each_input DO PARTS`: calls DO with number and path of each input in the list,
# in which every path ends with a NUL.
each_input() {
  local number=0 input
  while IFS= read -r -d '' input; do
    "$1" "$number" "$input"
    number=$((number + 1))
  done < "$2/inputs"
}

# ---- On the nodes: the first argument says which part of the job to do ----------

# Of N tasks, task k summarizes the inputs k, k + N, and so on.
summarize_mine() {
  local options=()
  if [[ $(($1 % ${SLURM_NTASKS:?})) != "${SLURM_PROCID:?}" ]]; then return; fi
  if [[ -n $ranks ]]; then options=(--rank "$1"); fi
  summarize_into "$parts/node${SLURM_NODEID:?}/input$1" "$2" "${options[@]}"
}

# An input whose task was killed has neither a summary nor a reason.
fail_if_lost() {
  if [[ -n ${seen[$1]:-} ]]; then return; fi
  mkdir -p "$parts/lost"
  printf '%q: its task was killed or never started\n' "$2" \
    > "$parts/lost/input$1.failed"
}

# STEP OUTPUT RANGEFINDER RANKS
if [[ ${1:-} =~ ^--(rank|node|finish)$ && $# = 4 ]]; then
  parts=$2.parts rangefinder=$3 ranks=$4
  case $1 in
    --rank) each_input summarize_mine "$parts" ;;
    --node)
      node=node${SLURM_NODEID:?}
      mkdir -p "$parts/$node"
      merge_node "$parts" "$node"
      ;;
    *)
      declare -A seen=()
      for part in "$parts"/node*/input*.{rfsum,failed}; do
        part=${part##*/input}
        seen[${part%%.*}]=1
      done
      each_input fail_if_lost "$parts"
      for node in "$parts"/node[0-9]*; do
        node=${node##*/}
        # The step that merges the node may have been lost, too.
        if [[ ! -e $parts/nodes/$node.rfsum ]]; then merge_node "$parts" "$node"; fi
      done
      finish "$2" "$parts"
      rm -rf "$parts"
      ;;
  esac
  exit
fi

# ---- Where the jobs are submitted ------------------------------------------------

if [[ $# -lt 3 ]] || ! [[ $2 =~ ^[1-9][0-9]*$ ]] ||
  ! [[ $ranks =~ ^([1-9][0-9]*)?$ ]] || [[ -n $ranks && $# != 3 ]]; then
  say_usage "$self"
  exit 2
fi
absolute "$1"
output=$REPLY
nodes=$2
shift 2
rm -rf "$output.parts"  # of an earlier run
mkdir -p "$output.parts"
for input in "$@"; do
  absolute "$input"
  for ((rank = 0; rank < ${ranks:-1}; rank++)); do printf '%s\0' "$REPLY"; done
done > "$output.parts/inputs"

# `quoted WORD…`: sets $REPLY to the words as sh reads them. Not by printf's %q,
# whose $'…' is bash's alone: sbatch runs a --wrap by sh.
quoted() {
  local word words=
  for word in "$@"; do words+=" '${word//\'/\'\\\'\'}'"; done
  REPLY=${words# }
}

its=("$output" "$rangefinder" "$ranks")
quoted "$self" --rank "${its[@]}"
wrap="srun $REPLY"
quoted "$self" --node "${its[@]}"
wrap+="
srun --nodes=$nodes --ntasks=$nodes --ntasks-per-node=1 $REPLY"
read -r -a options <<< "${SUMMARIZE_OPTIONS:-}"
first=$(sbatch --parsable --nodes="$nodes" "${options[@]}" --wrap="$wrap")
# After any end of the first job: inputs that it lost are named then.
quoted "$self" --finish "${its[@]}"
read -r -a options <<< "${MERGE_OPTIONS:-}"
sbatch --parsable --dependency="afterany:${first%%;*}" "${options[@]}" \
  --wrap="$REPLY"
