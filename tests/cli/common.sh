# Every script here begins with:
#
#   . "$(dirname "$0")/common.sh"
#
# Sets $rangefinder (from RANGEFINDER), $fixtures, $fake_ncu and $t, a fresh
# folder that is the current one and is gone at the end. A script checks one
# behaviour and is named after it; any command that fails ends it as failed.

set -eu -o pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
rangefinder=$(realpath "${RANGEFINDER:-$source_dir/build/release/rangefinder}")
fixtures=$source_dir/tests/fixtures
fake_ncu=$source_dir/tests/fake_ncu/ncu

t=$(mktemp -d "${TMPDIR:-/tmp}/rangefinder.XXXXXX")
leave() {
  local status=$?
  set +e
  trap - EXIT
  if [ $status != 0 ] && [ $status != 77 ]; then
    head -n 20 "$t"/out "$t"/err >&2 2> /dev/null
  fi
  cd /
  rm -rf "$t"
  exit $status
}
trap leave EXIT
trap 'echo "FAILED at ${BASH_SOURCE[0]}:$LINENO: $BASH_COMMAND" >&2' ERR
cd "$t"

# The caller's environment does not change what a test sees.
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID
unset NVTX_INJECTION64_PATH CUDA_INJECTION64_PATH
unset "${!FAKE_NCU_@}"
export LC_ALL=C.UTF-8

# Succeeds when the command fails.
not() { if "$@"; then return 1; else return 0; fi; }

# `status N COMMAND…`: succeeds when the command ends with exit status N.
status() {
  local want=$1 got=0
  shift
  "$@" || got=$?
  if [ "$got" != "$want" ]; then
    echo "exit status $got, not $want: $*" >&2
    return 1
  fi
}

# Says loudly that a part of the script is left out, and why.
left_out() { echo "NOT CHECKED: $*" >&2; }

# Ends the script as skipped, and says why.
skip() {
  echo "SKIPPED: $*" >&2
  exit 77
}

# `has FILE TEXT…`: succeeds when the file holds each of the texts. Where a
# terminal's lines end depends on the paths in them: a line's end is a space.
has() {
  local file=$1
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$file" && continue
    tr -s '[:space:]' ' ' < "$file" | grep -F -- "$text" > /dev/null && continue
    echo "no '$text' in $file:" >&2
    head -50 "$file" >&2
    return 1
  done
}

# `json FILE EXPRESSION`: the value of a Python expression over the document `d`.
json() {
  python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
value = eval(sys.argv[2])
print(json.dumps(value) if isinstance(value, (dict, list, bool)) else value)' \
    "$1" "$2"
}

# `profile OVERRIDE… -- PROGRAM`: with the stand-in for ncu, into $t/run. It runs
# as `ncu` from PATH, as the real one does.
mkdir -p "$t/bin"
ln -s "$fake_ncu" "$t/bin/ncu"
PATH=$t/bin:$PATH
export FAKE_NCU_FIXTURES=$fixtures
profile() {
  "$rangefinder" profile hydra.run.dir="$t/run" pipeline.ncu.enable=true "$@"
}

# `needs_tracer`: $ranges is a program with NVTX ranges, and a stand-in for CUPTI
# plays the GPU where the tracer looks on (FAKE_CUPTI=busy: it refuses).
needs_tracer() {
  local build=${RANGEFINDER_BUILD:-$source_dir/build/release}
  ranges=$build/inject_ranges
  export RANGEFINDER_INJECT_LIBRARY=$build/librangefinder_inject.so
  export RANGEFINDER_CUPTI_PATH=$build/libinject_fake_cupti.so
  local needed
  for needed in "$ranges" "$RANGEFINDER_INJECT_LIBRARY" "$RANGEFINDER_CUPTI_PATH"; do
    [ -e "$needed" ] || skip "no $needed"
  done
}

# `needs_terminal`: Python can open a pseudo-terminal.
needs_terminal() {
  python3 -c 'import os; os.openpty()' 2> /dev/null ||
    skip "no pseudo-terminal can be opened: /dev/pts is not mounted"
}

# `ranks_of_a_job N`: a trace of each rank in runs/, and in `run`, which is a run
# directory of all; part.0 and so on, their summaries, and `one`, all of them
# merged at once.
ranks_of_a_job() {
  local program=${RANGEFINDER_BUILD:-$source_dir/build/release}/trace_from_text
  [ -x "$program" ] || skip "no $program"
  mkdir runs
  python3 "$source_dir/tests/cli/job_of_ranks.py" "$program" runs "$1" 5
  mkdir run
  ln -s "$PWD/runs" run/trace
  local rank
  for ((rank = 0; rank < $1; rank++)); do
    "$rangefinder" summarize --quiet "runs/rank$rank.rftrace" -o "part.$rank"
  done
  "$rangefinder" merge --quiet part.* -o one
}

# `names_of_every_kind`: $hostile is a name that any shell, format or pattern
# would obey; `not_obeyed` succeeds where nobody did, neither in $t nor below it.
names_of_every_kind() {
  hostile=$'-n %s%n \\; touch obeyed; $(touch obeyed) `touch obeyed` \'"&|*?[a]{b,c}~#\n\t\\\n'
}
not_obeyed() {
  [ -z "$(find "$t" -name 'obeyed*')" ]
}
