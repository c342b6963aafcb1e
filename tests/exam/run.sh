#!/usr/bin/env bash
# Profiles the programs of the examination on a GPU and grades the reports.
#
#   run.sh FOLDER [PROGRAM…]       RANGEFINDER: the program; needs nvcc
#
# FOLDER gets PROGRAM.json (the report), PROGRAM.rftrace (the trace) and
# PROGRAM.txt (the terminal). Programs in PyTorch are left out without torch.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rangefinder=${RANGEFINDER:-rangefinder}
out=$1
shift
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for source in exam exam_cpu; do
  nvcc -O2 -std=c++17 -arch=native -o "$work/$source" "$here/$source.cu" ||
    exit 1
done
programs=("$@")
if ((${#programs[@]} == 0)); then
  mapfile -t programs < <("$work/exam" --list && "$work/exam_cpu" --list)
  if python3 -c 'import torch' 2>/dev/null; then
    mapfile -t -O "${#programs[@]}" programs < <(
      python3 "$here/exam_torch.py" --list)
  fi
fi

for program in "${programs[@]}"; do
  case $program in
    torch_* | fine_torch_*) command=(python3 "$here/exam_torch.py") ;;
    cpu_* | fine_cpu_*) command=("$work/exam_cpu") ;;
    *) command=("$work/exam") ;;
  esac
  rm -rf "$work/run"
  "$rangefinder" profile hydra.run.dir="$work/run" ${EXAM_SETTINGS:-} -- \
    "${command[@]}" "$program" ${EXAM_STEPS:-60} >"$out/$program.txt" 2>&1 ||
    echo "exam: $program: status $?" >&2
  cp "$work/run/ncu/regions/report.json" "$out/$program.json" 2>/dev/null
  # The first run's; a counting run may follow.
  trace=$(find "$work/run" -name '*.rftrace' -printf '%T@ %p\n' | sort -n |
    sed -n '1s/^[^ ]* //p')
  cp "$trace" "$out/$program.rftrace" 2>/dev/null
done
python3 "$here/grade.py" "$here/answers.tsv" "$out" ${EXAM_GRADE:-}
