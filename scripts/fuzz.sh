#!/usr/bin/env bash
# Runs the libFuzzer targets, each for some minutes, and lists the inputs that
# broke a law: scripts/fuzz.sh MINUTES PROCESSORS [TARGET...]
#
# As many targets run at once as there are processors; with more processors, each
# target runs in several processes. The inputs stay in OUT (build/fuzz-inputs),
# where the next run goes on from. Exit status 1: something broke.
#
#   scripts/fuzz.sh pack FILE.tar.xz
#   FUZZ_PACK=FILE.tar.xz scripts/fuzz.sh MINUTES PROCESSORS    in any checkout
#
# `pack` builds the programs, stripped, for machines without compilers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

programs=build/fuzz
out=${OUT:-build/fuzz-inputs}

build() {
  . scripts/packages.sh
  install_packages build clang
  cmake --preset fuzz
  cmake --build --preset fuzz -j "$(nproc)" --target "${targets[@]/#/fuzz_}"
}

# fuzz TARGET SECONDS PROCESSES: status 0 also where an input broke a law; its
# file is then in the target's folder of `out`.
fuzz() {
  local target=$1 seconds=$2 processes=$3
  local folder=$out/$target corpus=(tests/fuzz/corpus/"$target")
  [[ -d ${corpus[0]} ]] || corpus=()
  mkdir -p "$folder"/{inputs,broken}
  rm -f "$folder"/log.*
  for ((i = 0; i < processes; i++)); do
    "$programs/fuzz_$target" -max_total_time="$seconds" -rss_limit_mb=4096 \
      -timeout=60 -entropic=0 -reload=1 -print_final_stats=1 \
      -artifact_prefix="$folder/broken/" "$folder/inputs" "${corpus[@]}" \
      >"$folder/log.$i" 2>&1 || true &
  done
  wait
  sed -n "s/^stat::number_of_executed_units: */fuzz: $target: executed /p" \
    "$folder"/log.*
}

mapfile -t targets < <(cd tests/fuzz && printf '%s\n' fuzz_*.cc |
  sed 's/^fuzz_\(.*\)\.cc$/\1/')
if [[ ${1:-} == pack ]]; then
  build
  stripped=$(mktemp -d)
  trap 'rm -rf "$stripped"' EXIT
  for target in "${targets[@]}"; do
    strip -o "$stripped/fuzz_$target" "$programs/fuzz_$target"
  done
  tar -C "$stripped" -caf "$2" .
  ls -l "$2"
  exit
fi

minutes=$1 processors=$2
shift 2
[[ $# == 0 ]] || targets=("$@")
if [[ -n ${FUZZ_PACK:-} ]]; then
  programs=$(mktemp -d)
  trap 'rm -rf "$programs"' EXIT
  tar -C "$programs" -xf "$FUZZ_PACK"
else
  build
fi
each=$((processors > ${#targets[@]} ? processors / ${#targets[@]} : 1))
for target in "${targets[@]}"; do
  while (($(jobs -rp | wc -l) * each + each > processors)); do wait -n; done
  fuzz "$target" "$((60 * minutes))" "$each" &
done
wait
broken=$(find "$out"/*/broken -type f)
for target in "${targets[@]}"; do
  for log in "$out/$target"/log.*; do
    grep -q '^stat::number_of_executed_units' "$log" ||
      broken+=$'\n'"$target, which did not run to its end: $log"
  done
done
[[ -z $broken ]] || { echo "fuzz: broken by"; echo "$broken"; exit 1; }
echo "fuzz: nothing broken"
