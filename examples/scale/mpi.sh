#!/usr/bin/env bash
# Summarizes each rank's run where it lies; the last rank of each node merges
# the node's summaries, and the last node merges those of all nodes:
#
#   mpirun -n 64 rangefinder discover hydra.run.dir=$PWD/run -- ./app
#   mpirun -n 64 examples/scale/mpi.sh job.rfsum run
#   rangefinder report job.rfsum
#
# The run directory is that of all ranks, or each rank has its own: %r in its
# name stands for the rank, %h for the host. job.rfsum lies where all nodes can
# write. job.rfsum.parts beside it is removed at the end; after a failure it
# stays, and a second run does not mind. RANGEFINDER names the binary.
#
# Nothing here calls MPI: a rank is known by the variables of its launcher.
# Where those do not name the job (MPICH's mpiexec), remove job.rfsum.parts
# after a run in which some rank was never started.

# shellcheck source=examples/scale/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [[ $# != 2 ]]; then
  say_usage "${BASH_SOURCE[0]}"
  exit 2
fi

here=  # ranks of this node; empty: not known, and one node stands for all
job=
if [[ -n ${OMPI_COMM_WORLD_RANK:-} ]]; then
  rank=$OMPI_COMM_WORLD_RANK ranks=${OMPI_COMM_WORLD_SIZE:-}
  here=${OMPI_COMM_WORLD_LOCAL_SIZE:-}
  job=${PMIX_NAMESPACE:-${OMPI_MCA_ess_base_jobid:-}}
elif [[ -n ${PMI_RANK:-} ]]; then
  rank=$PMI_RANK ranks=${PMI_SIZE:-}
  here=${MPI_LOCALNRANKS:-}
  job=${PMI_JOBID:-}
else
  rank=${SLURM_PROCID:-} ranks=${SLURM_NTASKS:-}
  job=${SLURM_JOB_ID:-}.${SLURM_STEP_ID:-}
fi
if ! [[ $rank =~ ^[0-9]+$ && $ranks =~ ^[0-9]+$ ]]; then
  echo "mpi.sh: no rank and number of ranks: start it with mpirun or srun" >&2
  exit 2
fi

absolute "$1"
output=$REPLY
host=$(hostname)
node=$host
if [[ -z $here ]]; then
  here=$ranks
  node=all
fi
input=${2//%r/"$rank"}
absolute "${input//%h/"$host"}"
input=$REPLY
options=()
if [[ $2 != *%r* ]]; then options=(--rank "$rank"); fi

# Files of an earlier run count for nothing in this one: each run of a job has
# its own folder, the first one that this rank has not taken part in.
run=1
job=${job//\//_}
while [[ -e $output.parts/$job.$run/begun/$rank ]]; do run=$((run + 1)); done
parts=$output.parts/$job.$run
mkdir -p "$parts/begun/$rank"

# `mark_done KIND WHO COUNT ALL`: marks WHO, who stands for COUNT ranks, as done.
# Sets $last for one caller only: the one that finds ALL ranks done.
mark_done() {
  local folder=$parts/done.$1 done=0 mark count
  mkdir -p "$folder"
  echo "$3" > "$folder/.$2"
  mv "$folder/.$2" "$folder/mark.$2"
  for mark in "$folder"/mark.*; do
    read -r count < "$mark"
    done=$((done + count))
  done
  last=
  if [[ $done = "$4" ]] && mkdir "$folder/last" 2> /dev/null; then last=yes; fi
}

summarize_into "$parts/$node/rank$rank" "$input" "${options[@]}"
mark_done "$node" "$rank" 1 "$here"
if [[ -z $last ]]; then exit; fi
merge_node "$parts" "$node"
mark_done all.nodes "$node" "$here" "$ranks"
if [[ -z $last ]]; then exit; fi
finish "$output" "$parts"
rm -rf "$output.parts"
