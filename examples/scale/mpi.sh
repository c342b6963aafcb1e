#!/usr/bin/env bash
# Summarizes each rank's run where it lies; the last rank of each node merges
# the node's, and the last node merges all:
#
#   mpirun -n 64 rangefinder discover hydra.run.dir=$PWD/run -- ./app
#   mpirun -n 64 examples/scale/mpi.sh job.rfsum run
#   rangefinder report job.rfsum
#
# The run directory is that of all ranks, or each has its own: 'run/%r' is the
# rank's, 'run/%h' the host's. job.rfsum lies where all nodes can write; what is
# in job.rfsum.parts beside it is gone at the end. RANGEFINDER is the binary.
# Nothing here calls MPI: ranks are known as their launcher names them.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [ $# != 2 ]; then
  sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
output=$1
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:-}}}
ranks=${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:-${SLURM_NTASKS:-}}}
if [ -z "$rank" ] || [ -z "$ranks" ]; then
  echo "mpi.sh: no rank and number of ranks: start it with mpirun or srun" >&2
  exit 2
fi
host=$(hostname)
# Where the launcher does not say how many ranks a node has, one node has all.
here=${OMPI_COMM_WORLD_LOCAL_SIZE:-${MPI_LOCALNRANKS:-}}
node=$output.parts/${host}
if [ -z "$here" ]; then
  here=$ranks
  node=$output.parts/all
fi
input=${2//%r/$rank}
input=${input//%h/$host}
its=()
case $2 in *%r*) ;; *) its=(--rank "$rank") ;; esac

# `is_last FOLDER WHO HOW_MANY ALL`: WHO, who stands for HOW_MANY, is done;
# succeeds once, for the one that sees all of them done.
is_last() {
  local done=0 one
  mkdir -p "$1"
  echo "$3" > "$1/.part.$2"
  mv "$1/.part.$2" "$1/done.$2"
  for one in "$1"/done.*; do done=$((done + $(cat "$one"))); done
  [ "$done" = "$4" ] && mkdir "$1/last" 2> /dev/null
}

summarize_into "$node/rank$rank" "$input" ${its[@]+"${its[@]}"}
if is_last "$node/ranks" "$rank" 1 "$here"; then
  merge_into "$node/node" "$node"/rank[0-9]*[0-9] "$node"/rank[0-9]
  if is_last "$output.parts/nodes" "$(basename "$node")" "$here" "$ranks"; then
    finish "$output" "$output.parts"
  fi
fi
