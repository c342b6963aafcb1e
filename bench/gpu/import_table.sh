#!/usr/bin/env bash
# What reading a report of ncu and writing each file costs, against `ncu --import
# --page raw --csv`, at about 50, 100 and 320 MB: rows of a table in Markdown, in
# four minutes. bench/gpu/import_table.sh
#
#   RANGEFINDER  the binary (dist/rangefinder, else a build's)
#   REPORT       an .ncu-rep of some 50 MB; else examples/tiny_llm.py is profiled
#   OUT          where the files go (a temporary folder)
#
# The larger reports have the blocks of the first two and six times, which ncu reads
# as results of further kernels; where it does not, the script fails.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/gpu/programs/machine.sh"
need ncu python3
prepare

report=${REPORT:-}
if [[ -z $report ]]; then
  "$rangefinder" profile pipeline.ncu.enable=true \
    pipeline.ncu.ncu_cli.clock_control=none pipeline.ncu.ncu_cli.set=null \
    'pipeline.ncu.ncu_cli.sections=[SpeedOfLight,Occupancy]' \
    hydra.run.dir="$out/tiny_llm" -- \
    python3 "$root/examples/tiny_llm.py" --steps 2 >&2
  report=$(find "$out/tiny_llm/ncu" -name '*.ncu-rep' | head -1)
fi

# rows FILE: the kernels that ncu sees in it.
rows() {
  ncu --import "$1" --page raw --csv | python3 -c '
import csv, sys
print(sum(row[0].isdigit() for row in csv.reader(sys.stdin) if row))'
}

kernels=$(rows "$report")
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1
"$rangefinder" --version
echo "| report | what | ms (from to) | MiB | times faster | of its memory |"
echo "|---|---|--:|--:|--:|--:|"
for times in 1 2 6; do
  python3 - "$report" "$times" "$out/$times.ncu-rep" <<'P'
import struct, sys
data = open(sys.argv[1], "rb").read()
blocks = 8 + struct.unpack_from("<I", data, 4)[0]  # behind the file's header
with open(sys.argv[3], "wb") as out:
    out.write(data)
    for _ in range(int(sys.argv[2]) - 1):
        out.write(data[blocks:])
P
  [[ $(rows "$out/$times.ncu-rep") == $((times * kernels)) ]] || {
    echo "ncu does not read the blocks of $times.ncu-rep" >&2
    exit 1
  }
  python3 "$root/tests/gpu/compare_import.py" "$rangefinder" \
    "$out/$times.ncu-rep" "$out" "$((times > 2 ? 3 : 5))" table
done
