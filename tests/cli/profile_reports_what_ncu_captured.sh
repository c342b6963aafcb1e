#!/bin/bash
. "$(dirname "$0")/common.sh"

profile -- sh -c 'echo from the program' > out 2> err
has out "from the program" "report.md"
has run/ncu/regions/report.md "# NCU Region Reports" "A::A1"
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 28 ]
for file in env.json inputs.yaml ncu/cmd.txt ncu/manifest.json ncu/log.txt \
            ncu/run.ncu-rep; do
  [ -s "run/$file" ] || { echo "no $file"; exit 1; }
done
