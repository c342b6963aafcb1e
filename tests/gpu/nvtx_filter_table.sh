#!/bin/bash
# How ncu reads NVTX expressions: imports a report once for every line of a
# list with --nvtx-include and writes a table of the results it kept.
#
#   nvtx_filter_table.sh                 both tables, into $OUT (default: a new
#                                        folder below /tmp, which is printed)
#   nvtx_filter_table.sh REPORT LIST TSV one table
#
# A line of LIST is an expression; several of one run are separated by " ;; ",
# and one after "NOT " is given to --nvtx-exclude. TSV has the columns
# expression, status (ncu's exit status), ids (of the results kept, or "-"),
# message (what ncu printed besides its CSV), and no header.
#
# With no arguments, the reports are the recorded tests/fixtures/nested_basic and
# one made now of nvtx_contexts.cu, which is left in $OUT as well. Both tables
# become test data: tests/fixtures/nvtx_expressions.tsv, nvtx_contexts.tsv.
# NCU names another ncu, JOBS how many run at a time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
ncu=${NCU:-ncu}
for candidate in "$ncu" /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu; do
  if command -v "$candidate" > /dev/null; then
    ncu=$(command -v "$candidate")
    break
  fi
done
if ! command -v "$ncu" > /dev/null; then
  echo "SKIPPED: no ncu on this machine" >&2
  exit 77
fi

# Runs ncu for line $2 of the list, on report $1, into folder $3.
one() {
  local report=$1 line=$2 to=$3 arguments=() rest part
  rest=$line
  while :; do
    part=${rest%%" ;; "*}
    if [[ $part == "NOT "* ]]; then
      arguments+=(--nvtx-exclude "${part#NOT }")
    else
      arguments+=(--nvtx-include "$part")
    fi
    [[ $rest == *" ;; "* ]] || break
    rest=${rest#*" ;; "}
  done
  timeout 60 "$ncu" --config-file off --import "$report" \
    "${arguments[@]}" --page raw --csv > "$to.out" 2> "$to.err" < /dev/null
  local status=$? ids message
  ids=$(grep -aoE '^"[0-9]+",' "$to.out" | tr -d '",' | paste -sd, -)
  message=$({ cat "$to.err"; grep -av '^"' "$to.out"; } |
    grep -av '^[[:space:]]*$' | tr '\t\r' '  ' | paste -sd'|' -)
  printf '%s\t%s\t%s\t%s\n' "$line" "$status" "${ids:--}" "$message" > "$to.row"
  rm -f "$to.out" "$to.err"
}

table() {
  local report=$1 list=$2 tsv=$3 parts line i=0
  parts=$(mktemp -d)
  while IFS= read -r line || [[ -n $line ]]; do
    [[ -n $line ]] || continue
    one "$report" "$line" "$parts/$(printf %05d "$i")" &
    i=$((i + 1))
    while (($(jobs -rp | wc -l) >= ${JOBS:-8})); do wait -n; done
  done < "$list"
  wait
  cat "$parts"/*.row > "$tsv"
  rm -rf "$parts"
  echo "$tsv: $(wc -l < "$tsv") expressions," \
    "$(awk -F'\t' '$3 != "-"' "$tsv" | wc -l) kept something," \
    "$(awk -F'\t' '$2 != 0' "$tsv" | wc -l) refused" >&2
}

if (($# == 3)); then
  table "$1" "$2" "$3"
  exit
fi

out=${OUT:-$(mktemp -d)}
mkdir -p "$out"
table "$here/../fixtures/nested_basic.ncu-rep" "$here/nvtx_expressions.txt" \
  "$out/nvtx_expressions.tsv"

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if ! "$nvcc" -O1 -std=c++17 -arch=native -o "$out/nvtx_contexts" \
  "$here/nvtx_contexts.cu" -ldl; then
  echo "SKIPPED the second table: nvtx_contexts.cu does not build here" >&2
  exit 77
fi
"$ncu" --config-file off --nvtx --clock-control none --force-overwrite \
  --metrics gpu__time_duration.sum --export "$out/nvtx_contexts" \
  "$out/nvtx_contexts" > "$out/nvtx_contexts.log" 2>&1
table "$out/nvtx_contexts.ncu-rep" "$here/nvtx_contexts_expressions.txt" \
  "$out/nvtx_contexts.tsv"
rm -f "$out/nvtx_contexts"
echo "the tables are in $out"
