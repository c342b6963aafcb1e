#!/bin/bash
# The fault of an input decides the exit status.
. "$(dirname "$0")/common.sh"
cd "$t"

expect() {
  local want=$1 status=0
  shift
  "$@" > out 2> err || status=$?
  [[ $status == "$want" ]] || { echo "$* gave $status, not $want"; cat err; exit 1; }
}

printf '' > empty.ncu-rep
head -c 5000 /dev/urandom > random.ncu-rep
printf 'not a zstd stream' > broken.ncu-repz
head -c 700 "$fixtures/graph_graph.ncu-rep" > nothing_left.ncu-rep
head -c 36000 "$fixtures/nested_basic.ncu-rep" > cut.ncu-rep
mkdir nothing

for file in empty random nothing_left; do
  expect 5 "$rangefinder" show $file.ncu-rep
  grep -q "$file.ncu-rep" err
done
expect 5 "$rangefinder" show broken.ncu-repz
expect 7 "$rangefinder" show missing.ncu-rep
grep -q 'no such file' err
expect 2 "$rangefinder" show nothing
expect 2 "$rangefinder" show
expect 2 "$rangefinder" show --no-such-flag cut.ncu-rep
expect 2 "$rangefinder" nosuchcommand
expect 2 "$rangefinder" filter 'regex:(' "$fixtures/graph_graph.ncu-rep"
has err "missing )"
# For a program, that an expression is invalid is an answer.
expect 0 "$rangefinder" filter 'regex:(' --format json "$fixtures/graph_graph.ncu-rep"
[ "$(json out 'd["valid"]')" = false ]
expect 2 "$rangefinder" show "$fixtures/graph_graph.ncu-rep" 'regions.include=[regex:(]'
# Before the program runs.
for command in discover profile; do
  expect 2 "$rangefinder" $command hydra.run.dir="$t/run" 'regions.include=["regex:("]' \
    -- touch ran
  [ ! -e ran ]
done

# A report of another version is intact.
mkdir newer
"$rangefinder" show --format json "$fixtures/graph_graph.ncu-rep" > report.json
sed 's#report/2#report/3#' report.json > newer/report.json
for command in "show newer/report.json" "show newer" "diff report.json newer/report.json"; do
  # shellcheck disable=SC2086 # several words
  expect 6 "$rangefinder" $command
  has err "newer/report.json: a report.json of schema rangefinder.report/3; this version reads"
done

# Selecting nothing is an answer.
expect 0 "$rangefinder" show "$fixtures/graph_graph.ncu-rep" 'regions.include=[nosuch]'
grep -q 'matches nothing' out

# Half a capture gives half a report, and says so.
head -c 700000 "$fixtures/nested_basic.ncu-rep" > half.ncu-rep
expect 0 "$rangefinder" show half.ncu-rep
grep -q 'data loss: the file is truncated' out

# Of files without a common folder, notes have the whole paths.
expect 0 "$rangefinder" show "$fixtures/graph_graph.ncu-rep" /proc/version
has out "data loss: /proc/version: not a capture" "(/proc/version)"

# A folder keeps nothing back: its unreadable captures have the notes that they
# have by name, and other files have none.
mkdir -m 755 several
cp "$fixtures/graph_graph.ncu-rep" several/a.ncu-rep
: > several/c.ncu-rep
printf 'garbage!' > several/d.sqlite
printf 'garbage!' | tee several/e.rftrace.part > several/notes.txt
expect 0 "$rangefinder" show several
has out "data loss: c.ncu-rep: the file is empty" "data loss: d.sqlite: not a capture"
not grep -qE 'rftrace.part|notes.txt' out
rm several/a.ncu-rep several/d.sqlite
expect 5 "$rangefinder" show several
has err "several/c.ncu-rep: the file is empty"

# The same of a timeline, which reads traces alone.
expect 0 "$rangefinder" show --format perfetto "$fixtures/nccl_rank0.rftrace.zst" random.ncu-rep
has err "random.ncu-rep"

# As another user, since the system refuses root nothing.
as_user=()
[ "$(id -u)" != 0 ] || as_user=(setpriv --reuid=64999 --clear-groups)
chmod 711 "$t"
rm several/c.ncu-rep
install -m 000 "$fixtures/graph_graph.ncu-rep" several/n.ncu-rep
if "${as_user[@]}" "$rangefinder" --version > out 2>&1; then
  expect 7 "${as_user[@]}" "$rangefinder" show several
  has err "several/n.ncu-rep: cannot open: Permission denied"
  cp "$fixtures/graph_graph.ncu-rep" several/a.ncu-rep
  expect 0 "${as_user[@]}" "$rangefinder" show several
  has out "data loss: n.ncu-rep: cannot open: Permission denied"
else
  left_out "files that cannot be read: no other user can be had"
fi
