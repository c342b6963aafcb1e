#!/bin/bash
# A tree of merges on a Dask cluster whose workers are killed on the way:
# the same bytes as one merge.
. "$(dirname "$0")/common.sh"
python=
for candidate in python3 /usr/bin/python3; do
  "$candidate" -c 'import distributed' 2> /dev/null && python=$candidate && break
done
[ -n "$python" ] || skip "no python3-distributed"
ranks_of_a_job 20

# Kills the worker that calls it, once in a summary and once in a merge.
cat > "$t/bin/rangefinder" << SH
#!/bin/bash
case "\$1 \$2" in
  summarize*rank7.*) mkdir "$t/killed.summarize" 2> /dev/null && kill -9 \$PPID ;;
  merge*) mkdir "$t/killed.merge" 2> /dev/null && kill -9 \$PPID ;;
esac
exec "$rangefinder" "\$@"
SH
chmod +x "$t/bin/rangefinder"

dask_report() {
  timeout 300 "$python" "$source_dir/examples/scale/dask_report.py" \
    --workers 3 --fan-in 4 --rangefinder "$t/bin/rangefinder" "$@"
}
dask_report 'runs/*.rftrace' -o dask 2> err
cmp one dask
[ -d killed.summarize ] && [ -d killed.merge ]

# One run directory of all ranks.
dask_report run --ranks 20 -o dask.of.one.run 2> err
cmp one dask.of.one.run

# A missing input is named, and the rest is merged.
head -c 100 runs/rank3.rftrace > runs/cut
status 1 dask_report 'runs/*.rftrace' runs/cut runs/none -o dask2 2> err
cmp one dask2
has err 'left out' 'runs/none'
