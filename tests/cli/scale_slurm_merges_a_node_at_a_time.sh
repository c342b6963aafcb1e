#!/bin/bash
# Under Slurm: every task its share, a merge a node, the rest in a job that
# waits for it; by stand-ins for sbatch and srun.
. "$(dirname "$0")/common.sh"
ranks_of_a_job 20

cat > "$t/bin/sbatch" << 'SH'
#!/bin/bash
# Runs the job at once, with the nodes that it asks for.
nodes=1
for word in "$@"; do
  case $word in
    --nodes=*) nodes=${word#*=} ;;
    --wrap=*) wrap=${word#*=} ;;
    *) echo "$word" ;;
  esac
done >> "$LOG"
STAND_IN_NODES=$nodes sh -c "$wrap" >> "$LOG.said" 2>&1
echo "17;cluster"
SH
cat > "$t/bin/srun" << 'SH'
#!/bin/bash
# Two tasks a node, or as many as are asked for, all at once.
tasks=$((STAND_IN_NODES * 2))
while [[ $1 == --* ]]; do
  [[ $1 == --ntasks=* ]] && tasks=${1#*=}
  shift
done
[[ $2 != --node || ! -e $LOG.lost ]] || exit 1
each=$((tasks / STAND_IN_NODES))
for ((task = 0; task < tasks; task++)); do
  [[ $2 != --rank || ! -e $LOG.killed || $task != 4 ]] || continue
  SLURM_PROCID=$task SLURM_NTASKS=$tasks SLURM_NODEID=$((task / each)) "$@" &
done
wait
SH
chmod +x "$t/bin/sbatch" "$t/bin/srun"
export LOG=$t/log RANGEFINDER=$rangefinder
slurm=$source_dir/examples/scale/slurm.sh

"$slurm" job 3 runs/*.rftrace > out
cmp one job
[ ! -e job.parts ]
has log '--dependency=afterany:17' '--parsable'

# One run directory of all ranks.
RANKS=20 "$slurm" job.of.one.run 3 run > out
cmp one job.of.one.run

# An input that cannot be summarized is named; the rest is merged.
"$slurm" job2 3 runs/*.rftrace runs/none > out
cmp one job2
has log.said 'left out' 'runs/none'
[ -d job2.parts ]

# Once it is there, a second run is complete, also on other nodes.
cp runs/rank0.rftrace runs/none
"$slurm" job2 2 runs/*.rftrace runs/none > out
cmp one job2
[ ! -e job2.parts ]
rm runs/none

# Inputs of a task that was killed are named, and their neighbours are not.
touch log.killed
: > log.said
"$slurm" job2 3 runs/*.rftrace > out
[ "$(grep -c 'killed or never started' log.said)" = 3 ]
[ -s job2 ]
not cmp -s one job2
rm log.killed
"$slurm" job2 3 runs/*.rftrace > out
cmp one job2

# Where the step of the nodes is lost, the summaries are merged in the end.
touch log.lost
"$slurm" job3 3 runs/*.rftrace > out
cmp one job3
rm log.lost

# Options are split into words, and no word is a pattern.
SUMMARIZE_OPTIONS='--partition=long --comment=r*' MERGE_OPTIONS='--time=5' \
  "$slurm" job4 3 runs/*.rftrace > out
has log '--partition=long' '--comment=r*' '--time=5'
cmp one job4

# Names of every kind, of folders, inputs, outputs and the script itself.
names_of_every_kind
mkdir "./$hostile"
cp runs/* "$source_dir"/examples/scale/*.sh "./$hostile"
for rank in {0..19}; do mv "./$hostile/rank$rank.rftrace" "./$hostile/$hostile$rank"; done
cd "./$hostile"
./slurm.sh "$hostile" 3 "$hostile"[0-9]* > ../out
cmp ../one "./$hostile"
[ ! -e "./$hostile.parts" ]
ln -s ../run "./${hostile}run"
RANKS=20 ./slurm.sh out 3 "./${hostile}run" > ../out
cmp ../one out
cd ..
not_obeyed

status 2 "$slurm" job4 3 2> err
RANKS=many status 2 "$slurm" job4 3 run 2> err
status 2 "$slurm" job4 none runs/rank0.rftrace 2> err
has err 'examples/scale/slurm.sh job.rfsum 8'
