#!/bin/bash
# Under MPI: each rank summarizes its own, the last of each node merges. With
# the variables of the launchers, and with mpirun where there is one.
. "$(dirname "$0")/common.sh"
ranks_of_a_job 12
ln -s "$rangefinder" bin/'rangefinder ;x'
export RANGEFINDER=$rangefinder
mpi=$source_dir/examples/scale/mpi.sh

# Two hosts of six ranks.
cat > "$t/bin/hostname" << 'SH'
#!/bin/sh
echo "node$((OMPI_COMM_WORLD_RANK / 6))"
SH
chmod +x "$t/bin/hostname"
for rank in {0..11}; do
  OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=12 \
    OMPI_COMM_WORLD_LOCAL_SIZE=6 "$mpi" job 'runs/rank%r.rftrace' &
done
wait
cmp one job
[ ! -e job.parts ]
rm "$t/bin/hostname"

# Of launchers that do not say how many ranks a node has, all are one node's.
for rank in {0..11}; do
  PMI_RANK=$rank PMI_SIZE=12 "$mpi" job2 'runs/rank%r.rftrace' &
done
wait
cmp one job2

# One run directory of all ranks: each takes its own.
for rank in {0..11}; do
  PMI_RANK=$rank PMI_SIZE=12 "$mpi" job.of.one.run run &
done
wait
cmp one job.of.one.run

# The last rank names a rank without a capture, and merges the rest.
mv runs/rank3.rftrace rank3
for rank in {0..11}; do
  PMI_RANK=$rank PMI_SIZE=12 "$mpi" job3 'runs/rank%r.rftrace' 2> "said$rank" || touch failed &
done
wait
[ -e failed ]
cat said* > said
has said 'left out' 'runs/rank3.rftrace'
[ -s job3 ]
not cmp -s one job3

# After it is repaired, a second run is complete; so is one after that.
mv rank3 runs/rank3.rftrace
for again in once twice; do
  rm -f job3
  for rank in {0..11}; do
    PMI_RANK=$rank PMI_SIZE=12 "$mpi" job3 'runs/rank%r.rftrace'
  done
  cmp one job3
  [ ! -e job3.parts ]
done

# Of a run that was killed nothing counts: not the marks of ranks that ended, nor
# their summaries. The launcher's name of the job tells the runs apart, also for
# a rank that the first run never started.
for run in killed complete; do
  for rank in {11..0}; do
    [ "$run" = complete ] || [ "$rank" != 5 ] || continue
    input='runs/rank%r.rftrace'
    [ "$run" = complete ] || input=runs/rank0.rftrace
    OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=12 PMIX_NAMESPACE="host/$run@1" \
      "$mpi" job5 "$input"
  done
done
cmp one job5
printf '#!/bin/sh\nkill -9 $PPID\n' > bin/killer
chmod +x bin/killer
for run in killed complete; do
  for rank in {0..11}; do
    if [ "$run.$rank" = killed.5 ]; then
      RANGEFINDER=killer PMI_RANK=5 PMI_SIZE=12 not "$mpi" job6 runs/none
    else
      PMI_RANK=$rank PMI_SIZE=12 "$mpi" job6 'runs/rank%r.rftrace'
    fi
  done
done
cmp one job6

# Names of every kind, of folders, inputs and outputs.
names_of_every_kind
mkdir "./$hostile"
cp runs/* "./$hostile"
cd "./$hostile"
for rank in {0..11}; do
  PMI_RANK=$rank PMI_SIZE=12 "$mpi" "$hostile" "../$hostile/rank%r.rftrace"
done
cmp ../one "./$hostile"
[ ! -e "./$hostile.parts" ]
for rank in {0..11}; do cp "rank$rank.rftrace" "./$hostile$rank"; done
for rank in {0..11}; do
  RANGEFINDER=../bin/rangefinder\ \;x PMI_RANK=$rank PMI_SIZE=12 "$mpi" out "$hostile%r"
done
cmp ../one out
cd ..
not_obeyed

status 2 "$mpi" job4 'runs/rank%r.rftrace' 2> err
has err 'mpirun'

if command -v mpirun > /dev/null; then
  mpirun --oversubscribe --allow-run-as-root -n 4 "$mpi" four 'runs/rank%r.rftrace'
  "$rangefinder" merge part.[0-3] -o four.at.once
  cmp four.at.once four
else
  echo 'no mpirun: the launcher itself is SKIPPED' >&2
fi
