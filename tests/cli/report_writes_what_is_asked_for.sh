#!/bin/bash
. "$(dirname "$0")/common.sh"
rep=$fixtures/nested_basic.ncu-rep

# One format: nothing of the others is written, and the result that is named is
# there.
status 0 "$rangefinder" report "$rep" hydra.run.dir="$t/run" "report.formats=[json]" > out 2> err
[ "$(cat out)" = "$t/run/ncu/regions/report.json" ]
[ -e "$(cat out)" ]
[ -z "$(find run -name '*.md' -o -name '*.html')" ]
[ -e run/ncu/regions/A/report.json ] && [ -e run/ncu/raw.csv ]

# No table of measurements where none is wanted.
status 0 "$rangefinder" report "$rep" hydra.run.dir="$t/other" \
  pipeline.ncu.ncu_cli.export.csv=false > out 2> err
[ "$(cat out)" = "$t/other/ncu/regions/report.md" ]
[ -z "$(find other -name '*.csv')" ]
[ -e other/ncu/regions/A/report.md ]

# Of a trace or a sampled run: three files, which are named; folders of regions
# and the tables beside them where they are asked for.
trace=$fixtures/llm_sampled.rftrace.zst
"$rangefinder" report "$trace" -o three > out 2> err
[ "$(cat out)" = three/ncu/regions/report.md ]
has err "open three/ncu/regions/report.html in a browser"
[ "$(find three -type f | sort | xargs -n 1 basename | xargs)" = "report.html report.json report.md" ]
"$rangefinder" show three > out 2> err
has out "prefill" "layer0.attn"
status 5 "$rangefinder" report three > out 2> err
has err "no capture of this run is left"
[ "$(find three -type f | wc -l)" = 3 ]
"$rangefinder" report "$trace" -o folders report.max_folders=2 > out 2> err
[ "$(find folders/ncu/regions -mindepth 1 -type d | wc -l)" = 2 ]
[ -s folders/ncu/raw.csv ] && [ -s folders/kernels.md ] && [ -s folders/report.md ]

# One format, and its file.
"$rangefinder" report "$trace" -o page --format html > out 2> err
[ "$(cat out)" = page/ncu/regions/report.html ]
[ "$(find page -type f)" = page/ncu/regions/report.html ]
"$rangefinder" report "$trace" -o two --format json,sqlite > out 2> err
[ "$(find two -type f | sort | xargs -n 1 basename | xargs)" = "report.json report.sqlite" ]
status 2 "$rangefinder" report "$trace" -o none --format perfetto > out 2> err
has err "report writes md, json, html and sqlite" "show --format perfetto"
[ ! -e none ]
